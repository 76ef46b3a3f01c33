import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { phantomSlice } from '#electron/simulator/phantom.ts'
import { type Archive, startArchive } from './modality.ts'
import { accessibilityFaults, complaintsOf, enterAsOwner } from './stage.ts'
import { callOf } from './stories.ts'
import { test } from './test.ts'
import { isDrawn, isEmpty, openViewerStage, paneOf, type ViewerStage } from './viewer-stage.ts'

// What a radiologist works with: whose images these are, the prior study beside, layouts of their
// own, and several windows.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const ROOT = '1.2.826.0.1.3680043.8.498.63'
const [CURRENT, PRIOR, ELSEWHERE, RADIOGRAPHS, MAMMOGRAMS, FOLLOW_UP, EMPTY] = [
  ...[1, 2, 3, 4, 5, 6, 7],
].map((number) => `${ROOT}00${number}`)
const PATIENT = {
  patientName: 'TEST^MAJA',
  patientId: 'P-6301',
  patientBirthDate: '19710503',
  patientSex: 'F',
  sliceSpacing: 5,
}
let stage: ViewerStage
let archive: Archive
let context: BrowserContext
let page: Page
const complaints: (readonly string[])[] = []

interface Sent {
  readonly studyInstanceUid: string
  readonly studyDate: string
  readonly seriesNumber: number
  readonly seriesDescription: string
  readonly slices: number
  readonly patientId?: string
  /** Further changes of each file, as dcmodify takes them. */
  readonly changes?: (number: number) => readonly string[]
}

/** Sends phantoms as a device does. */
async function send(series: readonly Sent[], to: string, port: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-layout-'))
  try {
    const files = series.flatMap(({ changes, ...one }) =>
      Array.from({ length: one.slices }, (_, index) => {
        const seriesInstanceUid = `${one.studyInstanceUid}.${one.seriesNumber}`
        const file = join(folder, `${one.studyInstanceUid}-${one.seriesNumber}-${index}.dcm`)
        const phantom = { ...PATIENT, studyDescription: 'CT Thorax', ...one, seriesInstanceUid }
        writeFileSync(file, Buffer.concat(phantomSlice(phantom, index + 1)))
        const more = changes?.(index + 1) ?? []
        if (more.length > 0) spawnSync('dcmodify', ['-nb', ...more.flatMap((c) => ['-i', c]), file])
        return file
      }),
    )
    const args = ['-aet', 'CT1', '-aec', to, '127.0.0.1', port, ...files]
    await promisify(execFile)('storescu', args, { env: { ...process.env, TCP_NODELAY: '1' } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const series = (
  studyInstanceUid: string | undefined,
  studyDate: string,
  seriesNumber: number,
  seriesDescription: string,
  slices: number,
): Sent => ({
  ...{ studyInstanceUid: studyInstanceUid ?? '', studyDate, seriesNumber },
  ...{ seriesDescription, slices },
})

/** Opens a study from the window. */
async function open(studyInstanceUid: string | undefined): Promise<void> {
  await page.goto(`${stage.http}/#/`)
  const { viewId } = await callOf(page, 'POST', '/dashboard/views', { studyInstanceUid })
  await page.goto(`${stage.http}/viewer#${viewId}`)
  await isDrawn(page)
}

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  archive = await startArchive(stage)
  await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT')
  await send(
    [
      series(CURRENT, '20261120', 1, 'Thorax 5.0', 20),
      series(CURRENT, '20261120', 2, 'Lung 1.0', 20),
      series(PRIOR, '20250920', 1, 'Thorax 5.0', 12),
    ],
    'ISTHMUS',
    stage.dimsePort,
  )
  const radiograph = (number: number, position: string): Sent => ({
    ...series(RADIOGRAPHS, '20261120', number, 'Chest', 1),
    changes: () => [
      '(0008,0060)=DX',
      '(0008,0016)=1.2.840.10008.5.1.4.1.1.1.1',
      '(0008,1030)=Chest X-ray',
      `(0018,5101)=${position}`,
    ],
  })
  const mammogram = (number: number, side: string): Sent => ({
    ...series(MAMMOGRAMS, '20261120', number, `${side} CC`, 1),
    changes: () => [
      '(0008,0060)=MG',
      '(0008,0016)=1.2.840.10008.5.1.4.1.1.1.2',
      '(0008,1030)=Mammography',
      '(0018,5101)=CC',
      `(0020,0062)=${side}`,
      '(0020,0020)=A\\F',
      // A projection has no orientation in space.
      '(0020,0037)=',
    ],
  })
  const projections = [
    radiograph(1, 'LL'),
    radiograph(2, 'PA'),
    mammogram(1, 'L'),
    mammogram(2, 'R'),
  ]
  // A prior study whose images were not kept: it has raw data only.
  const empty: Sent = {
    ...series(EMPTY, '20250301', 1, 'Thorax 5.0', 2),
    patientId: 'P-6302',
    changes: () => ['(0008,0016)=1.2.840.10008.5.1.4.1.1.66'],
  }
  const followUp: Sent = {
    ...series(FOLLOW_UP, '20261119', 1, 'Thorax 5.0', 4),
    patientId: 'P-6302',
  }
  await send([...projections, followUp, empty], 'ISTHMUS', stage.dimsePort)
  await archive.take([
    {
      ...{ studyInstanceUid: ELSEWHERE ?? '', number: 1, side: 28, studyDate: '20240110' },
      ...{ patientName: PATIENT.patientName, patientId: PATIENT.patientId },
    },
  ])
  context = await browser.newContext({ viewport: { width: 1600, height: 900 } })
  page = await context.newPage()
  complaints.push(complaintsOf(page))
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await context.close()
  await archive[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

test('puts the prior study of the same exam beside, with its date and age', async () => {
  await open(CURRENT)
  await isDrawn(page, 2)
  await expect(paneOf(page, 1)).toContainText('/20')
  await expect(paneOf(page, 2)).toContainText('Prior, 20 Sep 2025, 14 months earlier')
  await expect(paneOf(page, 2)).toContainText('/12')
  await expect(paneOf(page, 3)).toHaveCount(0)
  expect(await accessibilityFaults(page)).toEqual([])
})

test('says whose images these are, whatever is switched off, and tells tabs apart by initials', async () => {
  const patient = page.getByRole('region', { name: 'Patient of the images' })
  await expect(patient).toContainText('TEST, MAJA')
  await expect(patient).toContainText('ID P-6301')
  await expect(patient).toContainText('born 3 May 1971')
  await expect(page).toHaveTitle('TM · CT · 20 Nov 2026 · Isthmus')
  await paneOf(page).focus()
  await page.keyboard.press('o')
  await expect(paneOf(page)).not.toContainText('Zoom')
  await expect(patient).toContainText('TEST, MAJA')
  await expect(paneOf(page)).toContainText('TEST, MAJA')
  await page.keyboard.press('o')
})

test('hides the patient in an anonymous presentation, which a banner announces', async () => {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Anonymous presentation' }).click()
  await expect(page.getByText('Name, ID and birth date are hidden')).toBeVisible()
  await expect(page.locator('body')).not.toContainText('TEST')
  await expect(page.locator('body')).not.toContainText('P-6301')
  await expect(page).toHaveTitle('Images · Isthmus')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Show the patient' }).click()
  await expect(page.getByRole('region', { name: 'Patient of the images' })).toContainText(
    'TEST, MAJA',
  )
})

test('says how many images the gateway has received, and how many are ready in this window', async () => {
  await expect(page.getByText('All 52 images received')).toBeVisible()
  await expect(page.getByText(/^\d+ of 52 ready in this window$/)).toBeVisible()
})

test('keeps a layout for studies of this kind, applies it when one opens, and takes it back', async () => {
  await paneOf(page).focus()
  await page.keyboard.press('Shift+Digit3')
  await expect(paneOf(page, 4)).toBeVisible()
  await page.keyboard.press('Shift+Y')
  const side = page.getByRole('complementary', { name: 'Saved layouts' })
  await side.getByRole('button', { name: 'Save this layout…' }).click()
  await expect(side.getByLabel('Modality')).toHaveValue('CT')
  await expect(side.getByLabel('Body part or words of the description')).toHaveValue('Thorax')
  await side.getByLabel('Name').fill('My CT chest')
  expect(await accessibilityFaults(page)).toEqual([])
  await side.getByRole('button', { name: 'Save layout' }).click()
  await expect(side.getByText('My CT chest')).toBeVisible()
  await expect(side.getByText('CT · Thorax · With a prior study')).toBeVisible()
  await open(CURRENT)
  await isDrawn(page, 3)
  await expect(paneOf(page, 2)).toContainText('Prior, 20 Sep 2025')
  await expect(paneOf(page, 3)).toContainText('Lung 1.0')
  expect(await isEmpty(page, 4)).toBe(true)
  await paneOf(page).focus()
  await page.keyboard.press('Shift+U')
  await expect(paneOf(page, 2)).toHaveCount(0)
  await page.keyboard.press('Shift+Y')
  await side.getByRole('button', { name: 'Apply' }).first().click()
  await expect(paneOf(page, 4)).toBeVisible()
  await side.getByRole('button', { name: 'Delete My CT chest' }).click()
  await expect(side.getByText('My CT chest')).toHaveCount(0)
  await side.getByRole('button', { name: 'Undo delete' }).click()
  await expect(side.getByText('My CT chest')).toBeVisible()
  await side.getByRole('button', { name: 'Delete My CT chest' }).click()
  await expect(side.getByText('You have not saved a layout yet.')).toBeVisible()
  await page.keyboard.press('Escape')
})

test('hangs two radiographs beside each other, frontal first, and says which keys have no window', async () => {
  await open(RADIOGRAPHS)
  await isDrawn(page, 2)
  await expect(paneOf(page, 1)).toContainText('PA')
  await expect(paneOf(page, 2)).toContainText('LL')
  await paneOf(page).focus()
  await page.keyboard.press('5')
  await expect(page.getByText('Key 5 is not used', { exact: false })).toBeVisible()
  // The chest CT of the patient is not the same exam, so it is offered in the list only.
  await expect(page.getByText('Prior study to compare:')).toHaveCount(0)
})

test('hangs a mammography with the chest walls to the middle', async () => {
  await open(MAMMOGRAMS)
  await isDrawn(page, 2)
  await expect(paneOf(page, 1)).toContainText('R CC')
  await expect(paneOf(page, 2)).toContainText('L CC')
  const edge = (number: number, side: string) =>
    paneOf(page, number).locator(`[data-edge="${side}"]`)
  // The file has the front of the right breast on the right: it is mirrored.
  await expect(edge(1, 'right')).toHaveText('P')
  await expect(edge(2, 'left')).toHaveText('P')
})

test('says where a prior study has no images to show', async () => {
  await open(FOLLOW_UP)
  await expect(paneOf(page, 2)).toContainText('No image of the prior study can be shown.')
  await expect(paneOf(page, 2)).not.toContainText('Loading')
  await page.screenshot({ path: test.info().outputPath('no-prior-image.png') })
  expect(await accessibilityFaults(page)).toEqual([])
})

test('scrolls another window along, and goes on when that is closed', async () => {
  await open(CURRENT)
  await isDrawn(page, 2)
  const opening = context.waitForEvent('page')
  await paneOf(page).focus()
  await page.keyboard.press('Shift+N')
  const second = await opening
  complaints.push(complaintsOf(second))
  await isDrawn(second)
  // It begins with a series that the first window does not show.
  await expect(paneOf(second)).toContainText('Lung 1.0')
  await expect(page.getByText('Linked with 1 other window')).toBeVisible()
  await expect(second.getByText('Linked with 1 other window')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Series' })).toContainText('In another window')
  await paneOf(page).focus()
  await page.keyboard.press('PageDown')
  await expect(paneOf(page)).toContainText('Im 11/20')
  await expect(paneOf(second)).toContainText('Im 11/20')
  await paneOf(second).focus()
  await second.keyboard.press('ArrowUp')
  await expect(paneOf(page)).toContainText('Im 10/20')
  // How scrolling is linked is one choice for all windows.
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  await page.keyboard.press('Home')
  await expect(paneOf(page)).toContainText('Im 1/20')
  await expect(paneOf(second)).toContainText('Im 10/20')
  await page.keyboard.press('k')
  await second.close()
  await expect(page.getByText('Linked with 1 other window')).toHaveCount(0)
  await page.keyboard.press('PageDown')
  await expect(paneOf(page)).toContainText('Im 11/20')
})

test('closes further windows when the window that has opened them is locked', async () => {
  const opening = context.waitForEvent('page')
  await paneOf(page).focus()
  await page.keyboard.press('Shift+N')
  const second = await opening
  await isDrawn(second)
  const closing = second.waitForEvent('close')
  const window = await context.newPage()
  await window.goto(`${stage.http}/#/`)
  await window.evaluate(() => new BroadcastChannel('isthmus lock').postMessage('locked'))
  await closing
  await window.close()
})

test('finds a study in another archive, retrieves it and puts it beside', async () => {
  const pacs = { name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port: archive.port }
  const window = await context.newPage()
  await window.goto(`${stage.http}/#/`)
  await callOf(window, 'POST', '/dashboard/destinations', { ...pacs, hasPriors: true })
  await window.close()
  await open(CURRENT)
  await page.keyboard.press('h')
  const side = page.getByRole('complementary', { name: 'Prior studies' })
  const elsewhere = side.getByRole('region', { name: 'In other archives' })
  await expect(elsewhere).toContainText('10 Jan 2024', { timeout: 30_000 })
  await expect(elsewhere).toContainText('2 years 10 months earlier')
  expect(await accessibilityFaults(page)).toEqual([])
  await elsewhere.getByRole('button', { name: 'Retrieve and show' }).click()
  await expect(page.getByText('Prior, 10 Jan 2024, 2 years 10 months earlier').first()).toBeVisible(
    {
      timeout: 60_000,
    },
  )
})

test('complains of nothing on the console', () => {
  expect(complaints.flat()).toEqual([])
})
