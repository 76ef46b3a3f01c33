import { type BrowserContext, expect, type Page } from '@playwright/test'
import { blockImages } from '../support/block-images.ts'
import { accessibilityFaults, complaintsOf } from './stage.ts'
import { test } from './test.ts'
import {
  isDrawn,
  openViewerStage,
  paneOf,
  pictureOf,
  pixelAt,
  plainness,
  type ViewerStage,
  valueAt,
} from './viewer-stage.ts'

// Slabs of planes against the values that the test computes from the pixels it made, and volumes
// seen from outside.

test.describe.configure({ mode: 'serial', timeout: 180_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.64001'
const SLICES = 16
const SPACING = 2
/** Blocks of 8 × 8 pixels, of one value each that differs from slice to slice. */
const block = (column: number, row: number, slice: number) =>
  20 + (((column >> 3) * 37 + (row >> 3) * 61 + slice * 83) % 211)
/** A ball of bone in air, at the patient's left. */
const ball = (column: number, row: number, slice: number) =>
  Math.hypot(column - 48, row - 32, (slice - 8) * SPACING) < 9 ? 900 : -1000
let stage: ViewerStage
let context: BrowserContext
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  const series = { studyInstanceUid: STUDY, slices: SLICES, spacing: SPACING }
  const blocks = { ...series, number: 2, description: 'Blocks', value: block }
  const balls = { ...series, number: 3, description: 'Ball', value: ball }
  stage.studies.add({
    studyInstanceUid: STUDY,
    images: [
      ...blockImages({ ...blocks, window: [128, 256] }),
      ...blockImages({ ...balls, window: [0, 2000] }),
    ],
  })
  await stage.addStudy(STUDY)
  context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await page.goto(await stage.link(STUDY))
  await isDrawn(page)
  await expect(page.getByText(`All ${2 * SLICES} images received`)).toBeVisible({ timeout: 60_000 })
  await paneOf(page).focus()
  await page.keyboard.press('m')
  await isDrawn(page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

/** Middles of blocks that no line of the crosshairs crosses, and no text. */
const PLACES = [
  [20, 20],
  [44, 20],
  [20, 44],
  [44, 44],
  [28, 20],
] as const

async function choose(...items: readonly string[]): Promise<void> {
  for (const item of items) {
    await page.getByRole('button', { name: 'Slab thickness' }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
}

/** The slice, from 0, whose values are on the screen. */
async function sliceShown(): Promise<number> {
  const values: unknown[] = []
  for (const [column, row] of PLACES) values.push(await valueAt(page, column, row))
  return Array.from({ length: SLICES }, (_, slice) => slice).findIndex((slice) =>
    PLACES.every(([column, row], at) => block(column, row, slice) === values[at]),
  )
}

/** Grey in the middle of a block: the mean of a few pixels, which differ by where rays begin. */
async function greysShown(): Promise<number[]> {
  const places = []
  for (const [column, row] of PLACES) places.push(await pixelAt(page, column, row))
  const box = await paneOf(page).boundingBox()
  const png = await pictureOf(paneOf(page))
  return places.map((place) => {
    let sum = 0
    for (let y = -4; y <= 4; y += 1)
      for (let x = -4; x <= 4; x += 1) {
        const [red] = png.at(
          Math.round((place?.x ?? 0) - (box?.x ?? 0)) + x,
          Math.round((place?.y ?? 0) - (box?.y ?? 0)) + y,
        )
        sum += red
      }
    return sum / 81
  })
}

const greatestDifference = (one: readonly number[], other: readonly number[]) =>
  Math.max(...one.map((value, at) => Math.abs(value - (other[at] ?? Number.NaN))))

/** A window of 128 ± 128 shows a value as nearly the same grey (PS3.3 C.11.2.1.2.1). */
const greyOf = (value: number) => ((value - 127.5) / 255 + 0.5) * 255

/** Values of slices whose middle lies within so many millimetres of the one that is shown. */
const around = (slice: number, column: number, row: number, millimetres: number) =>
  Array.from({ length: SLICES }, (_, other) => other)
    .filter((other) => Math.abs(other - slice) * SPACING <= millimetres)
    .map((other) => block(column, row, other))

const HOW = {
  'Maximum intensity (MIP)': (values: readonly number[]) => Math.max(...values),
  'Minimum intensity (MinIP)': (values: readonly number[]) => Math.min(...values),
  Average: (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length,
} as const

let slice: number

test('shows a single slice first, as it is', async () => {
  // Nearest pixels, so that no value is mixed of two.
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: /^Smooth/ }).click()
  slice = await sliceShown()
  expect(slice).toBeGreaterThan(4)
  const expected = PLACES.map(([column, row]) => greyOf(block(column, row, slice)))
  await expect.poll(async () => greatestDifference(await greysShown(), expected)).toBeLessThan(3)
})

for (const [name, of] of Object.entries(HOW)) {
  test(`shows a slab of 10 mm: ${name}`, async () => {
    await choose(name, '10 mm')
    await expect(paneOf(page)).toContainText(/(MIP|MinIP|Average) 10 mm/)
    // Five slices: two on each side, 4 mm away; a third reaches 5 mm with none of its volume.
    const values = PLACES.map(([column, row]) => of(around(slice, column, row, 4)))
    await expect
      .poll(async () => greatestDifference(await greysShown(), values.map(greyOf)), {
        timeout: 30_000,
      })
      .toBeLessThan(name === 'Average' ? 6 : 3)
    for (const [at, [column, row]] of PLACES.entries())
      expect(Math.abs(Number(await valueAt(page, column, row)) - (values[at] ?? 0))).toBeLessThan(
        name === 'Average' ? 4 : 0.01,
      )
  })
}

test('scrolls a slab from slice to slice', async () => {
  await choose('Maximum intensity (MIP)')
  await paneOf(page).focus()
  await page.keyboard.press('ArrowDown')
  await choose('Single slice')
  await expect.poll(async () => Math.abs((await sliceShown()) - slice)).toBe(1)
  await page.keyboard.press('ArrowUp')
  await expect.poll(sliceShown).toBe(slice)
})

test('shows a maximum also where it interpolates', async () => {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: /^Smooth/ }).click()
  await choose('Maximum intensity (MIP)', '10 mm')
  const lowest: number[] = []
  const highest: number[] = []
  for (const [column, row] of PLACES) {
    const inside = Math.max(...around(slice, column, row, 4))
    // The slab ends half-way to the third slice, whose half counts there.
    const ends = [-1, 1].map(
      (way) => (block(column, row, slice + 2 * way) + block(column, row, slice + 3 * way)) / 2,
    )
    highest.push(greyOf(Math.max(inside, ...ends)))
    // Rays are sampled four times a slice: an eighth of a step from the nearest voxel at most.
    lowest.push(greyOf(inside) - 211 / 8)
  }
  await expect
    .poll(async () => {
      const greys = await greysShown()
      return greys.every(
        (grey, at) => grey > (lowest[at] ?? 0) - 2 && grey < (highest[at] ?? 0) + 3,
      )
    })
    .toBe(true)
  await choose('Single slice')
})

test('changes the slab by key', async () => {
  await paneOf(page).focus()
  await page.keyboard.press('Shift+S')
  await expect(paneOf(page)).toContainText('MIP 10 mm')
  await page.keyboard.press('Shift+S')
  await expect(paneOf(page)).toContainText('MinIP 10 mm')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Shift+S')
  await page.keyboard.press('Shift+S')
  await expect(paneOf(page)).not.toContainText('10 mm')
})

/** Bright pixels in the left and the right half of the picture of a pane. */
async function brightHalves(number: number): Promise<readonly [left: number, right: number]> {
  const png = await pictureOf(paneOf(page, number))
  const halves: [number, number] = [0, 0]
  for (let y = Math.floor(png.height * 0.25); y < png.height * 0.75; y += 2)
    for (let x = Math.floor(png.width * 0.15); x < png.width * 0.85; x += 2) {
      const [red, green, blue] = png.at(x, y)
      if (Math.max(red, green, blue) > 60) halves[x < png.width / 2 ? 0 : 1] += 1
    }
  return halves
}

test('renders a volume from the front, with the patient’s left on the right', async () => {
  await page.keyboard.press('Escape')
  await page.locator(`[data-series="${STUDY}.3"]`).getByRole('button').click()
  await expect(paneOf(page)).toContainText('Ball')
  await isDrawn(page).catch(() => undefined)
  await paneOf(page).focus()
  await page.keyboard.press('Shift+V')
  const volume = paneOf(page, 4)
  await expect(volume).toContainText('3D rendering')
  await expect
    .poll(async () => (await brightHalves(4))[1], { timeout: 60_000 })
    .toBeGreaterThan(100)
  const [left, right] = await brightHalves(4)
  expect(left).toBeLessThan(right / 10)
  await expect(volume.locator('[data-edge="right"]')).toHaveText(/^L/)
  await expect(volume.locator('[data-edge="top"]')).toHaveText(/^H/)
  expect(await accessibilityFaults(page)).toEqual([])
})

test('turns the volume by dragging', async () => {
  const box = await paneOf(page, 4).boundingBox()
  if (!box) throw new Error('no pane')
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width * 0.3, y)
  await page.mouse.down()
  for (let step = 1; step <= 10; step += 1)
    await page.mouse.move(box.x + box.width * (0.3 + step * 0.04), y)
  await page.mouse.up()
  await expect(paneOf(page, 4).locator('[data-edge="right"]')).not.toHaveText(/^L$/)
  await page.keyboard.press('u')
  await expect(paneOf(page, 4).locator('[data-edge="right"]')).toHaveText(/^L/)
})

test('colours the volume by presets', async () => {
  await paneOf(page, 4).focus()
  await expect(paneOf(page, 4)).toContainText('Bone')
  const before = await pictureOf(paneOf(page, 4))
  await page.getByRole('button', { name: '3D presets' }).click()
  await page.getByRole('menuitem', { name: /^Soft tissue/ }).click()
  await expect(paneOf(page, 4)).toContainText('Soft tissue')
  await expect
    .poll(async () => {
      const after = await pictureOf(paneOf(page, 4))
      let different = 0
      for (let y = 0; y < after.height; y += 4)
        for (let x = 0; x < after.width; x += 4)
          if (after.at(x, y).some((part, at) => Math.abs(part - (before.at(x, y)[at] ?? 0)) > 12))
            different += 1
      return different
    })
    .toBeGreaterThan(20)
  await page.keyboard.press('Shift+V')
  await expect(paneOf(page, 4)).toHaveCount(0)
  expect(plainness(await pictureOf(paneOf(page)))).toBeLessThan(1)
})

test('complains of nothing on the console', () => {
  expect(complaints).toEqual([])
})
