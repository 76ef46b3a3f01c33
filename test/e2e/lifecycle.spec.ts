import { expect, type Page } from '@playwright/test'
import type { Acceptor } from '../support/acceptor.ts'
import { startCommittingArchive } from '../support/committing-archive.ts'
import { sendImages } from './modality.ts'
import {
  complaintsOf,
  enterAsOwner,
  expectAccessible,
  go,
  OWNER,
  openStage,
  pictured,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

// The lifecycle of images as an administrator sees it: an archive confirms a study, a rule is
// previewed and switched on and removes the files, a hold keeps a study, and a study is erased.

test.describe.configure({ mode: 'serial', timeout: 180_000 })

const ROOT = '1.2.826.0.1.3680043.8.498.1114'
const MAJA = {
  studyInstanceUid: `${ROOT}0101`,
  patientName: 'TEST^MAJA',
  patientId: 'P-7001',
  accessionNumber: 'A-7001',
}
const OTTO = {
  studyInstanceUid: `${ROOT}0102`,
  patientName: 'TEST^OTTO',
  patientId: 'P-7002',
  accessionNumber: 'A-7002',
}
let stage: Stage
let archive: Acceptor
let page: Page
let complaints: readonly string[]

const dialog = () => page.getByRole('dialog')
const openSettings = async () => {
  await page.goto(`${stage.http}/#/settings/lifecycle`)
  await expect(page.getByRole('heading', { level: 1, name: 'Image lifecycle' })).toBeVisible()
}
const openStudy = async (studyInstanceUid: string) => {
  await page.goto(`${stage.http}/#/images/${studyInstanceUid}`)
  await expect(page.getByRole('heading', { name: 'Where images are kept' })).toBeVisible()
}
/** Where the window asks who is there, the owner says so. */
const confirmIdentity = async () => {
  const password = page.getByLabel('Password')
  if (await password.isVisible({ timeout: 1000 }).catch(() => false)) {
    await password.fill(OWNER.password)
    await page.keyboard.press('Enter')
  }
}

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  for (const key of ['intake.stopGigabytes', 'intake.warnGigabytes'])
    await stage.command('config', 'set', key, '0')
  await stage.command('config', 'set', 'intake.idleSeconds', '1')
  await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT', '--name', 'CT 1')
  archive = await startCommittingArchive(Number(stage.dimsePort), 'PACS')
  await stage.command(
    ...['destination', 'add', '--name', 'Hospital PACS', '--ae-title', 'PACS'],
    ...['--host', '127.0.0.1', '--port', String(archive.port)],
    ...['--automatic', '--confirms-storage'],
  )
  await sendImages(
    stage,
    'CT1',
    [1, 2].map((number) => ({ ...MAJA, number })),
  )
  await sendImages(stage, 'CT1', [{ ...OTTO, number: 1 }])
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await page.context().close()
  await archive[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

test('shows on the study which destination has confirmed its images', async () => {
  await openStudy(MAJA.studyInstanceUid)
  // The panel is reloaded when the result has arrived.
  await expect(page.getByText('2 of 2 confirmed by storage commitment')).toBeVisible({
    timeout: 90_000,
  })
  await expectAccessible(page, 'lifecycle-study')
})

test('holds a study, with a reason', async () => {
  await openStudy(OTTO.studyInstanceUid)
  await page.getByRole('button', { name: 'Place legal hold' }).click()
  await dialog().getByLabel('Reason').fill('Court order 12/2026')
  await dialog().getByRole('button', { name: 'Place legal hold' }).click()
  await confirmIdentity()
  await expect(page.getByText('Court order 12/2026')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Erase…' })).toBeDisabled()
})

test('shows what a rule would remove and what is kept, before it can be switched on', async () => {
  await openSettings()
  await pictured(page, 'lifecycle-empty')
  await page.getByRole('button', { name: 'Add rule' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('Confirmed images')
  await form.getByLabel('Days to keep').fill('0')
  await form.getByLabel('Counted from').click()
  await page.getByRole('option', { name: 'Last image received' }).click()
  await form.getByLabel('Confirmed copies').fill('1')
  await form.getByRole('switch', { name: 'Only with a signed report' }).press('Space')
  await pictured(page, 'lifecycle-form')
  await expectAccessible(page, 'lifecycle-form')
  await form.getByRole('button', { name: 'Save and preview' }).click()
  await confirmIdentity()
  await expect(dialog().getByText('The image files of 1 study would be removed')).toBeVisible()
  await expect(dialog().getByText('Kept: legal hold')).toBeVisible()
  await expect(dialog().getByRole('row').filter({ hasText: 'Maja' })).toBeVisible()
  await expectAccessible(page, 'lifecycle-preview')
  await pictured(page, 'lifecycle-preview')
  await dialog().getByRole('button', { name: 'Switch rule on' }).click()
  await confirmIdentity()
  await expect(page.getByRole('switch', { name: 'Rule Confirmed images' })).toBeChecked()
  await expectAccessible(page, 'lifecycle')
  await pictured(page, 'lifecycle')
})

test('removes the files when it runs, and the study says where its images are kept', async () => {
  await page.getByRole('button', { name: 'Run now' }).click()
  await confirmIdentity()
  await expect(
    page.getByText('The image files of 1 study were removed from this PC').first(),
  ).toBeVisible()
  await openStudy(MAJA.studyInstanceUid)
  await expect(
    page.getByText('no longer on this PC. Images are kept at Hospital PACS.'),
  ).toBeVisible()
  await expectAccessible(page, 'lifecycle-elsewhere')
  await pictured(page, 'lifecycle-elsewhere')
})

test('erases a study when its patient ID was typed, and shows the signed record', async () => {
  await page.getByRole('button', { name: 'Erase…' }).click()
  await expect(dialog().getByText('Copies were sent to Hospital PACS')).toBeVisible()
  await dialog().getByLabel('Reason').fill('Request of the patient')
  const erase = dialog().getByRole('button', { name: 'Erase permanently' })
  await expect(erase).toBeDisabled()
  await dialog().getByLabel('Type P-7001 to confirm').fill('P-7001')
  await expectAccessible(page, 'lifecycle-erase')
  await pictured(page, 'lifecycle-erase')
  await erase.click()
  await confirmIdentity()
  await expect(page.getByRole('heading', { level: 1, name: 'Image lifecycle' })).toBeVisible()
  await page.getByRole('button', { name: 'Show record' }).click()
  await expect(dialog().getByText('The signature is valid')).toBeVisible()
  // It is printed and kept, so its times have dates.
  await expect(dialog().locator('time').first()).toHaveText(/^\d+ \w+ \d{4}, /)
  await expect(dialog().getByText(MAJA.studyInstanceUid)).toBeVisible()
  await expect(dialog().getByText('Hospital PACS: 2 images sent, 2 confirmed')).toBeVisible()
  await expectAccessible(page, 'lifecycle-record')
  await pictured(page, 'lifecycle-record')
  const downloaded = page.waitForEvent('download')
  await dialog().getByRole('button', { name: 'Download' }).click()
  expect((await downloaded).suggestedFilename()).toMatch(/^erasure-.*\.json$/)
  await page.keyboard.press('Escape')
  await go(page, 'Images')
  await expect(page.getByText('Otto').first()).toBeVisible()
  await expect(page.getByText('Maja')).toHaveCount(0)
  expect(complaints).toEqual([])
})

test('erases a patient who has studies without images, from the page of one of them', async () => {
  const key = await stage.command('api-key', 'create', '--description', 'Cloud RIS')
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const uids = ['0301', '0302'].map((end) => ROOT + end)
  const made: string[] = []
  for (const studyInstanceUid of uids) {
    const answer = await fetch(`${stage.http}/v1/scribe/studies`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({
        ...{ studyInstanceUid, studyDescription: 'XR chest', severity: 'normal' },
        reportMetadata: { patientName: 'TEST^NORA', sex: 'female', mrn: 'P-7003' },
      }),
    })
    made.push(String(((await answer.json()) as { studyId: string }).studyId))
  }
  await page.goto(`${stage.http}/#/studies/${made[0]}`)
  await pictured(page, 'study-without-images')
  await page.getByRole('button', { name: 'Erase…' }).click()
  await dialog().getByLabel('All studies with this patient ID').check()
  await expect(dialog().getByText('0 images, 0 reports')).toHaveCount(2)
  await dialog().getByLabel('Reason').fill('Request of the patient')
  await dialog().getByLabel('Type P-7003 to confirm').fill('P-7003')
  await expectAccessible(page, 'study-erase')
  await pictured(page, 'study-erase')
  await dialog().getByRole('button', { name: 'Erase permanently' }).click()
  await confirmIdentity()
  await expect(page.getByRole('heading', { level: 1, name: 'Image lifecycle' })).toBeVisible()
  const records = page.getByRole('button', { name: 'Show record' })
  await expect(records).toHaveCount(2)
  await records.first().click()
  for (const uid of uids) await expect(dialog().getByText(uid)).toBeVisible()
  await page.keyboard.press('Escape')
  for (const studyId of made) {
    const gone = await fetch(`${stage.http}/v1/scribe/studies/${studyId}`, { headers })
    expect(gone.status).toBe(404)
  }
  await go(page, 'Images')
  expect(complaints).toEqual([])
})
