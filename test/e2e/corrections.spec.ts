import { expect, type Locator, type Page } from '@playwright/test'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import { type Archive, sendImages, startArchive } from './modality.ts'
import { enterAsOwner, faultsByScheme, go, pictured } from './stage.ts'
import {
  callOf,
  emailOf,
  employ,
  exam,
  listOn,
  patientIdOf,
  people,
  signIn,
  uidOf,
} from './stories.ts'
import { test } from './test.ts'
import { isDrawn, openViewerStage, paneOf, type ViewerStage } from './viewer-stage.ts'

// From images that name another patient than their order to a signed report (decision 0031): a
// technologist moves them to the right order, splits a study, merges two and corrects details, each
// after a preview and with a reason; what no report was signed with is undone. A correction after
// the signature goes on to the archive, the list of those to inform, and an addendum.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const MAJA = {
  firstName: 'Maja',
  lastName: 'Oduya',
  clinicRole: 'Imaging Technologist',
  canManageStudies: true,
}
const RUTH = {
  ...{ firstName: 'Ruth', lastName: 'Okafor', clinicRole: 'Radiologist' },
  ...{ canCreateReports: true, npiNumber: '1234567893' },
}
const planned = [
  exam({ number: 1, patientName: 'Amberly^Rosalind', modality: 'CT' }),
  exam({ number: 2, patientName: 'Dunmore^Petra', modality: 'CT' }),
  exam({ number: 3, patientName: 'Phantom^Filippa', modality: 'CT' }),
  exam({ number: 4, patientName: 'Kestrel^Nora', modality: 'CT' }),
]
const TWO = '1.2.826.0.1.3680043.8.498.61950'
const SECOND = '1.2.826.0.1.3680043.8.498.61960'
const REASON = 'Selected the previous patient at the console; wristband checked'
const MISMATCH = 'The patient or exam in the images differs from the worklist or the study'

let stage: ViewerStage
let owner: Page
let maja: Page
let ruth: Page
let all: ReturnType<typeof people>
let archive: Archive | undefined

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage({
    'modality_worklist.requested': ({ modality }) => ({
      authorized: true,
      items: planned.filter(({ Modality }: WorklistItem) => !modality || modality === Modality),
    }),
  })
  all = people(browser)
  owner = await all.open('owner')
  await enterAsOwner(stage, owner)
  await callOf(owner, 'PATCH', '/dashboard/settings', { settings: { 'intake.idleSeconds': 1 } })
  await callOf(owner, 'POST', '/dashboard/devices', {
    aeTitle: 'CT1',
    modality: 'CT',
    name: 'CT, room 1',
  })
  for (const person of [MAJA, RUTH]) await employ(owner, person)
  await listOn(stage, 'CT1')
  // Petra's images under Rosalind's order; of two patients one study; a name misspelled at the
  // console; and Nora's exam, which was begun again as another study with a provisional ID.
  const petra = { patientName: 'Dunmore^Petra', patientId: patientIdOf(2) }
  await sendImages(
    stage,
    'CT1',
    [1, 2].map((number) => image(1, number, petra)),
  )
  await sendImages(stage, 'CT1', [
    { studyInstanceUid: TWO, number: 1, patientName: 'First^Frida', patientId: 'P-8001' },
    { studyInstanceUid: TWO, number: 2, patientName: 'Other^Otto', patientId: 'P-8002' },
  ])
  await sendImages(stage, 'CT1', [
    image(3, 1, { patientName: 'Phantom^Philippa', patientId: patientIdOf(3) }),
  ])
  const nora = { number: 1, patientName: 'Kestrel^Nora' }
  await sendImages(stage, 'CT1', [
    image(4, 1, { patientName: 'Kestrel^Nora', patientId: patientIdOf(4) }),
    { ...nora, studyInstanceUid: SECOND, patientId: 'TEMP-9' },
  ])
  maja = await all.open('Maja', { viewport: { width: 1280, height: 800 } })
  ruth = await all.open('Ruth')
  for (const [page, person] of [[maja, MAJA] as const, [ruth, RUTH] as const]) {
    await signIn(page, stage, emailOf(person))
  }
})

test.afterAll(async () => {
  await all?.close()
  await archive?.[Symbol.asyncDispose]()
  await stage?.[Symbol.asyncDispose]()
})

/** An image under the order of an exam. */
const image = (order: number, number: number, of: { patientName: string; patientId: string }) => ({
  ...{ studyInstanceUid: uidOf(order), accessionNumber: `A-61${order}`, number, ...of },
})
const step = (name: string): Locator => maja.getByRole('region', { name })
const reason = () => maja.getByRole('textbox', { name: 'Reason' })
const corrections = () => maja.getByRole('listitem').filter({ hasText: 'Cause' })
const openStudy = (studyInstanceUid: string) =>
  maja.goto(`${stage.http}/#/images/${studyInstanceUid}`)
const accessible = async (page: Page, name: string) =>
  expect.soft(await faultsByScheme(page, name), name).toEqual({})

/** Opens the report of a study, once there is one. */
async function openReport(studyInstanceUid: string): Promise<void> {
  await expect(async () => {
    const { studyId } = await callOf(owner, 'GET', `/dashboard/reading/by-uid/${studyInstanceUid}`)
    expect(studyId).not.toBeNull()
    await ruth.goto(`${stage.http}/#/reading/${studyId}`)
  }).toPass({ timeout: 30_000 })
}

async function write(text: string): Promise<void> {
  await ruth.getByRole('textbox', { name: 'Report', exact: true }).click()
  await ruth.keyboard.type(text)
  await expect(ruth.getByTestId('saving')).toHaveText(/^Saved/)
}

/** Signs what is written, by a dialog of this name. */
async function sign(name: string): Promise<void> {
  await ruth.keyboard.press('Control+Enter')
  const dialog = ruth.getByRole('dialog', { name })
  const button = dialog.getByRole('button', { name: 'Sign', exact: true })
  // Before the checks are there the dialog shows neither warnings nor the mismatch.
  const checked = dialog.getByRole('group', { name: 'Review these before signing' })
  const ready = dialog.getByRole('button', { name: 'Sign', exact: true, disabled: false })
  await expect(checked.or(ready).first()).toBeVisible()
  await expect(dialog).not.toContainText(MISMATCH)
  const warnings = checked.getByRole('checkbox')
  for (const warning of await warnings.all()) await warning.check()
  await button.click()
}

async function undoAs(text: string): Promise<void> {
  const dialog = maja.getByRole('dialog', { name: 'Undo this correction?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(text)
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(dialog).toHaveCount(0)
}

test('a report cannot be signed, and its notice leads who may correct the images to the correction', async () => {
  await openReport(uidOf(1))
  await expect(ruth.getByRole('alert').filter({ hasText: MISMATCH })).toBeVisible()
  await write('Impression\nNormal.')
  await expect(ruth.getByRole('region', { name: 'Before signing' })).toContainText(MISMATCH)
  // A radiologist who may not manage studies compares the images, and has nothing to correct them
  // with.
  await expect(ruth.getByRole('link', { name: 'Compare the images' })).toBeVisible()
  await expect(ruth.getByRole('link', { name: 'Resolve…' })).toHaveCount(0)
  await openStudy(uidOf(1))
  await maja.getByRole('button', { name: 'Resolve…' }).click()
  // The order of the patient whom the images name is suggested, and is not the only choice.
  await expect(maja.getByText('The images name the patient of another order')).toBeVisible()
  await expect(step('Step 3: Check and apply')).toContainText('2 images move')
  await accessible(maja, 'correct-0-suggested')
  await maja.getByRole('button', { name: /^Change.*What is wrong/ }).click()
  await expect(step('Step 1: What is wrong?')).toBeVisible()
  await expect(maja.getByText('Dunmore, Petra').first()).toBeVisible()
  await accessible(maja, 'correct-1-kind')
})

test('the images are moved to the right order after a preview, which is shown again where something changed', async () => {
  await maja.getByRole('button', { name: /belong to another order or patient/ }).click()
  await expect(maja.getByRole('heading', { name: 'Where do the images belong?' })).toBeFocused()
  const orders = maja.getByRole('list', { name: 'Orders and studies' })
  // The order that the images were made under, and the one of the patient they name, are most
  // similar.
  await expect(orders.getByRole('listitem').filter({ hasText: 'Phantom' })).toBeVisible()
  const similar = (await orders.getByRole('listitem').allTextContents()).slice(0, 2).join()
  for (const name of ['Amberly, Rosalind', 'Dunmore, Petra']) expect(similar).toContain(name)
  await accessible(maja, 'correct-3-target')
  await maja.getByRole('searchbox', { name: 'Search' }).fill('filippa')
  await expect(orders.getByRole('listitem').filter({ hasText: 'Dunmore' })).toHaveCount(0)
  await expect(orders).toContainText('Phantom, Filippa')
  await maja.getByRole('searchbox', { name: 'Search' }).fill('A-612')
  await orders.getByRole('button', { name: /Dunmore/ }).click()

  const check = step('Step 3: Check and apply')
  await expect(check).toContainText('2 images move')
  await expect(check).toContainText('No image stays here')
  await expect(check.getByRole('row').filter({ hasText: 'Accession (changes)' })).toContainText(
    'A-612',
  )
  await expect(check.getByRole('row', { name: /^Patient ID P-612 P-612$/ })).toBeVisible()
  await check.getByRole('button', { name: 'Move 2 images' }).click()
  await expect(check.getByText('Choose the cause')).toBeVisible()
  await expect(check.getByText('Enter a reason')).toBeVisible()
  await accessible(maja, 'correct-4-check')

  await sendImages(stage, 'CT1', [
    image(1, 3, { patientName: 'Dunmore^Petra', patientId: patientIdOf(2) }),
  ])
  await check.getByRole('radio', { name: 'Wrong worklist entry' }).check()
  await reason().fill(REASON)
  await check.getByRole('button', { name: 'Move 2 images' }).click()
  await expect(
    check.getByRole('alert').filter({ hasText: 'Something changed in the meantime' }),
  ).toBeVisible()
  await expect(check).toContainText('3 images move')
  await expect(reason()).toHaveValue(REASON)
  await check.getByRole('button', { name: 'Move 3 images' }).click()

  await expect(maja).toHaveURL(new RegExp(`/images/${uidOf(2).replaceAll('.', '\\.')}$`))
  await expect(maja.getByText('3 images were moved to this study.')).toBeVisible()
  await expect(maja.getByText('Identity corrected')).toBeVisible()
  await expect(corrections()).toContainText([REASON])
  await expect(corrections()).toContainText(['Maja Oduya'])
  await accessible(maja, 'correct-5-history')
  // What is left without images is Rosalind's again, and waits for hers.
  await openStudy(uidOf(1))
  await expect(maja.getByText('No images', { exact: true })).toBeVisible()
  await expect(maja.getByRole('main')).toContainText('Amberly, Rosalind')
  const { studyId } = await callOf(owner, 'GET', `/dashboard/reading/by-uid/${uidOf(1)}`)
  const { reportMetadata } = await callOf(owner, 'GET', `/dashboard/reading/${studyId}`)
  expect(reportMetadata.patientName).toBe('Amberly^Rosalind')
  await openStudy(uidOf(2))
})

test('the report is signed with the corrected images, and the correction is not undone any more', async () => {
  await openReport(uidOf(2))
  await expect(ruth.getByText('Identity corrected')).toBeVisible()
  await write('Findings\nNo abnormality.\n\nImpression\nNormal.')
  await expect(maja.getByRole('button', { name: 'Undo…' })).toBeVisible()
  await sign('Sign report')
  await expect(ruth.getByRole('article', { name: 'Report', exact: true })).toContainText(
    'Signed by Ruth Okafor',
  )

  const { corrections: made } = await callOf(
    maja,
    'GET',
    `/dashboard/images/${uidOf(2)}/corrections`,
  )
  const undo = callOf(maja, 'POST', `/dashboard/corrections/${made[0].correctionId}/undo`, {
    reason: REASON,
  })
  await expect(undo).rejects.toThrow(/422.*A report was signed/)
  await maja.reload()
  await expect(corrections()).toContainText(['Cannot be undone'])
  await expect(maja.getByRole('button', { name: 'Undo…' })).toHaveCount(0)
})

test('a study of two patients is split, and the split undone', async () => {
  await openStudy(TWO)
  await maja.getByRole('button', { name: 'Change patient or order…' }).click()
  await maja.getByRole('menuitem', { name: /^Some of these images/ }).click()
  const images = step('Step 2: Which images do not belong to this study?')
  const otto = images.getByRole('group', { name: 'Other, Otto' })
  await otto.getByRole('checkbox', { name: /of this patient/ }).check()
  await expect(images.getByRole('status')).toHaveText('1 of 2 images selected, 1 image stays')
  await accessible(maja, 'correct-2-images')
  await images.getByRole('button', { name: 'Continue' }).click()
  await maja.getByText('Enter the patient').click()
  const target = step('Step 3: Where do the chosen images belong?')
  await target.getByRole('button', { name: 'Continue' }).click()
  await expect(target.getByText('Enter the family name')).toBeVisible()
  for (const [label, value] of Object.entries({
    ...{ 'Family name': 'Other', 'Given names': 'Otto', 'Patient ID': 'P-8002' },
    ...{ 'Date of birth': '1971-05-03', 'Accession number': 'A-8002' },
  })) {
    await target.getByLabel(label).fill(value)
  }
  await target.getByLabel('Sex').selectOption('M')
  await accessible(maja, 'correct-3-typed')
  await target.getByRole('button', { name: 'Continue' }).click()
  const check = step('Step 4: Check and apply')
  await expect(check).toContainText('1 image moves')
  await expect(check).toContainText('1 image stays here')
  await expect(check.getByRole('row', { name: /^Sex \(changes\) female male$/ })).toBeVisible()
  await check.getByRole('radio', { name: 'Risk to a patient' }).check()
  await reason().fill('The exam of the first patient was not closed')
  await check.getByRole('button', { name: 'Move 1 image' }).click()
  await expect(maja.getByText('1 image was moved to this study.')).toBeVisible()
  await expect(maja).not.toHaveURL(new RegExp(TWO.replaceAll('.', '\\.')))

  await maja.keyboard.press('Alt+z')
  await undoAs('Otto was only the second name of the first patient')
  await expect(maja).toHaveURL(new RegExp(`${TWO.replaceAll('.', '\\.')}$`))
  await expect(maja.getByRole('heading', { name: 'The images do not match' })).toBeVisible()
  await expect(corrections()).toContainText(['Undone by'])
})

test('a misspelled name is corrected with what the worklist says, and that is undone', async () => {
  await openStudy(`${uidOf(3)}/resolve?kind=correct`)
  const details = step('Step 2: What are the right details?')
  await expect(details.getByLabel('Given names')).toHaveValue('Filippa')
  await expect(details).toContainText('Images: Phantom, Philippa')
  await details.getByRole('button', { name: 'Continue' }).click()
  const check = step('Step 3: Check and apply')
  await expect(check).toContainText('1 image is corrected in this study')
  await check.getByRole('radio', { name: 'Wrong worklist entry' }).check()
  await reason().fill('Spelled as on the identity card')
  await check.getByRole('button', { name: 'Correct 1 image' }).click()
  await expect(maja.getByText('Identity corrected')).toBeVisible()
  await expect(maja.getByRole('heading', { name: 'The images do not match' })).toHaveCount(0)

  await maja.getByRole('button', { name: 'Undo…' }).click()
  await undoAs('The identity card shows the other spelling')
  await expect(maja.getByRole('heading', { name: 'The images do not match' })).toBeVisible()
  await expect(corrections()).toContainText(['The identity card shows the other spelling'])
})

test('two studies of one exam are merged: list, viewer and report page show the result, and it is undone', async () => {
  await openStudy(SECOND)
  await maja.getByRole('button', { name: 'Change patient or order…' }).click()
  await maja.getByRole('menuitem', { name: /^These images belong to another study/ }).click()
  const target = step('Step 2: Which study do the images belong to?')
  await target.getByRole('searchbox', { name: 'Search' }).fill('kestrel')
  await expect(target.getByRole('listitem')).toHaveCount(1)
  await pictured(maja, 'merge-target')
  await target.getByRole('button', { name: /Kestrel/ }).click()
  const check = step('Step 3: Check and apply')
  await expect(check).toContainText('1 image moves')
  await expect(check.getByRole('row').filter({ hasText: 'Patient ID (changes)' })).toContainText(
    /TEMP-9.*P-614/,
  )
  await check.getByRole('radio', { name: 'Wrong worklist entry' }).check()
  await reason().fill('The console was restarted in the middle of the exam')
  await pictured(maja, 'merge-check')
  await check.getByRole('button', { name: 'Move 1 image' }).click()
  await expect(maja.getByText('1 image was moved to this study.')).toBeVisible()
  await expect(maja).toHaveURL(new RegExp(`${uidOf(4).replaceAll('.', '\\.')}$`))
  await expect(corrections()).toContainText(['Merged'])
  await pictured(maja, 'merge-done')

  const { viewId } = await callOf(maja, 'POST', '/dashboard/views', { studyInstanceUid: uidOf(4) })
  await maja.goto(`${stage.http}/viewer#${viewId}`)
  await isDrawn(maja)
  const series = maja
    .getByRole('navigation', { name: 'Series' })
    .getByRole('button', { name: /Thorax/ })
  await expect(series).toHaveCount(2)
  for (const one of await series.all()) {
    await one.dblclick()
    await expect(one).toContainText('Shown in a pane')
    for (const text of ['Kestrel, Nora', 'P-614']) await expect(paneOf(maja)).toContainText(text)
  }
  await expect(maja.getByText('This study contains images of more than one patient.')).toHaveCount(
    0,
  )
  await pictured(maja, 'merge-viewer', [1440])
  await openReport(uidOf(4))
  await expect(ruth.getByText('Identity corrected')).toBeVisible()
  await expect(ruth.getByRole('region', { name: 'Patient' })).toContainText('P-614')
  await pictured(ruth, 'merge-report')

  await maja.goto(`${stage.http}/#/images`)
  const rows = maja.getByRole('row').filter({ hasText: 'Kestrel' })
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('Identity corrected')
  await openStudy(uidOf(4))
  // The list says that it is undone before the reply of the request is there.
  await maja.route('**/dashboard/corrections/*/undo', async (route) => {
    const response = await route.fetch()
    await expect(async () => {
      await maja.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
      await expect(corrections().getByText('Undone', { exact: true })).toBeVisible({ timeout: 500 })
    }).toPass({ timeout: 30_000 })
    await route.fulfill({ response })
  })
  await maja.getByRole('button', { name: 'Undo…' }).click()
  await undoAs('They are two exams after all')
  await expect(maja).toHaveURL(new RegExp(`${SECOND.replaceAll('.', '\\.')}$`))
  await maja.goto(`${stage.http}/#/images`)
  await expect(rows).toHaveCount(2)
  await expect(rows.filter({ hasText: 'TEMP-9' })).toHaveCount(1)
  await expect(ruth.getByText('Identity corrected')).toHaveCount(0)
})

test('a correction after the signature is sent to the archive, and people are informed of it', async () => {
  archive = await startArchive(stage)
  const pacs = {
    name: 'PACS',
    aeTitle: 'PACS',
    host: '127.0.0.1',
    port: archive.port,
    isAutomatic: false,
  }
  const { destinationId } = await callOf(owner, 'POST', '/dashboard/destinations', pacs)
  await callOf(owner, 'POST', `/dashboard/destinations/${destinationId}/send`, {
    studyInstanceUid: uidOf(2),
  })
  await expect(async () => {
    const { studies } = await callOf(
      owner,
      'GET',
      `/dashboard/forwards?studyInstanceUid=${uidOf(2)}`,
    )
    expect(studies).toMatchObject([{ waiting: 0, failed: 0 }])
  }).toPass()
  await maja.goto(`${stage.http}/#/images/${uidOf(2)}/resolve?kind=correct`)
  const details = step('Step 2: What are the right details?')
  await details.getByLabel('Date of birth').fill('1971-05-13')
  await details.getByRole('button', { name: 'Continue' }).click()
  const check = step('Step 3: Check and apply')
  await expect(check).toContainText('PACS: ')
  await expect(check).toContainText('1 signed report stays unchanged and needs an addendum')
  await check.getByRole('radio', { name: 'Risk to a patient' }).check()
  await reason().fill('Date of birth as on the identity card')
  await pictured(maja, 'signed-check')
  await check.getByRole('button', { name: 'Correct 3 images' }).click()
  await expect(maja.getByText('3 images were corrected.')).toBeVisible()

  await maja.goto(`${stage.http}/#/`)
  const item = maja.getByRole('listitem').filter({ hasText: 'Correction notices' })
  await pictured(maja, 'inform-today')
  await item.getByRole('link', { name: 'Notify recipients' }).click()
  const list = maja.getByRole('table', { name: 'Recipients of the wrong version' })
  const ofRuth = list.getByRole('row').filter({ hasText: 'Ruth Okafor' })
  await expect(ofRuth).toContainText('Signed the report')
  const ofPartner = list.getByRole('row').filter({ hasText: 'Received the report' })
  await expect(ofPartner).toContainText('Partner')
  await pictured(maja, 'inform-open')
  await accessible(maja, 'inform')
  await ofRuth.getByRole('button', { name: 'Mark as notified: Ruth Okafor' }).click()
  const dialog = maja.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Mark as notified' }).click()
  await expect(dialog.getByText('Enter whom you spoke to')).toBeVisible()
  await pictured(maja, 'inform-dialog')
  await dialog.getByRole('textbox').fill('Called her, she writes the addendum')
  await dialog.getByRole('button', { name: 'Mark as notified' }).click()
  await expect(ofRuth).toHaveCount(0)
  await maja.getByText('All', { exact: true }).click()
  await expect(ofRuth).toContainText(/Maja Oduya.*Called her, she writes the addendum/)
  // The gateway informs the archive itself: with a rejection note, then the corrected images.
  await expect(list.getByRole('row').filter({ hasText: 'PACS' })).toContainText('By the gateway')
  await pictured(maja, 'inform-all')
  await go(owner, 'Audit')
  const entry = owner.getByRole('row').filter({ hasText: 'Recipient notified of a correction' })
  await expect(entry.filter({ hasText: 'Maja Oduya' })).toHaveCount(1)
})

test('the signed report asks for an addendum until one is signed', async () => {
  const row = ruth.getByRole('row').filter({ hasText: 'Dunmore' })
  const showAll = async () => {
    await ruth.goto(`${stage.http}/#/reading`)
    await ruth
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^All/ })
      .click()
  }
  await ruth.goto(`${stage.http}/#/`)
  const item = ruth.getByRole('listitem').filter({ hasText: '1 signed report needs an addendum' })
  await pictured(ruth, 'addendum-today')
  await item.getByRole('link', { name: 'Open list' }).click()
  const views = ruth.getByRole('navigation', { name: 'Views' })
  await expect(views.getByRole('link', { name: 'Addendum needed 1' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  const filters = ruth.getByRole('status', { name: 'Active filters' })
  await expect(filters).toContainText('Addendum needed')
  await expect(filters).toContainText('1 study')
  await expect(row).toContainText('Needs addendum')
  await pictured(ruth, 'addendum-list')
  await accessible(ruth, 'addendum-list')
  await row.getByRole('link', { name: /Dunmore/ }).click()
  const notice = ruth.getByRole('alert').filter({ hasText: 'an addendum is required' })
  await expect(notice).toBeVisible()
  await pictured(ruth, 'addendum-needed')
  await accessible(ruth, 'addendum-needed')
  await ruth.getByRole('button', { name: 'Start addendum' }).click()
  await ruth.getByRole('textbox', { name: 'Addendum', exact: true }).click()
  await ruth.keyboard.type('The date of birth of the images was corrected. The findings stand.')
  await expect(ruth.getByTestId('saving')).toHaveText(/^Saved/)
  await expect(notice).toBeVisible()
  await pictured(ruth, 'addendum-writing')
  await sign('Sign addendum')
  await expect(notice).toHaveCount(0)
  // The text and the card about its delivery have names of their own.
  await expect(ruth.getByRole('article', { name: 'Addendum 1', exact: true })).toContainText(
    'The findings stand.',
  )
  await expect(
    ruth.getByRole('article', { name: 'Delivery and copies: Addendum 1' }),
  ).toContainText('Signed by Ruth Okafor')
  await ruth.goto(`${stage.http}/#/`)
  await expect(ruth.getByRole('list', { name: 'What needs attention' })).toBeVisible()
  await expect(item).toHaveCount(0)
  await showAll()
  await expect(row).toBeVisible()
  await expect(row).not.toContainText('Needs addendum')
})

test('breaks no rule of its own security policy', () => {
  expect(all.complaints()).toEqual([])
})
