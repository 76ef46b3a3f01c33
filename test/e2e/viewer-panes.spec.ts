import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { type PhantomSeries, phantomSlice, phantomSopUid } from '#electron/simulator/phantom.ts'
import { complaintsOf } from './stage.ts'
import { test } from './test.ts'
import {
  greyAt,
  isDrawn,
  isShown,
  openViewerStage,
  paneOf,
  phantomImages,
  pictureOf,
  type ViewerStage,
} from './viewer-stage.ts'

// What panes do among one another and when their size changes.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.63001'
const PRIOR = '1.2.826.0.1.3680043.8.498.63002'
const AXIAL: PhantomSeries = {
  ...{ patientName: 'TEST^MAJA', patientId: 'P-6301', studyInstanceUid: STUDY },
  ...{ seriesInstanceUid: `${STUDY}.2`, slices: 24, sliceSpacing: 5 },
}
const SAGITTAL: PhantomSeries = {
  ...AXIAL,
  ...{ seriesInstanceUid: `${STUDY}.3`, seriesNumber: 3, slices: 4 },
  seriesDescription: 'Sagittal',
}
/** Half of the distance between slices, and a frame of reference of its own. */
const EARLIER: PhantomSeries = {
  ...AXIAL,
  ...{ studyInstanceUid: PRIOR, seriesInstanceUid: `${PRIOR}.2`, slices: 48, sliceSpacing: 2.5 },
  studyDate: '20250102',
}
let stage: ViewerStage
let context: BrowserContext
let page: Page
let complaints: readonly string[]

/** The same slices, said to lie in sagittal planes. */
const sagittal = (series: PhantomSeries, number: number): Buffer => {
  const text = Buffer.concat(phantomSlice(series, number)).toString('latin1')
  return Buffer.from(text.replace('1\\0\\0\\0\\1\\0 ', '0\\1\\0\\0\\0\\-1'), 'latin1')
}

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  const crossing = Array.from({ length: SAGITTAL.slices }, (_, index) => ({
    sopInstanceUid: phantomSopUid(SAGITTAL, index + 1),
    body: sagittal(SAGITTAL, index + 1),
  }))
  stage.studies.add({ studyInstanceUid: STUDY, images: [...phantomImages(AXIAL), ...crossing] })
  await storePrior()
  const prior = await addStudy(PRIOR)
  await addStudy(STUDY, { priorStudyIds: [prior] })
  context = await browser.newContext({ viewport: { width: 1080, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  const { url } = await stage.v1('POST', 'scribe/studies/viewer-only-reroute-url', {
    studyInstanceUid: STUDY,
  })
  await page.goto(String(url))
  await isDrawn(page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

async function addStudy(studyInstanceUid: string, more: object = {}): Promise<string> {
  const body = {
    ...{ studyInstanceUid, studyDescription: 'CT thorax', severity: 'normal' },
    reportMetadata: {
      ...{ patientName: 'TEST^MAJA', dateOfBirth: '1971-05-03', sex: 'female', mrn: 'P-6301' },
    },
    ...more,
  }
  return String((await stage.v1('POST', 'scribe/studies', body)).studyId)
}

/** The earlier study has come from a device. */
async function storePrior(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-panes-'))
  try {
    const files = Array.from({ length: EARLIER.slices }, (_, index) => {
      const file = join(folder, `${index}.dcm`)
      writeFileSync(file, Buffer.concat(phantomSlice(EARLIER, index + 1)))
      return file
    })
    await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT')
    const args = ['-aet', 'CT1', '-aec', 'ISTHMUS', '127.0.0.1', stage.dimsePort, ...files]
    await promisify(execFile)('storescu', args, { env: { ...process.env, TCP_NODELAY: '1' } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const zoomOf = async (number = 1) =>
  Number(/Zoom (\d+)%/.exec((await paneOf(page, number).textContent()) ?? '')?.[1])

/** How far the body reaches into the columns at the left and right edge of the pane, in greys. */
async function greysAtSides(): Promise<readonly number[]> {
  const png = await pictureOf(paneOf(page))
  // The middle of the phantom's table side: soft tissue there would be a body that is cut off.
  return [0.012, 0.988].map((x) => greyAt(png, x, 0.42))
}

test('fits the image again when a list beside it opens and closes', async () => {
  const before = await zoomOf()
  expect(before).toBeGreaterThan(50)
  await paneOf(page).focus()
  await page.keyboard.press('Shift+L')
  await expect(page.getByRole('complementary')).toBeVisible()
  await expect.poll(() => zoomOf()).toBeLessThan(before)
  expect(Math.max(...(await greysAtSides()))).toBeLessThan(40)
  await page.keyboard.press('Escape')
  await expect.poll(() => zoomOf()).toBe(before)
})

test('fits it again after a rotation too', async () => {
  const before = await zoomOf()
  await paneOf(page).focus()
  await page.keyboard.press('r')
  await page.keyboard.press('Shift+L')
  await expect.poll(() => zoomOf()).toBeLessThan(before)
  await expect(paneOf(page)).toContainText('R')
  await page.keyboard.press('Escape')
  await expect.poll(() => zoomOf()).toBe(before)
  await page.keyboard.press('u')
})

test('keeps a zoom that somebody has chosen', async () => {
  await paneOf(page).focus()
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  const chosen = await zoomOf()
  await page.keyboard.press('Shift+L')
  await expect(page.getByRole('complementary')).toBeVisible()
  await expect.poll(() => zoomOf()).toBe(chosen)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('complementary')).toHaveCount(0)
  await expect.poll(() => zoomOf()).toBe(chosen)
  await page.keyboard.press('0')
  await expect.poll(() => zoomOf()).toBeLessThan(chosen)
})

const linesIn = (number: number) =>
  page.locator(`section[data-pane="pane-${number}"] svg line`).count()

test('draws the plane of the active pane as a line in a series of the same frame of reference', async () => {
  await page.keyboard.press('Shift+Digit2')
  await paneOf(page, 2).focus()
  await page.locator(`[data-series="${SAGITTAL.seriesInstanceUid}"]`).getByRole('button').click()
  await expect(paneOf(page, 2)).toContainText('Sagittal')
  await isDrawn(page, 2)
  await paneOf(page).focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => linesIn(2)).toBeGreaterThan(0)
  await page.keyboard.press('n')
  await expect.poll(() => linesIn(2)).toBe(0)
  await page.keyboard.press('n')
  await expect.poll(() => linesIn(2)).toBeGreaterThan(0)
  await page.keyboard.press('Home')
})

test('scrolls a prior of another frame of reference by as many millimetres', async () => {
  await paneOf(page).focus()
  for (let slice = 0; slice < 4; slice += 1) await page.keyboard.press('ArrowDown')
  await expect(paneOf(page)).toContainText('Im 5/24')
  await paneOf(page, 2).focus()
  await page.locator(`[data-series="${EARLIER.seriesInstanceUid}"]`).getByRole('button').click()
  await expect(paneOf(page, 2)).toContainText('Prior')
  await isDrawn(page, 2)
  await expect(paneOf(page, 2)).toContainText('Im 1/48')
  // 25 mm from the first image, as the active pane: five slices of 5 mm, ten of 2.5 mm.
  await paneOf(page).focus()
  await page.keyboard.press('ArrowDown')
  await expect(paneOf(page)).toContainText('Im 6/24')
  await expect(paneOf(page, 2)).toContainText('Im 11/48')
  // The prior pulls the current study along as well.
  await paneOf(page, 2).focus()
  await page.keyboard.press('End')
  await isShown(page, 2)
  await expect(paneOf(page, 2)).toContainText('Im 48/48')
  await expect(paneOf(page)).toContainText('Im 24/24')
  // Its planes lie somewhere else in space, as far as anybody knows: no lines.
  expect(await linesIn(1)).toBe(0)
})

test('links from where the panes stand when linking is switched on', async () => {
  // Position, number of images, off.
  await paneOf(page, 2).focus()
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  await page.keyboard.press('Home')
  await expect(paneOf(page, 2)).toContainText('Im 1/48')
  await expect(paneOf(page)).toContainText('Im 24/24')
  await paneOf(page).focus()
  for (let slice = 0; slice < 10; slice += 1) await page.keyboard.press('ArrowUp')
  await expect(paneOf(page)).toContainText('Im 14/24')
  await expect(paneOf(page, 2)).toContainText('Im 1/48')
  await page.keyboard.press('k')
  await page.keyboard.press('ArrowDown')
  await expect(paneOf(page)).toContainText('Im 15/24')
  await expect(paneOf(page, 2)).toContainText('Im 3/48')
})

test('complains of nothing on the console', () => {
  expect(complaints).toEqual([])
})
