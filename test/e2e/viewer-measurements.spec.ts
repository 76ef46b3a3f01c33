import { type BrowserContext, expect, type Page } from '@playwright/test'
import { blockImages, SIDE } from '../support/block-images.ts'
import { complaintsOf } from './stage.ts'
import { test } from './test.ts'
import { isDrawn, isShown, openViewerStage, paneOf, type ViewerStage } from './viewer-stage.ts'

// What drawings measure, against what the test computes from the pixels it made.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.65001'
/** Different in every pixel of an area. */
const value = (column: number, row: number) => 7 * column - 5 * row + ((column * row) % 11) - 40
let stage: ViewerStage
let context: BrowserContext
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  const images = blockImages({
    ...{ studyInstanceUid: STUDY, number: 2, description: 'Slope', slices: 3, spacing: 2 },
    ...{ window: [100, 600], value },
  })
  stage.studies.add({ studyInstanceUid: STUDY, images })
  await stage.addStudy(STUDY)
  context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await page.goto(await stage.link(STUDY))
  await isDrawn(page)
  await paneOf(page).focus()
  await page.keyboard.press('Shift+L')
  await isShown(page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

/**
 * Drags with a tool from one place of the image to another, in pixels from its corner: 10 is the
 * left edge of the column 10. The image fills the smaller side of its pane.
 */
async function draw(
  key: string,
  from: readonly [column: number, row: number],
  to: readonly [column: number, row: number],
): Promise<void> {
  await paneOf(page).focus()
  await page.keyboard.press(key)
  // The tool is given to the mouse with the next picture of the page.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  )
  const box = await page.getByTestId('image-pane-1').boundingBox()
  if (!box) throw new Error('no pane')
  const side = Math.min(box.width, box.height)
  const at = ([column, row]: readonly [number, number]) =>
    [
      box.x + (box.width - side) / 2 + (column / SIDE) * side,
      box.y + (box.height - side) / 2 + (row / SIDE) * side,
    ] as const
  await page.mouse.move(...at(from))
  await page.mouse.down()
  await page.mouse.move(...at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]), { steps: 4 })
  await page.mouse.move(...at(to), { steps: 4 })
  await page.mouse.up()
}

const list = () => page.getByRole('complementary', { name: 'Measurements and drawings' })
/** A number that the list says, such as that of `Mean: 12.3 HU`. */
async function measured(name: string): Promise<number> {
  const found = new RegExp(`${name}: (-?[\\d.]+)`).exec((await list().textContent()) ?? '')
  return Number(found?.[1])
}

async function clear(): Promise<void> {
  await page.getByRole('button', { name: 'Remove all on this image' }).click()
  await expect(list()).toContainText('Nothing is drawn yet')
}

function statisticsOf(inside: (column: number, row: number) => boolean) {
  const values = Array.from({ length: SIDE * SIDE }, (_, at) => [at % SIDE, Math.floor(at / SIDE)])
    .filter(([column = 0, row = 0]) => inside(column, row))
    .map(([column = 0, row = 0]) => value(column, row))
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  return {
    ...{ mean, deviation: Math.sqrt(squares / values.length) },
    ...{ least: Math.min(...values), greatest: Math.max(...values) },
  }
}

test('says mean, deviation, least and greatest value of the pixels in a rectangle', async () => {
  await draw('q', [10, 12], [30, 36])
  await expect(list()).toContainText('Mean')
  const { mean, deviation, least, greatest } = statisticsOf(
    (column, row) => column >= 10 && column < 30 && row >= 12 && row < 36,
  )
  await expect.poll(() => measured('Mean')).toBeCloseTo(mean, 1)
  expect(await measured('SD')).toBeCloseTo(deviation, 1)
  expect(await measured('Min')).toBe(least)
  expect(await measured('Max')).toBe(greatest)
  expect(Math.abs((await measured('Area')) - 20 * 24)).toBeLessThan(0.03 * 20 * 24)
  await expect(list()).toContainText(`Max: ${greatest} HU`)
  await expect(list()).toContainText('mm²')
  // The same beside the drawing.
  await expect(page.locator('section[data-pane="pane-1"] svg')).toContainText(`Max: ${greatest} HU`)
  await clear()
})

test('says them of an ellipse', async () => {
  await draw('e', [32, 32], [44, 40])
  await expect(list()).toContainText('Mean')
  const area = Math.PI * 12 * 8
  await expect.poll(async () => Math.abs((await measured('Area')) - area)).toBeLessThan(0.04 * area)
  const { mean, deviation } = statisticsOf(
    (column, row) => ((column - 31.5) / 12) ** 2 + ((row - 31.5) / 8) ** 2 <= 1,
  )
  // Which pixels at its edge count is the tool's.
  expect(Math.abs((await measured('Mean')) - mean)).toBeLessThan(2)
  expect(Math.abs((await measured('SD')) - deviation)).toBeLessThan(3)
  await clear()
})

test('measures a long axis and the short one across it', async () => {
  await draw('Shift+A', [12, 40], [42, 40])
  await expect(list()).toContainText('Long axis')
  expect(Math.abs((await measured('Long axis')) - 30)).toBeLessThan(0.3)
  // It begins as two thirds of the long one, until somebody moves it.
  expect(Math.abs((await measured('Short axis')) - 20)).toBeLessThan(0.3)
  await expect(page.locator('section[data-pane="pane-1"] svg')).toContainText('Long axis')
  await expect(page.getByText('they are lost when this view ends').first()).toBeAttached()
  await page.reload()
  await isDrawn(page)
  await page.keyboard.press('Shift+L')
  await expect(list()).toContainText('Long and short axis')
  await expect.poll(() => measured('Long axis')).toBeGreaterThan(29)
  await clear()
})

test('complains of nothing on the console', () => {
  expect(complaints).toEqual([])
})
