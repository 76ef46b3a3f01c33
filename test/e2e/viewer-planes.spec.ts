import { expect, type Page } from '@playwright/test'
import {
  STUDY,
  segmentationFile,
  sliceFile,
  structureSetFile,
} from '../support/referencing-files.ts'
import { accessibilityFaults, complaintsOf } from './stage.ts'
import { test } from './test.ts'
import { isDrawn, openViewerStage, paneOf, pictureOf, type ViewerStage } from './viewer-stage.ts'

// Segmentations and structure sets where planes of a volume cut them.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

/** Images of 64 × 64 pixels of 1 mm, 5 mm apart. */
const SLICES = 12
const uid = (number: number) => `${STUDY}.1.${number}`
const slices = Array.from({ length: SLICES }, (_, index) =>
  sliceFile({
    ...{ sopInstanceUid: uid(index + 1), instanceNumber: index + 1, z: (index + 1) * 5 },
    value: (column, row) => 1024 - 160 + column * 4 + row * 2,
  }),
)
const LEVELS = [4, 5, 6, 7, 8]
const inBox = (from: number, to: number) => (column: number, row: number) =>
  Number(column >= from && column < to && row >= from && row < to)
const segmentation = segmentationFile({
  sopInstanceUid: `${STUDY}.3.1`,
  frames: LEVELS.map((number) => ({
    ...{ segment: 1, z: number * 5, source: uid(number) },
    value: inBox(24, 40),
  })),
})
const structures = structureSetFile(`${STUDY}.4.1`, [
  {
    number: 1,
    name: 'PTV',
    colour: '255\\0\\255',
    contours: LEVELS.map((number) => {
      const z = number * 5
      return {
        image: uid(number),
        points: [10, 10, z, 54, 10, z, 54, 54, z, 10, 54, z],
      }
    }),
  },
])

let stage: ViewerStage
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  page = await browser.newPage({ viewport: { width: 1400, height: 860 } })
  complaints = complaintsOf(page)
  stage.studies.add({
    studyInstanceUid: STUDY,
    images: [
      ...slices.map((body, index) => ({ sopInstanceUid: uid(index + 1), body })),
      { sopInstanceUid: `${STUDY}.3.1`, body: segmentation },
      { sopInstanceUid: `${STUDY}.4.1`, body: structures },
    ],
    manifest: 'none',
  })
  await page.goto(await stage.ephemeralLink(STUDY))
  await isDrawn(page)
})
test.afterAll(async () => {
  await page.close()
  await stage[Symbol.asyncDispose]()
})

const panel = (number: number) => paneOf(page, number).locator('[data-referencing] button')
async function toggle(name: RegExp): Promise<void> {
  await panel(1).click()
  const choices = page.getByRole('dialog')
  await choices.getByLabel(name).first().click()
  await page.keyboard.press('Escape')
  await expect(choices).toBeHidden()
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}
/** The place of what has a colour in a pane, in pixels of the screen. */
async function boxOf(number: number, isIt: (rgb: readonly number[]) => boolean) {
  // The legend and the lines of the crosshairs have such colours, too.
  const legend = (visibility: string) =>
    page.evaluate((visibility) => {
      for (const place of document.querySelectorAll<HTMLElement | SVGElement>(
        '[data-referencing], svg.svg-layer',
      ))
        place.style.visibility = visibility
    }, visibility)
  await legend('hidden')
  const png = await pictureOf(paneOf(page, number))
  await legend('')
  let box: Box | undefined
  for (let y = 0; y < png.height; y += 1)
    for (let x = 0; x < png.width; x += 1) {
      if (!isIt(png.at(x, y))) continue
      const { left, right, top, bottom } = box ?? { left: x, right: x, top: y, bottom: y }
      box = {
        ...{ left: Math.min(left, x), right: Math.max(right, x) },
        ...{ top: Math.min(top, y), bottom: Math.max(bottom, y) },
      }
    }
  return box
}
const isMagenta = ([red = 0, green = 0, blue = 0]: readonly number[]) =>
  red > green + 90 && blue > green + 90
const sizeOf = (box: Box | undefined) =>
  box ? [box.right - box.left + 1, box.bottom - box.top + 1] : undefined

test('contours are outlines in their own plane, and bars in the others', async () => {
  await paneOf(page).focus()
  await page.keyboard.press('m')
  for (const number of [1, 2, 3]) await isDrawn(page, number)
  await toggle(/^PLAN 1/)
  for (const number of [1, 2, 3])
    await expect(paneOf(page, number).getByLabel('Drawn on this image')).toContainText('PTV')
  await expect.poll(async () => (await boxOf(3, isMagenta)) !== undefined).toBe(true)
  const [axial, sagittal, coronal] = [
    sizeOf(await boxOf(1, isMagenta)),
    sizeOf(await boxOf(2, isMagenta)),
    sizeOf(await boxOf(3, isMagenta)),
  ]
  const ratio = ([width = 0, height = 1]: readonly number[] = []) => width / height
  // 44 mm on each side; five levels of 5 mm.
  expect(ratio(axial)).toBeCloseTo(1, 1)
  for (const other of [sagittal, coronal])
    expect(Math.abs(ratio(other) - 44 / 25)).toBeLessThan(0.12)
  expect(await accessibilityFaults(page)).toEqual([])
})

test('segments are drawn with their thickness, and follow the plane', async () => {
  await toggle(/^PLAN 1/)
  await toggle(/^LIVER/)
  const isRed = ([red = 0, green = 0, blue = 0]: readonly number[]) =>
    red > green + 40 && red > blue + 40
  await expect(paneOf(page, 2).getByLabel('Drawn on this image')).toContainText('Liver')
  const ratios = async () => {
    const found: number[] = []
    for (const number of [1, 2, 3]) {
      const [width = 0, height = 1] = sizeOf(await boxOf(number, isRed)) ?? []
      found.push(width / height)
    }
    return found
  }
  // 16 mm on each side; five frames of 5 mm.
  await expect.poll(async () => Math.abs((await ratios())[1] ?? 0) > 0.4).toBe(true)
  const [axial = 0, sagittal = 0, coronal = 0] = await ratios()
  expect(axial).toBeCloseTo(1, 1)
  for (const other of [sagittal, coronal]) expect(Math.abs(other - 16 / 25)).toBeLessThan(0.08)
  await toggle(/^PLAN 1/)
  await page.screenshot({ path: test.info().outputPath('planes.png') })
  await toggle(/^PLAN 1/)
  // The last slices have no segment.
  await paneOf(page).focus()
  await page.keyboard.press('End')
  await expect.poll(() => boxOf(1, isRed)).toBeUndefined()
  expect(complaints).toEqual([])
})
