import { expect, type Page } from '@playwright/test'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import { openDayText } from '#shared/day-text.ts'
import { sendImages } from './modality.ts'
import { enterAsOwner, go as goOn } from './stage.ts'
import {
  callOf,
  dayFromNow,
  emailOf,
  employ,
  exam,
  flip,
  listOn,
  patientIdOf,
  people,
  performStep,
  signIn,
  uidOf,
} from './stories.ts'
import { test } from './test.ts'
import { isDrawn, openViewerStage, phantomImages, type ViewerStage } from './viewer-stage.ts'

// A day at the front desk: the worklist, why an exam is not on a device, and the studies that come
// of it.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const FRIDA = {
  firstName: 'Frida',
  lastName: 'Oduya',
  clinicRole: 'Front Desk Operator',
  canManageStudies: true,
}
const SCAN = '1.2.826.0.1.3680043.8.498.61900'
const TOO_LONG = 'A-6103-OF-THE-OLD-RIS'
const planned: WorklistItem[] = [
  exam({ number: 1, patientName: 'Amberly^Rosalind', modality: 'CT' }),
  exam({ number: 2, patientName: 'Bristow^Edwina', modality: 'MR' }),
  exam({ number: 3, patientName: 'Calloway^Ines', modality: 'CT', accessionNumber: TOO_LONG }),
  exam({ number: 4, patientName: 'Dunmore^Petra', modality: 'US' }),
  exam({ number: 5, patientName: 'Ellingham^Mabel', modality: 'CT' }),
]
let stage: ViewerStage
let owner: Page
let page: Page
let all: ReturnType<typeof people>

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000)
  stage = await openViewerStage({
    'modality_worklist.requested': ({ dateStart, dateEnd, modality }) => {
      const [from, to] = [dateStart, dateEnd].map((day) => day.replaceAll('-', '')) as [
        string,
        string,
      ]
      const fits = ({ Modality, ScheduledProcedureStepSequence: [step] }: WorklistItem) => {
        const day = String(step?.ScheduledProcedureStepStartDate)
        return day >= from && day <= to && (!modality || modality === Modality)
      }
      return { authorized: true, items: planned.filter(fits) }
    },
  })
  all = people(browser)
  owner = await all.open('owner')
  await enterAsOwner(stage, owner)
  // A console's every question is asked anew, and a study is complete soon.
  const settings = { 'worklist.freshSeconds': 0, 'intake.idleSeconds': 3 }
  await callOf(owner, 'PATCH', '/dashboard/settings', { settings })
  for (const device of [
    { aeTitle: 'CT1', modality: 'CT', name: 'CT, room 1' },
    { aeTitle: 'MR1', modality: 'MR', name: 'MR, room 3' },
    { aeTitle: 'US1', modality: 'US', name: 'Ultrasound', address: '127.0.0.1' },
  ]) {
    await callOf(owner, 'POST', '/dashboard/devices', device)
  }
  await employ(owner, FRIDA)
  page = await all.open('Frida')
  await signIn(page, stage, emailOf(FRIDA))
})

test.afterAll(async () => {
  await all?.close()
  await stage?.[Symbol.asyncDispose]()
})

const go = (name: string) => goOn(page, name)
/** What a list is narrowed by: its words stand in the rows, too. */
const filters = () => page.getByRole('dialog')
const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })
const conclusion = () => page.getByTestId('conclusion')
const stop = () =>
  page
    .getByRole('list', { name: 'Checks in order' })
    .getByRole('listitem')
    .filter({ hasText: 'Stopped here' })
const done = (text: string) => page.getByRole('alert').filter({ hasText: text })

/** What can be done with an exam of the day. */
async function act(name: string, action: string): Promise<void> {
  await rowOf(name)
    .getByRole('button', { name: /^Actions for the .* exam$/ })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
}
const askWhy = (name: string) => act(name, 'Missing from the worklist?')

/** Asks once more, and the exam is on its way. */
async function isThereNow(): Promise<void> {
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(conclusion()).toContainText('The device would get this exam now')
  await expect(conclusion()).toContainText('Nothing prevents this exam from reaching the device.')
  await expect(stop()).toHaveCount(0)
}

test('goes from Today to the exams of the day', async () => {
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  await go('Worklist')
  await expect(page.getByText('This day has not been requested yet').first()).toBeVisible()
  expect(await listOn(stage, 'CT1', { modality: 'CT' })).toEqual(['A-611', 'A-615'])
  await expect(rowOf('Amberly')).toContainText('Sent to device')
  await expect(rowOf('Amberly')).toContainText('CT, room 1')
  await page.getByRole('button', { name: 'Refresh from partner' }).click()
  await expect(page.getByText('The partner was queried on behalf of 3 devices.')).toBeVisible()
  for (const name of ['Bristow', 'Dunmore', 'Ellingham']) await expect(rowOf(name)).toHaveCount(1)
  await expect(rowOf('Bristow')).toContainText('Scheduled')
})

test('prints the exams of the day by room, for a day without the network', async () => {
  const link = page.getByRole('link', { name: 'Print by room' })
  await expect(link).toHaveAttribute('target', '_blank')
  const printed = await page.request.get(
    new URL((await link.getAttribute('href')) ?? '', page.url()).href,
  )
  expect([printed.status(), printed.headers()['content-type']]).toEqual([200, 'application/pdf'])
  expect((await printed.body()).subarray(0, 5).toString()).toBe('%PDF-')
})

test('finds that the console asks for another day, and the exam is there once it asks for today', async () => {
  expect(await listOn(stage, 'MR1', { day: dayFromNow(1), modality: 'MR' })).toEqual([])
  await askWhy('Bristow')
  await expect(conclusion()).toContainText('Why the exam is missing from the worklist')
  const days = openDayText('en')
  const day = (from: number) => days(dayFromNow(from))
  await expect(conclusion()).toContainText(
    `The exam is on ${day(0)}, and the device’s query covers ${day(1)}.`,
  )
  await expect(stop()).toContainText('It fits the dates, modality and limits set for the device')
  await expect(stop()).toContainText('Select the day at the device')
  expect(await listOn(stage, 'MR1', { modality: 'MR' })).toEqual(['A-612'])
  await isThereNow()
  await go('Worklist')
  await expect(rowOf('Bristow')).toContainText('Sent to device')
})

test('finds that the console calls itself otherwise, and the exam is there once the device has that AE title', async () => {
  expect(await listOn(stage, 'USROOM2')).toEqual([])
  await askWhy('Dunmore')
  await expect(conclusion()).toContainText('Ultrasound has never connected')
  await expect(stop()).toContainText(
    'An unknown device with the AE title USROOM2 tried to connect from this device’s address, 127.0.0.1',
  )
  await expect(stop()).toContainText('Correct the AE title or the device’s address under Devices')

  // A front desk does not change devices: the owner does.
  await goOn(owner, 'Devices')
  await expect(owner.getByRole('form', { name: /USROOM2/ })).toBeVisible()
  await owner.getByRole('button', { name: 'Edit Ultrasound' }).click()
  const form = owner.getByRole('dialog')
  await form.getByRole('textbox', { name: 'AE title' }).fill('USROOM2')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toHaveCount(0)
  await expect(owner.getByRole('form', { name: /USROOM2/ })).toHaveCount(0)

  expect(await listOn(stage, 'USROOM2', { modality: 'US' })).toEqual(['A-614'])
  await isThereNow()
})

test('finds that an exam is withheld for its accession number, and it is there once the partner has mended it', async () => {
  await go('Worklist')
  await expect(rowOf('Calloway')).toContainText('Withheld')
  await expect(rowOf('Calloway')).toContainText('Accession Number is longer than 16 characters')
  await page.getByRole('radiogroup', { name: 'Which exams' }).getByText('Withheld 1').click()
  await expect(rowOf('Amberly')).toHaveCount(0)
  await expect(page.getByText('4 hidden by filters')).toBeVisible()
  await askWhy('Calloway')
  await expect(conclusion()).toContainText('The exam is withheld from all devices')
  await expect(stop()).toContainText('Have it corrected in the partner’s system')
  planned[2] = exam({ number: 3, patientName: 'Calloway^Ines', modality: 'CT' })
  expect(await listOn(stage, 'CT1', { modality: 'CT' })).toEqual(['A-611', 'A-613', 'A-615'])
  await isThereNow()
  await go('Worklist')
  await expect(rowOf('Calloway')).toContainText('Sent to device')
})

test('sees an exam go by itself from handed out to in progress, images and completed', async () => {
  await expect(rowOf('Amberly')).toContainText('Sent to device')
  const step = await performStep(stage, 1)
  await expect(rowOf('Amberly')).toContainText('In progress')
  const image = {
    studyInstanceUid: uidOf(1),
    patientName: 'Amberly^Rosalind',
    patientId: patientIdOf(1),
    accessionNumber: 'A-611',
  }
  await sendImages(
    stage,
    'CT1',
    [1, 2].map((number) => ({ ...image, number })),
  )
  await expect(rowOf('Amberly')).toContainText('2 images')
  await step.complete([1, 2])
  await expect(rowOf('Amberly')).toContainText('Completed')
  expect(await listOn(stage, 'CT1', { modality: 'CT' })).toEqual(['A-613', 'A-615'])
})

test('marks an exam as done, takes it back by the notification, and again by the keyboard', async () => {
  for (const undo of [
    () => done('marked as done').getByRole('button', { name: 'Undo' }).click(),
    () => page.keyboard.press('Alt+z'),
  ]) {
    await act('Ellingham', 'Mark as done or cancelled…')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Did not come')
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as done' }).click()
    await expect(rowOf('Ellingham')).toContainText('Marked as done')
    // While a dialog is open, the keys are its own.
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await undo()
    await expect(rowOf('Ellingham')).toContainText('Sent to device')
  }
  await act('Ellingham', 'Mark as done or cancelled…')
  await page.getByRole('dialog').getByRole('button', { name: 'Mark as done' }).click()
  await expect(rowOf('Ellingham')).toContainText('Marked as done')
  await act('Ellingham', 'Reopen exam')
  await expect(rowOf('Ellingham')).toContainText('Sent to device')
})

test('finds a study by part of a name as it is typed, and corrects the patient', async () => {
  for (const [number, patientName, severity] of [
    [1, 'Quillfeather^Ansgard', 'normal'],
    [2, 'Tanaka^Ichika=田中^一花', 'high'],
    [3, 'Vandermolen^Wilma', 'stat'],
  ] as const) {
    const body = {
      studyInstanceUid: `${SCAN}${number}`,
      studyDescription: 'CT thorax with contrast',
      severity,
    }
    await stage.v1('POST', 'scribe/studies', {
      ...body,
      reportMetadata: { patientName, mrn: `MRN-9${number}`, sex: 'female' },
    })
  }
  await go('Studies')
  await expect(rowOf('Quillfeather')).toBeVisible()
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.pressSequentially('illfea')
  await expect(rowOf('Tanaka')).toHaveCount(0)
  await expect(rowOf('Quillfeather')).toBeVisible()
  expect(page.url()).not.toContain('illfea')
  await search.fill('ans quill')
  await expect(rowOf('Quillfeather')).toBeVisible()
  await rowOf('Quillfeather').getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('CT thorax with contrast')

  await page.getByRole('button', { name: 'Edit…' }).click()
  const form = page.getByRole('dialog', { name: 'Edit study' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Quillfeather^Ansgar')
  await form.getByLabel('Date of birth').fill('1958-01-01')
  await form.getByRole('textbox', { name: 'Height' }).fill('tall')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('Enter a number of 0 or more')).toBeVisible()
  await expect(form.getByRole('textbox', { name: 'Height' })).toBeFocused()
  // What was typed is not lost by leaving.
  await page.keyboard.press('Escape')
  await form.getByRole('button', { name: 'Close', exact: true }).click()
  const asked = page.getByRole('dialog', { name: 'Discard changes?' })
  await asked.getByRole('button', { name: 'Keep editing' }).click()
  await form.getByRole('textbox', { name: 'Height' }).fill('182')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toHaveCount(0)
  await expect(page.getByText('Ansgard')).toHaveCount(0)
  await expect(page.getByRole('main')).toContainText('1 Jan 1958')
  await expect(page.getByRole('main')).toContainText('182 cm')
})

test('cancels the study, and takes it back', async () => {
  await page.getByRole('button', { name: 'Cancel study' }).click()
  await expect(page.getByText('This study is cancelled')).toBeVisible()
  await done('The study was cancelled.').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('This study is cancelled')).toHaveCount(0)
  await expect(done('The study was reinstated.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cancel study' })).toBeVisible()
})

test('makes a study in each area', async () => {
  await go('Studies')
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await page.getByRole('button', { name: 'New study' }).click()
  const form = page.getByRole('dialog', { name: /^New study for/ })
  await form.getByRole('button', { name: 'Create study' }).click()
  await expect(form.getByRole('textbox', { name: 'Study Instance UID' })).toHaveAttribute(
    'aria-invalid',
    'true',
  )
  await form.getByRole('button', { name: 'Generate' }).click()
  await form.getByRole('textbox', { name: 'Description' }).fill('MR knee right')
  await form.getByRole('textbox', { name: 'Name' }).fill('Osei^Abena')
  await form.getByRole('button', { name: 'Create study' }).click()
  await expect(page.getByText('The study was created.')).toBeVisible()
  await go('Studies')
  await expect(rowOf('Osei')).toContainText('MR knee right')

  await page.getByRole('radiogroup', { name: 'Study area' }).getByText('For viewing').click()
  await page.getByRole('button', { name: 'New study' }).click()
  await form.getByRole('textbox', { name: 'Study Instance UID' }).fill(`${SCAN}7`)
  await form.getByRole('textbox', { name: 'Description' }).fill('CT phantom')
  await form.getByRole('button', { name: 'Create study' }).click()
  await expect(page.getByText('The study was created.').last()).toBeVisible()
  await go('Studies')
  await page.getByRole('radiogroup', { name: 'Study area' }).getByText('For viewing').click()
  await expect(rowOf('CT phantom')).toBeVisible()
})

test('makes a link that opens the viewer in another browser, once', async () => {
  const phantom = {
    studyInstanceUid: `${SCAN}7`,
    seriesInstanceUid: `${SCAN}7.2`,
    slices: 3,
    patientName: 'PHANTOM^CT',
    patientId: 'P-6170',
  }
  stage.studies.add({ studyInstanceUid: `${SCAN}7`, images: phantomImages(phantom) })
  await rowOf('CT phantom').dblclick()
  await page.getByRole('button', { name: 'Create link' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the link now' })
  const link = (await shown.locator('pre').textContent()) ?? ''
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  const guest = await all.open('guest')
  await guest.goto(link)
  await isDrawn(guest)
  await guest.goto(link)
  await expect(guest.getByText(/already|once/i).first()).toBeVisible()
  await expect(page.getByRole('main')).toContainText('Link created')
})

test('assigns a study to somebody else in the list, by a key and on the study itself', async () => {
  await go('Studies')
  // The column gives way to the preview on a narrow screen.
  await page.setViewportSize({ width: 1720, height: 900 })
  const tanaka = rowOf('Tanaka')
  await tanaka.getByRole('button', { name: /^unassigned: assign/ }).click()
  await page.getByRole('menuitem', { name: 'Olga Berg' }).click()
  await expect(tanaka).toContainText('Olga Berg')
  await rowOf('Osei').click()
  // The palette does what the key does.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill('assign to another')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: /^Assign/ })
  await dialog.getByRole('combobox', { name: 'Assign to' }).fill('berg')
  await expect(page.getByRole('option')).toHaveText(['Olga Berg'])
  await page.getByRole('option').click()
  await expect(dialog).toHaveCount(0)
  await expect(rowOf('Osei')).toContainText('Olga Berg')
  await tanaka.getByRole('link').first().click()
  await page.getByRole('button', { name: /^Olga Berg: assign/ }).click()
  await page.getByRole('menuitem', { name: 'Unassign' }).click()
  await expect(page.getByRole('button', { name: /^unassigned: assign/ })).toBeVisible()
  // Who manages studies finds a person’s studies by the name.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill('olga')
  await page.getByRole('option', { name: /Olga Berg.*Studies assigned to this user/ }).click()
  await expect(page.getByRole('status', { name: 'Active filters' })).toContainText('Olga Berg')
  await expect(rowOf('Tanaka')).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear filters' }).click()
})

test('keeps a view, shares it, and somebody else finds it with the same studies', async () => {
  await go('Studies')
  const views = page.getByRole('navigation', { name: 'Views' })
  await views.getByRole('link', { name: /^All/ }).click()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await filters().getByText('STAT', { exact: true }).click()
  await filters().getByText('High', { exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(rowOf('Quillfeather')).toHaveCount(0)
  await page.getByRole('button', { name: 'Save view…' }).click()
  const form = page.getByRole('dialog', { name: 'Save this view' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Urgent ones')
  await flip(form, 'Share this view')
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(views.getByRole('link', { name: /^Urgent ones/ })).toHaveAttribute(
    'aria-current',
    'page',
  )

  await goOn(owner, 'Studies')
  await owner
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: /^Urgent ones/ })
    .click()
  const rows = owner.getByRole('row')
  await expect(rows.filter({ hasText: 'Vandermolen' })).toBeVisible()
  await expect(rows.filter({ hasText: 'Tanaka' })).toBeVisible()
  await expect(rows.filter({ hasText: 'Quillfeather' })).toHaveCount(0)
})

test('says how many studies the filters hide, takes them away one by one, and hands the list on by its address', async () => {
  const chips = page.getByRole('status', { name: 'Active filters' })
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await filters().getByText('unassigned', { exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(chips).toContainText('2 studies')
  await expect(chips).toContainText(/[1-9]\d* hidden by filters/)
  await chips
    .getByRole('button', { name: 'Remove: High, STAT' })
    .or(chips.getByRole('button', { name: 'Remove: STAT, High' }))
    .click()
  await expect(rowOf('Quillfeather')).toBeVisible()
  await page.goBack()
  await expect(rowOf('Quillfeather')).toHaveCount(0)

  const address = page.url()
  expect(address).toContain('severity')
  await owner.goto(address)
  await expect(owner.getByRole('status', { name: 'Active filters' })).toContainText('Unassigned')
  await expect(owner.getByRole('row').filter({ hasText: 'Vandermolen' })).toBeVisible()
  await expect(owner.getByRole('row').filter({ hasText: 'Quillfeather' })).toHaveCount(0)

  await chips.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rowOf('Quillfeather')).toBeVisible()
  await expect(chips).not.toContainText('hidden by filters')
})

test('complained of nothing', () => {
  expect(all.complaints()).toEqual([])
})
