import { expect, type Page } from '@playwright/test'
import { firstRow, sendImages } from './modality.ts'
import {
  complaintsOf,
  enterAsOwner,
  faultsByScheme,
  openStage,
  pictured,
  type Stage,
} from './stage.ts'
import { callOf, emailOf, employ, people, signIn } from './stories.ts'
import { test } from './test.ts'
import { isDrawn, paneOf } from './viewer-stage.ts'

// Images name another patient than the worklist row they were made for: every screen says so, the
// report is not signed until a radiologist gives a reason, and the reason stays with it.

test.describe.configure({ mode: 'serial', timeout: 180_000 })

const RUTH = {
  firstName: 'Ruth',
  lastName: 'Okafor',
  clinicRole: 'Radiologist',
  canCreateReports: true,
  npiNumber: '1234567893',
}
const REASON = 'Confirmed with the technologist: same patient, typed by hand'
const MISMATCH = 'The patient or exam in the images differs from the worklist or the study'
let stage: Stage
let page: Page
let complaints: readonly string[]
let all: ReturnType<typeof people>
let studyUid = ''
let accession = ''

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000)
  stage = await openStage()
  const settings = {
    'intake.stopGigabytes': '0',
    'intake.warnGigabytes': '0',
    'intake.idleSeconds': '1',
  }
  for (const [key, value] of Object.entries(settings))
    await stage.command('config', 'set', key, value)
  await stage.command(
    'device',
    'add',
    '--ae-title',
    'CT1',
    '--modality',
    'CT',
    '--name',
    'CT, room 1',
  )
  all = people(browser)
  const owner = await all.open('owner')
  await enterAsOwner(stage, owner)
  await employ(owner, RUTH)
  const { studyInstanceUid, accessionNumber } = await firstRow(stage, 'CT1')
  studyUid = studyInstanceUid
  accession = accessionNumber
  const wrong = { patientName: 'WRONG^PETER', patientId: 'P-9999' }
  await sendImages(stage, 'CT1', [{ studyInstanceUid, accessionNumber, number: 1, ...wrong }])
  await expect(async () => {
    const { studyId } = (await callOf(owner, 'GET', `/dashboard/reading/by-uid/${studyUid}`)) as {
      studyId: string | null
    }
    expect(studyId).not.toBeNull()
  }).toPass({ timeout: 60_000 })
  page = await all.open('Ruth')
  complaints = complaintsOf(page)
  await signIn(page, stage, emailOf(RUTH))
})

test.afterAll(async () => {
  await all?.close()
  await stage?.[Symbol.asyncDispose]()
})

test('lists the study as a mismatch', async () => {
  await page.goto(`${stage.http}/#/reading`)
  // The partner names the patient of the worklist: without the tag nothing would show that the
  // images are others.
  await expect(page.getByRole('row').filter({ hasText: accession })).toContainText('Mismatch')
  await pictured(page, 'reading-list')
  await page.goto(`${stage.http}/#/images/${studyUid}`)
  await expect(page.getByRole('heading', { name: 'The images do not match' })).toBeVisible()
  await pictured(page, 'images-mismatch')
  expect(await faultsByScheme(page, 'images')).toEqual({})
})

test('says on the report what differs, and does not sign', async () => {
  await page.getByRole('link', { name: 'Sign despite the mismatch' }).click()
  const notice = page.getByRole('alert').filter({ hasText: MISMATCH })
  const besideWorklist = notice.getByRole('region', { name: 'Compared with the worklist' })
  await expect(besideWorklist.getByRole('row').filter({ hasText: 'Patient ID' })).toContainText(
    'P-9999',
  )
  const editor = page.getByRole('textbox', { name: 'Report', exact: true })
  await editor.click()
  await page.keyboard.type('Findings\nNo abnormality.\n\nImpression\nNormal.')
  await expect(page.getByTestId('saving')).toHaveText(/^Saved/)
  await expect(page.getByRole('region', { name: 'Before signing' })).toContainText(MISMATCH)
  await pictured(page, 'report-mismatch')
  expect(await faultsByScheme(page, 'report')).toEqual({})
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign report' })
  await expect(dialog.getByText('The report cannot be signed')).toBeVisible()
  await expect(dialog).toContainText(MISMATCH)
  await expect(dialog.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await pictured(page, 'sign-blocked')
  await dialog.getByRole('button', { name: 'Back to report' }).click()
})

test('is overridden with a reason, which stays in view', async () => {
  await page.getByRole('button', { name: 'Override…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Override the mismatch?' })
  await dialog.getByRole('button', { name: 'Override', exact: true }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  await pictured(page, 'override-dialog')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(REASON)
  await dialog.getByRole('button', { name: 'Override', exact: true }).click()
  await expect(page.getByText('Mismatch in the images, overridden by Ruth Okafor')).toBeVisible()
  await page.getByRole('button', { name: 'Withdraw the override' }).click()
  await page.getByRole('button', { name: 'Override…' }).click()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(REASON)
  await dialog.getByRole('button', { name: 'Override', exact: true }).click()
  await expect(page.getByText(REASON)).toBeVisible()
  await pictured(page, 'report-overridden')
})

test('is signed after the signer has looked at the override, and keeps it', async () => {
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign report' })
  const sign = dialog.getByRole('button', { name: 'Sign', exact: true })
  await expect(sign).toBeDisabled()
  const warnings = dialog
    .getByRole('group', { name: 'Review these before signing' })
    .getByRole('checkbox')
  await expect(warnings.first()).toBeVisible()
  for (const warning of await warnings.all()) await warning.check()
  await sign.click()
  await expect(page.getByRole('article', { name: 'Delivery and copies: Report' })).toContainText(
    'Signed by Ruth Okafor',
  )
  await expect(page.getByText(REASON)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Withdraw the override' })).toHaveCount(0)
  await pictured(page, 'report-signed')
  await page.goto(`${stage.http}/#/images/${studyUid}`)
  await expect(page.getByRole('heading', { name: 'the mismatch was overridden' })).toBeVisible()
  await expect(page.getByText(REASON)).toBeVisible()
  await pictured(page, 'images-overridden')
})

// Two patients in one study, as a technologist leaves it who did not end the first exam.
const TWO = '1.2.826.0.1.3680043.8.498.19120001'
const LOSSY = `
(0028,2110) CS [01]
(0028,2112) DS [12.5]
(0018,6011) SQ
(fffe,e000) -
(0018,6012) US 1
(0018,6018) UL 3
(0018,601a) UL 4
(0018,601c) UL 14
(0018,601e) UL 18
(0018,6024) US 3
(0018,6026) US 3
(0018,602c) FD 0.01
(0018,602e) FD 0.01
(fffe,e00d) -
(fffe,e0dd) -`

test('names in the viewer the patient of the image that is shown, also without the overlay', async () => {
  await sendImages(stage, 'CT1', [
    { studyInstanceUid: TWO, number: 1, patientName: 'FIRST^FRIDA', patientId: 'P-8001', side: 24 },
    {
      studyInstanceUid: TWO,
      number: 2,
      patientName: 'OTHER^OTTO',
      patientId: 'P-8002',
      side: 24,
      more: LOSSY,
    },
  ])
  const { viewId } = await callOf(page, 'POST', '/dashboard/views', { studyInstanceUid: TWO })
  await page.goto(`${stage.http}/viewer#${viewId}`)
  const pane = paneOf(page)
  await expect(pane).toContainText('FIRST, FRIDA')
  await isDrawn(page)
  await pane.focus()
  await page.keyboard.press('ArrowDown')
  await expect(pane).toContainText('OTHER, OTTO')
  await expect(pane).not.toContainText('FIRST')
  const kept = [
    'OTHER, OTTO',
    'P-8002',
    'Lossy compressed: 12.5 : 1',
    'Calibrated regions are outlined',
  ]
  for (const text of kept) await expect(pane).toContainText(text)
  await expect(pane).toContainText('Thorax 1.0')
  await expect(pane.locator('canvas[data-overlay-planes]')).toHaveCount(1)
  await pictured(page, 'viewer-two-patients')
  await page.keyboard.press('o')
  await expect(pane).not.toContainText('Im 2/2')
  for (const text of kept) await expect(pane).toContainText(text)
  await expect(pane.locator('canvas[data-overlay-planes]')).toHaveCount(1)
  await pictured(page, 'viewer-without-overlay')
  await expect(page.getByRole('alert').first()).toContainText(
    'This study contains images of more than one patient.',
  )
})

test('breaks no rule of its own security policy', () => {
  expect(complaints).toEqual([])
})
