import { type BrowserContext, expect, type Page } from '@playwright/test'
import { accessibilityFaults, complaintsOf } from './stage.ts'
import { test } from './test.ts'
import {
  drag,
  isDrawn,
  openViewerStage,
  paneOf,
  phantomImages,
  type ViewerStage,
} from './viewer-stage.ts'

// Drawings and key images that are saved to the study outlive the link they were made with.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.62101'
const CT = {
  ...{ patientName: 'TEST^MAJA', patientId: 'P-6202', studyInstanceUid: STUDY },
  ...{ seriesInstanceUid: `${STUDY}.2`, slices: 12, sliceSpacing: 5 },
}
let stage: ViewerStage
let context: BrowserContext
let page: Page
const complaints: (readonly string[])[] = []

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  stage.studies.add({ studyInstanceUid: STUDY, images: phantomImages(CT) })
  await stage.addStudy(STUDY)
  context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await newPage()
  await page.goto(await stage.link(STUDY))
  await isDrawn(page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

async function newPage(): Promise<Page> {
  const made = await context.newPage()
  complaints.push(complaintsOf(made))
  return made
}

const sideOf = (on: Page) => on.getByRole('complementary', { name: 'Measurements and drawings' })
/** Points of what is drawn on the image, in pixels of the screen. */
const drawnOn = (on: Page) =>
  on.evaluate(() =>
    [...document.querySelectorAll('svg.svg-layer line')].map((line) =>
      ['x1', 'y1', 'x2', 'y2'].map((name) => Math.round(Number(line.getAttribute(name)))),
    ),
  )
let drawn: number[][]

test('says that drawings of a link are lost, and saves them to the study', async () => {
  await page.keyboard.press('Home')
  await drag(page, 'l', [0.4, 0.4], [0.6, 0.45])
  await drag(page, 'e', [0.45, 0.55], [0.55, 0.65])
  await drag(page, 't', [0.3, 0.3], [0.35, 0.25])
  const dialog = page.getByRole('dialog', { name: 'Text of the drawing' })
  await dialog.getByLabel('Text').fill('Granuloma')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await paneOf(page).focus()
  await page.keyboard.press('Shift+K')
  await expect(paneOf(page).getByText('Key image')).toBeVisible()
  await page.keyboard.press('Shift+L')
  const side = sideOf(page)
  await expect(side).toContainText('are lost when it ends')
  await expect(side).toContainText('4 changes are not saved to the study')
  await expect(page.getByText('they are lost when this view ends').first()).toBeAttached()
  await side.getByLabel(/^Description of/).fill('Nodule')
  expect(await accessibilityFaults(page)).toEqual([])
  await side.getByRole('button', { name: 'Save to study' }).click()
  await expect(side).toContainText('Saved to the study: 4 items. Version 1')
  await expect(page.getByText('Drawings saved to the study').first()).toBeAttached()
  await expect(side.getByText('Not saved to the study')).toHaveCount(0)
  drawn = await drawnOn(page)
  expect(drawn.length).toBeGreaterThan(1)
  await page.close()
})

test('shows them again with another link, at the same place, and lets nobody remove them', async () => {
  page = await newPage()
  await page.goto(await stage.link(STUDY))
  await isDrawn(page)
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+L')
  const side = sideOf(page)
  await expect(side).toContainText('Granuloma')
  await expect(side).toContainText('mm')
  await expect(side.getByLabel(/^Description of/)).toHaveValue('Nodule')
  await expect(paneOf(page).getByText('Key image')).toBeVisible()
  await expect(side.getByRole('button', { name: /^Remove Granuloma/ })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect
    .poll(async () => {
      const now = await drawnOn(page)
      return drawn.every((line) =>
        now.some((other) => line.every((value, at) => Math.abs(value - (other[at] ?? 0)) <= 1)),
      )
    })
    .toBe(true)
  // What was read again is the same drawing.
  await expect(side.getByText('Not saved to the study')).toHaveCount(0)
  await expect(side.getByText('not saved to the study')).toHaveCount(0)
  expect(complaints.flat()).toEqual([])
})

test('draws them once where the saved presentation state is chosen', async () => {
  const referencing = paneOf(page).locator('[data-referencing] button')
  await referencing.click()
  await page.getByRole('radio', { name: /^ISTHMUS/ }).check()
  await page.keyboard.press('Escape')
  await expect(referencing).toContainText('ISTHMUS')
  await expect.poll(async () => (await drawnOn(page)).length).toBeGreaterThan(1)
  const pixels = () =>
    page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-scene]')
      const { data = [] } =
        canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {}
      return data.filter((value, at) => at % 4 === 3 && value > 0).length
    })
  expect(await pixels()).toBe(0)
  expect(complaints.flat()).toEqual([])
})

test('saves what was drawn in a plane with the image on which it lies', async () => {
  await page.keyboard.press('Escape')
  await paneOf(page).focus()
  await page.keyboard.press('m')
  for (const number of [1, 2, 3]) await isDrawn(page, number)
  const side = sideOf(page)
  if (!(await side.isVisible())) await page.keyboard.press('Shift+L')
  await drag(page, 'l', [0.35, 0.35], [0.6, 0.4])
  await expect(side).toContainText('1 change is not saved to the study')
  // A coronal plane lies across the images.
  await drag(page, 'l', [0.4, 0.4], [0.6, 0.6], 3)
  await expect(side).toContainText('lies on no image and cannot be saved')
  await page.screenshot({ path: test.info().outputPath('in-planes.png') })
  await side.getByRole('button', { name: 'Save to study' }).click()
  await expect(side).toContainText('Saved to the study: 5 items. Version 2')
  await expect(side).not.toContainText('not saved to the study')
  await page.close()
  page = await newPage()
  await page.goto(await stage.link(STUDY))
  await isDrawn(page)
  await page.keyboard.press('Shift+L')
  await expect(sideOf(page)).toContainText('Version 2')
  await expect(sideOf(page).getByRole('button', { name: /^Go to Length/ })).toHaveCount(2)
  expect(complaints.flat()).toEqual([])
})
