import { expect, type Locator, type Page } from '@playwright/test'
import { type Archive, firstRow, sendImages, startArchive } from './modality.ts'
import {
  complaintsOf,
  enterAsOwner,
  faultsByScheme,
  go as goOn,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.11120001'
const MAJA = {
  studyInstanceUid: STUDY,
  patientName: 'TEST^MAJA',
  patientId: 'P-7001',
  accessionNumber: 'A-7001',
}
const PRIOR = {
  studyInstanceUid: '1.2.826.0.1.3680043.8.498.11120002',
  patientName: 'TEST^MAJA',
  patientId: 'OLD-17',
}
let stage: Stage
let archive: Archive
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  stage = await openStage('--dimse-tls', '0')
  // A small disk must not refuse the images of this test; a study is complete soon.
  for (const [key, value] of [
    ['intake.stopGigabytes', '0'],
    ['intake.warnGigabytes', '0'],
    ['intake.idleSeconds', '3'],
  ] as const) {
    await stage.command('config', 'set', key, value)
  }
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
  await stage.command(
    'device',
    'add',
    '--ae-title',
    'CT2',
    '--modality',
    'CT',
    '--name',
    'CT, room 2',
  )
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
})

const go = (name: string) => goOn(page, name)
const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })

async function sendStudy(): Promise<void> {
  const to = page.getByRole('combobox', { name: 'Send to' })
  // The list closes when the study behind it is loaded at that moment.
  await expect(async () => {
    await to.click()
    await page.getByRole('option', { name: 'Hospital PACS' }).click({ timeout: 2000 })
  }).toPass()
  await expect(to).toHaveValue('Hospital PACS')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Of what `screens.spec.ts` does not show. */
async function isAccessible(): Promise<void> {
  expect(await faultsByScheme(page, 'images')).toEqual({})
}

test('says where images will appear before there are any', async () => {
  await go('Images')
  await expect(page.getByText('When a device sends images to AE title ISTHMUS')).toBeVisible()
})

test('shows a study as its images arrive, without being asked, and when it is complete', async () => {
  await sendImages(
    stage,
    'CT1',
    [1, 2, 3].map((number) => ({ ...MAJA, number })),
  )
  const row = rowOf('TEST')
  await expect(row.getByText('Receiving')).toBeVisible()
  await expect(row).toContainText('P-7001')
  await expect(row).toContainText('CT, room 1')
  await sendImages(
    stage,
    'CT1',
    [4, 5].map((number) => ({ ...MAJA, number })),
  )
  await expect(row.getByRole('gridcell').nth(4)).toHaveText('5')
  await expect(row.getByText('Complete')).toBeVisible()
})

test('finds a study by parts of its patient, as they are typed, and keeps them out of the address', async () => {
  const search = page.getByRole('searchbox', { name: 'Search' })
  for (const [part, isThere] of [
    ['P-71', false],
    ['P-70', true],
    ['maja nobody', false],
    ['maja tes', true],
    ['P-7001', true],
  ] as const) {
    await search.fill(part)
    await expect(isThere ? rowOf('TEST') : page.getByText('No matching studies')).toBeVisible()
    expect(page.url()).toMatch(/\/images$/)
  }
  await search.fill('')
})

test('opens the study: who it is, its series, and the study it became', async () => {
  await rowOf('TEST').getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1, name: 'CT study, 20 Nov 2026' })).toBeVisible()
  await expect(page.getByText('3 May 1971')).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Thorax 1.0' })).toContainText('5')
  await expect(page.getByText('created from these images')).toBeVisible()
})

test('puts images of another patient beside the worklist’s row', async () => {
  const row = await firstRow(stage, 'CT1')
  expect(row.studyInstanceUid).not.toBe('')
  const { studyInstanceUid, accessionNumber } = row
  await sendImages(stage, 'CT1', [
    {
      studyInstanceUid,
      accessionNumber,
      number: 1,
      patientName: 'WRONG^PETER',
      patientId: 'P-9999',
    },
  ])
  await go('Images')
  await expect(rowOf('WRONG').getByText('Mismatch', { exact: true })).toBeVisible()
  await rowOf('WRONG').getByRole('link', { name: /WRONG/ }).click()
  await expect(page.getByRole('heading', { name: 'The images do not match' })).toBeVisible()
  const patientId = page.getByRole('row').filter({ hasText: 'Patient ID' })
  await expect(patientId).toContainText(row.patientId)
  await expect(patientId).toContainText('P-9999')
})

test('puts what images of one study say of their patients side by side', async () => {
  const studyInstanceUid = '1.2.826.0.1.3680043.8.498.11120003'
  await sendImages(stage, 'CT1', [
    { studyInstanceUid, number: 1, patientName: 'FIRST^FRIDA', patientId: 'P-8001' },
    { studyInstanceUid, number: 2, patientName: 'OTHER^OTTO', patientId: 'P-8002' },
  ])
  await page.goto(`${stage.http}/#/images/${studyInstanceUid}`)
  await expect(page.getByRole('heading', { name: 'Images compared with each other' })).toBeVisible()
  const patientId = page.getByRole('row').filter({ hasText: 'Patient ID' })
  await expect(patientId).toHaveCount(1)
  await expect(patientId).toContainText('P-8001')
  await expect(patientId).toContainText('P-8002')
  await isAccessible()
})

test('shows a thumbnail of each study, and a preview that follows the keyboard until it is closed', async () => {
  await go('Images')
  const rows = page.getByRole('grid').getByRole('row')
  const pane = page.getByRole('region', { name: 'Selected study' })
  await expect(pane).toContainText('Select a row to see its details here.')
  const pictures = page.getByRole('grid').locator('img')
  await expect(pictures).toHaveCount((await rows.count()) - 1)
  const widthOf = (picture: Locator) =>
    picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)
  for (const picture of await pictures.all())
    await expect.poll(() => widthOf(picture)).toBeGreaterThan(0)

  const name = pane.getByRole('heading', { level: 2 })
  const nameIn = (row: number) => rows.nth(row).getByRole('link').first().innerText()
  // A click on the name opens the study.
  const countIn = (row: number) => rows.nth(row).getByRole('gridcell').nth(4)
  await countIn(1).click()
  await expect(name).toHaveText(await nameIn(1))
  await page.keyboard.press('ArrowDown')
  await expect(name).toHaveText(await nameIn(2))
  await rowOf('MAJA').getByRole('gridcell').nth(4).click()
  await expect(pane).toContainText('P-7001')
  const series = pane.getByRole('listitem')
  await expect(series).toHaveCount(1)
  await expect(series).toContainText('Thorax 1.0')
  await expect(series).toContainText('5 images')
  await expect.poll(() => widthOf(series.locator('img'))).toBeGreaterThan(0)
  await isAccessible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'CT study, 20 Nov 2026' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Thorax 1.0' }).locator('img')).toBeVisible()

  await go('Images')
  await page.getByRole('button', { name: 'Hide the preview' }).click()
  await go('Devices')
  await go('Images')
  await expect(rows.nth(1)).toBeVisible()
  await expect(pane).toHaveCount(0)
  await countIn(1).click()
  await expect(page.getByRole('heading', { level: 1, name: /study, / })).toBeVisible()
  await go('Images')
  await page.keyboard.press('p')
  await expect(pane).toBeVisible()
  // In a narrow window there is room for the list alone.
  await page.setViewportSize({ width: 1024, height: 768 })
  await expect(pane).toHaveCount(0)
  await expect(page.getByRole('button', { name: /the preview/ })).toHaveCount(0)
  await page.setViewportSize({ width: 1360, height: 860 })
})

test('sets another image of the same identifier aside, and deletes it only with a reason', async () => {
  await sendImages(stage, 'CT2', [{ ...MAJA, number: 1, pixel: '0009' }])
  await go('Today')
  const waiting = page.getByRole('listitem').filter({ hasText: 'Quarantine' })
  await expect(waiting).toContainText('1 image in quarantine is waiting for a decision.')
  await waiting.getByRole('link', { name: 'Review' }).click()
  await expect(page.getByRole('heading', { name: 'Quarantine' })).toBeVisible()
  await go('Images')
  await page
    .getByRole('navigation', { name: 'Images' })
    .getByRole('link', { name: 'Quarantine' })
    .click()
  const row = page
    .getByRole('row')
    .filter({ hasText: 'Duplicate identifier with different content' })
  await expect(row).toContainText('CT, room 2')
  await row.getByRole('button', { name: 'Discard' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Discard image' }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Test image of the service')
  await dialog.getByRole('button', { name: 'Discard image' }).click()
  await expect(page.getByText('No images in quarantine')).toBeVisible()
})

test('decides on all images of a study that were set aside at once, with one reason', async () => {
  const others = [1, 2, 3].map((number) => ({ ...MAJA, number, pixel: '000A' }))
  await sendImages(stage, 'CT2', others)
  const row = page
    .getByRole('row')
    .filter({ hasText: 'Duplicate identifier with different content' })
  await row.first().getByRole('link', { name: 'All quarantined images of this study' }).click()
  await page.getByRole('button', { name: 'Release all (3)' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('TEST, MAJA')
  await isAccessible()
  await dialog.getByRole('button', { name: 'Release 3 images' }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard all (3)' }).click()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Test images of the service')
  await dialog.getByRole('button', { name: 'Discard 3 images' }).click()
  await expect(page.getByText('3 images were deleted.')).toBeVisible()
  await expect(page.getByText('No images in quarantine')).toBeVisible()
})

test('sends a study to a destination that was entered and tested here', async () => {
  archive = await startArchive(stage)
  await go('Destinations')
  await page.getByRole('button', { name: 'Add destination' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Name' }).fill('Hospital PACS')
  await form.getByRole('textbox', { name: 'AE title' }).fill('PACS')
  await form.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1')
  await form.getByRole('textbox', { name: 'Port' }).fill(String(archive.port))
  await form
    .getByRole('switch', { name: 'Retrieve prior studies from this destination' })
    .check({ force: true })
  await form.getByRole('button', { name: 'Add destination' }).click()
  await expect(page.getByText('only studies sent manually')).toBeVisible()
  await page.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.getByText(/^The device responded/)).toBeVisible()
  await page.goto(`${stage.http}/#/images/${STUDY}`)
  await sendStudy()
  await expect(page.getByText('5 sent')).toBeVisible()
})

test('finds earlier studies of the patient in another system, warns of another patient ID, and fetches one', async () => {
  await archive.take([1, 2].map((number) => ({ ...PRIOR, number })))
  await page.getByRole('link', { name: 'Find prior studies' }).click()
  await expect(page.getByRole('textbox', { name: 'Patient ID' })).toHaveValue('P-7001')
  await page.getByRole('textbox', { name: 'Patient ID' }).fill('')
  await page.getByRole('textbox', { name: 'Patient name' }).fill('TEST*')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await expect(rowOf('P-7001')).toContainText('5 stored here')
  await expect(rowOf('OLD-17')).toContainText('Different patient ID')
  await isAccessible()
  await rowOf('OLD-17').getByRole('button', { name: 'Retrieve' }).click()
  await expect(page.getByText('2 of 2 images')).toBeVisible()
  await rowOf('OLD-17').getByRole('link', { name: 'Open' }).click()
  await expect(page.getByText('OLD-17')).toBeVisible()
})

test('says what is wrong while a destination is away, and gives up with a reason', async () => {
  await archive[Symbol.asyncDispose]()
  await go('Images')
  await rowOf('WRONG').getByRole('link', { name: /WRONG/ }).click()
  await sendStudy()
  await expect(page.getByText('1 waiting')).toBeVisible()
  await go('Destinations')
  await expect(page.getByText('Retrying')).toBeVisible()
  await page.getByRole('link', { name: 'Hospital PACS' }).click()
  await expect(rowOf('WRONG')).toBeVisible()
  await rowOf('WRONG').getByRole('button', { name: 'Stop sending' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Wrong patient')
  await dialog.getByRole('button', { name: 'Stop sending' }).click()
  await expect(rowOf('WRONG').getByText('1 stopped')).toBeVisible()
})

test('takes a device’s port, and says what is wrong when it does not answer there', async () => {
  await go('Devices')
  await page.getByRole('button', { name: 'Edit CT, room 1' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Device port' }).fill(String(archive.port))
  await form.getByRole('combobox', { name: 'Console', exact: true }).click()
  await page.getByRole('option', { name: 'GE' }).click()
  await form.getByRole('combobox', { name: 'Connections' }).click()
  await page.getByRole('option', { name: 'Encrypted, with the device’s certificate' }).click()
  await form.getByRole('textbox', { name: 'Device certificate' }).fill('not a certificate')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('must be a certificate in PEM format')).toBeVisible()
  await isAccessible()
  await form.getByRole('combobox', { name: 'Connections' }).click()
  await page.getByRole('option', { name: 'Encrypted or unencrypted' }).click()
  await form.getByRole('textbox', { name: 'Device certificate' }).fill('')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toHaveCount(0)
  await page.getByRole('button', { name: 'Check CT, room 1' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('button', { name: 'Test connection' }).click()
  await expect(drawer.getByText('The device does not respond')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
})

test('checks a device’s worklist against the rules of its console', async () => {
  await go('Devices')
  await page.getByRole('button', { name: 'Check CT, room 2' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('The device’s port is not known')).toBeVisible()
  await drawer.getByRole('button', { name: 'Check worklist' }).click()
  await expect(drawer.getByText(/exams? checked/)).toBeVisible()
  await isAccessible()
  await page.keyboard.press('Escape')
})

test('shows the certificate of DICOM TLS and makes a new one only after asking', async () => {
  await go('Settings')
  const panel = page.locator('#group-certificates')
  await expect(panel.getByText('Devices (DICOM TLS)')).toBeVisible()
  const fingerprint = panel.getByText(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/).last()
  const before = await fingerprint.textContent()
  await panel.getByRole('button', { name: 'Renew' }).last().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Renew certificate' }).click()
  await expect(fingerprint).not.toHaveText(before ?? '')
})

test('counts the day’s images on Today, and leads from each number and each need to its list', async () => {
  await go('Today')
  const numbers = page.getByLabel('Today’s figures')
  await expect(numbers.getByText('Images today').locator('xpath=ancestor::div[1]')).toContainText(
    '10',
  )
  await expect(page.getByRole('heading', { name: 'Image storage' })).toBeVisible()
  const need = page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem')
  await expect(need.filter({ hasText: 'Quarantine' })).toHaveCount(0)
  const differing = need.filter({ hasText: 'Patient or exam mismatch' })
  await expect(differing).toContainText(
    '2 studies contain images that do not match the scheduled patient or order.',
  )
  await numbers.getByRole('link', { name: 'Receiving now' }).click()
  await expect(page.getByRole('radio', { name: 'Receiving' })).toBeChecked()
  await go('Today')
  await differing.getByRole('link', { name: 'Compare' }).click()
  await expect(rowOf('FRIDA')).toBeVisible()
  await expect(rowOf('MAJA')).toHaveCount(0)
})

test('needs no request beyond the gateway and breaks no rule of its own security policy', () => {
  expect(complaints).toEqual([])
})
