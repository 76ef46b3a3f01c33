import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { NamedValues } from '#server/dicom/data-set/named-data-set.ts'
import {
  floats,
  longs,
  presentationFile,
  referenceTo,
  STUDY,
  segmentationFile,
  shorts,
  sliceFile,
  structureSetFile,
} from '../support/referencing-files.ts'
import { test } from './test.ts'
import {
  greyAt,
  isDrawn,
  openViewerStage,
  paneOf,
  pictureOf,
  type ViewerStage,
} from './viewer-stage.ts'

// Presentation states, segmentations and structure sets on the images that they refer to, and on no
// other ones. Brightness, rotation and flip are compared with DCMTK's rendering.

test.describe.configure({ mode: 'serial', timeout: 90_000 })
const SIDE = 64
const uid = (number: number) => `${STUDY}.1.${number}`
/** A ramp in both directions, so that every turn of it is another picture. */
const value = (column: number, row: number) => 1024 - 160 + column * 4 + row * 2

/** Three slices, and one of the same place in another frame of reference. */
const slices = [1, 2, 3].map((number) =>
  sliceFile({ sopInstanceUid: uid(number), instanceNumber: number, z: number * 5, value }),
)
const OTHER = `${STUDY}.9.1`
const other = sliceFile({
  sopInstanceUid: OTHER,
  seriesInstanceUid: `${STUDY}.9`,
  z: 5,
  value,
  frameOfReferenceUid: `${STUDY}.99`,
  more: { SeriesNumber: '9', SeriesDescription: 'Other place' },
})

const window = { SoftcopyVOILUTSequence: [{ WindowCenter: '32', WindowWidth: '384' }] }
const STATES: Readonly<Record<string, NamedValues>> = {
  WINDOW: window,
  TURNED: { ...window, ImageRotation: 90, ImageHorizontalFlip: 'N' },
  FLIPPED: { ...window, ImageRotation: 270, ImageHorizontalFlip: 'Y' },
  INVERSE: { ...window, PresentationLUTShape: 'INVERSE' },
  CURVE: {
    SoftcopyVOILUTSequence: [
      {
        VOILUTSequence: [
          {
            LUTDescriptor: shorts(400, -160, 12),
            LUTData: shorts(
              ...Array.from({ length: 400 }, (_, n) => Math.round(4095 * (n / 399) ** 2)),
            ),
          },
        ],
      },
    ],
  },
}
const DRAWN: NamedValues = {
  ...window,
  ShutterShape: 'CIRCULAR',
  CenterOfCircularShutter: '32\\32',
  RadiusOfCircularShutter: '28',
  ShutterPresentationValue: 0,
  GraphicLayerSequence: [
    {
      GraphicLayer: 'MARKS',
      GraphicLayerOrder: '1',
      // L* 88, a* -79, b* 81: green.
      GraphicLayerRecommendedDisplayCIELabValue: shorts(57_525, 12_536, 53_714),
    },
  ],
  GraphicAnnotationSequence: [
    {
      ReferencedImageSequence: [referenceTo(uid(1))],
      GraphicLayer: 'MARKS',
      GraphicObjectSequence: [
        graphic('POLYLINE', [16, 16, 48, 16]),
        graphic('CIRCLE', [32, 32, 32, 40]),
        { ...graphic('POLYLINE', [0.25, 0.75, 0.75, 0.75]), GraphicAnnotationUnits: 'DISPLAY' },
      ],
      TextObjectSequence: [
        {
          BoundingBoxAnnotationUnits: 'PIXEL',
          UnformattedTextValue: 'Lesion',
          BoundingBoxTopLeftHandCorner: floats(20, 20),
          BoundingBoxBottomRightHandCorner: floats(44, 25),
          BoundingBoxTextHorizontalJustification: 'CENTER',
        },
      ],
    },
  ],
}
function graphic(type: string, data: number[]): NamedValues {
  return {
    GraphicAnnotationUnits: 'PIXEL',
    GraphicDimensions: 2,
    NumberOfGraphicPoints: data.length / 2,
    GraphicData: floats(...data),
    GraphicType: type,
    GraphicFilled: 'N',
  }
}
const inBox =
  (left: number, top: number, right: number, bottom: number) => (column: number, row: number) =>
    Number(column >= left && column < right && row >= top && row < bottom)
/** Overlay planes of the state: bits from a column and a row on. */
const plane = (group: number, isSet: (column: number, row: number) => number, layer?: string) => {
  const element = (number: number, vr: string, bytes: Buffer) => ({
    tag: group * 0x10000 + number,
    vr,
    value: bytes,
  })
  const bits = Buffer.alloc((SIDE * SIDE) / 8)
  for (let n = 0; n < SIDE * SIDE; n++)
    if (isSet(n % SIDE, Math.floor(n / SIDE))) bits[n >> 3] = (bits[n >> 3] ?? 0) | (1 << (n & 7))
  return [
    element(0x10, 'US', shorts(SIDE)),
    element(0x11, 'US', shorts(SIDE)),
    element(0x40, 'CS', Buffer.from('G ')),
    element(0x50, 'SS', shorts(1, 1)),
    element(0x100, 'US', shorts(1)),
    element(0x102, 'US', shorts(0)),
    ...(layer === undefined ? [] : [element(0x1001, 'CS', Buffer.from(layer))]),
    element(0x3000, 'OW', bits),
  ]
}
const PLANES: NamedValues = {
  ...window,
  ShutterShape: 'BITMAP',
  ShutterOverlayGroup: 0x6002,
  ShutterPresentationValue: 0,
  GraphicLayerSequence: DRAWN.GraphicLayerSequence,
}
/** The middle quarter of the image. */
const AREA: NamedValues = {
  ...window,
  DisplayedAreaSelectionSequence: [
    {
      DisplayedAreaTopLeftHandCorner: longs(17, 17),
      DisplayedAreaBottomRightHandCorner: longs(48, 48),
      PresentationSizeMode: 'SCALE TO FIT',
      PresentationPixelAspectRatio: '1\\1',
    },
  ],
}
const stateFile = (label: string, values: NamedValues, index: number) =>
  presentationFile(
    `${STUDY}.2.${index}`,
    [uid(1), uid(2)],
    { ContentLabel: label, ...values },
    label === 'PLANES'
      ? [...plane(0x6000, inBox(10, 10, 20, 20), 'MARKS '), ...plane(0x6002, inBox(40, 0, 64, 64))]
      : [],
  )
const states = Object.entries({ ...STATES, DRAWN, PLANES, AREA }).map(([label, values], index) => ({
  label,
  sopInstanceUid: `${STUDY}.2.${index}`,
  body: stateFile(label, values, index),
}))
const segmentation = segmentationFile({
  sopInstanceUid: `${STUDY}.3.1`,
  frames: [
    { segment: 1, z: 5, source: uid(1), value: inBox(8, 8, 24, 24) },
    { segment: 2, z: 5, source: uid(1), value: inBox(40, 40, 56, 56) },
    { segment: 1, z: 10, value: inBox(24, 8, 40, 24) },
  ],
})
const structures = structureSetFile(`${STUDY}.4.1`, [
  {
    number: 1,
    name: 'PTV',
    colour: '255\\0\\255',
    // Centres of pixels: columns and rows 10 to 50.
    contours: [{ image: uid(1), points: [10, 10, 5, 50, 10, 5, 50, 50, 5, 10, 50, 5] }],
  },
])
/** Fractions on the third slice, in a box of their own. */
const fractions = (number: number, label: string, left: number, level: number) =>
  segmentationFile({
    sopInstanceUid: `${STUDY}.3.${number}`,
    type: 'FRACTIONAL',
    frames: [
      {
        segment: 1,
        z: 15,
        source: uid(3),
        value: (column, row) => level * inBox(left, 40, left + 16, 56)(column, row),
      },
    ],
    values: { ContentLabel: label },
  })
const deflated = segmentationFile({
  sopInstanceUid: `${STUDY}.3.5`,
  frames: [{ segment: 1, z: 15, source: uid(3), value: inBox(8, 8, 24, 24) }],
  values: { ContentLabel: 'DEFLATED' },
  transferSyntaxUid: '1.2.840.10008.1.2.1.99',
})
/** As DCMTK compresses it. */
function compressed(command: string, file: Buffer): Buffer {
  const [before, after] = [join(folder, 'before.dcm'), join(folder, 'after.dcm')]
  writeFileSync(before, file)
  execFileSync(command, [before, after])
  return readFileSync(after)
}
/** It names the slice of another frame of reference. */
const wrong = segmentationFile({
  sopInstanceUid: `${STUDY}.3.2`,
  frames: [{ segment: 1, z: 5, source: OTHER, value: () => 1 }],
  values: { ContentLabel: 'WRONG' },
})

let stage: ViewerStage
let folder: string
let page: Page

test.beforeAll(async ({ browser }) => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-referencing-'))
  stage = await openViewerStage()
  page = await browser.newPage({ viewport: { width: 1400, height: 760 } })
  stage.studies.add({
    studyInstanceUid: STUDY,
    images: [
      ...slices.map((body, index) => ({ sopInstanceUid: uid(index + 1), body })),
      { sopInstanceUid: OTHER, body: other },
      ...states,
      { sopInstanceUid: `${STUDY}.3.1`, body: segmentation },
      { sopInstanceUid: `${STUDY}.3.2`, body: wrong },
      {
        sopInstanceUid: `${STUDY}.3.3`,
        body: compressed('dcmcrle', fractions(3, 'RLE', 8, 255)),
      },
      {
        sopInstanceUid: `${STUDY}.3.4`,
        body: compressed('dcmcjpls', fractions(4, 'JPEG-LS', 40, 128)),
      },
      { sopInstanceUid: `${STUDY}.3.5`, body: deflated },
      { sopInstanceUid: `${STUDY}.4.1`, body: structures },
    ],
    manifest: 'none',
  })
})
test.afterAll(async () => {
  await page.close()
  await stage[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function open(): Promise<void> {
  await page.goto(await stage.ephemeralLink(STUDY))
  await isDrawn(page)
  await paneOf(page).focus()
  await page.keyboard.press('o')
}
const button = () => paneOf(page).locator('[data-referencing] button')
async function choose(name: string | RegExp): Promise<void> {
  await button().click()
  const choices = page.getByRole('dialog')
  await choices.getByLabel(name).first().click()
  await page.keyboard.press('Escape')
  await expect(choices).toBeHidden()
}

/** Place of a column and a row of the image in the pane, each from 0 to 1. */
function placeOf({ width, height }: { readonly width: number; readonly height: number }) {
  const side = Math.min(width, height)
  const along = (size: number, n: number) =>
    ((size - side) / 2 + (n * side) / SIDE - 0.5) / (size - 1)
  return (column: number, row: number) => [along(width, column), along(height, row)] as const
}
const MARGIN = 6
const inner = (at: (column: number, row: number) => number) =>
  Array.from({ length: (SIDE - 2 * MARGIN) ** 2 }, (_, n) =>
    at((n % (SIDE - 2 * MARGIN)) + MARGIN, Math.floor(n / (SIDE - 2 * MARGIN)) + MARGIN),
  )
/** Greys at the middles of the image's pixels. */
async function shown(): Promise<number[]> {
  const png = await pictureOf(paneOf(page))
  const place = placeOf(png)
  return inner((column, row) => greyAt(png, ...place(column + 0.5, row + 0.5)))
}
/** Red, green and blue at a column and a row of the image, as fractions. */
async function colourAt(column: number, row: number): Promise<readonly [number, number, number]> {
  const png = await pictureOf(paneOf(page))
  const [x, y] = placeOf(png)(column, row)
  const [red, green, blue] = png.at(
    Math.round(x * (png.width - 1)),
    Math.round(y * (png.height - 1)),
  )
  return [red, green, blue]
}
const saturation = ([red, green, blue]: readonly [number, number, number]) =>
  Math.max(red, green, blue) - Math.min(red, green, blue)
const isColoured = async (column: number, row: number) =>
  saturation(await colourAt(column, row)) > 40

function byDcmtk(label: string): number[] {
  const [image, state, out] = ['i.dcm', 'p.dcm', 'o.pgm'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(image, slices[0] as Buffer)
  writeFileSync(state, states.find((one) => one.label === label)?.body as Buffer)
  execFileSync('dcmp2pgm', ['-q', '-p', state, image, out])
  const pixels = readFileSync(out).subarray(-SIDE * SIDE)
  return inner((column, row) => pixels[row * SIDE + column] ?? 0)
}
const difference = (one: readonly number[], two: readonly number[]) =>
  one.reduce((sum, grey, n) => sum + Math.abs(grey - (two[n] ?? 0)), 0) / one.length

test('a presentation state is offered by its label and creator, and shown as DCMTK renders it', async () => {
  await open()
  const asSent = await shown()
  for (const label of Object.keys(STATES)) {
    await choose(new RegExp(`^${label}.*Rosa`))
    await expect(button()).toHaveText(`Presentation: ${label} · Reader, Rosa`)
    await expect
      .poll(async () => difference(await shown(), byDcmtk(label)), { message: label })
      .toBeLessThan(3)
  }
  await choose(/^As sent/)
  await expect.poll(async () => difference(await shown(), asSent)).toBeLessThan(1)
})

test('graphics, texts and shutters are drawn where the state says, and follow the image', async () => {
  await choose(/^DRAWN/)
  await expect(button()).toHaveText('Presentation: DRAWN · Reader, Rosa')
  await expect.poll(() => isColoured(20, 16)).toBe(true)
  // The circle, and the line in fractions of the displayed area.
  expect(await isColoured(24, 32)).toBe(true)
  expect(await isColoured(32, 48)).toBe(true)
  expect(await isColoured(14, 12)).toBe(false)
  expect(await isColoured(32, 36)).toBe(false)
  // The shutter hides the corner of the image.
  expect(await colourAt(4, 60)).toEqual([0, 0, 0])
  // Turned by a person: what was at the top is at the right.
  await paneOf(page).focus()
  await page.keyboard.press('r')
  await expect.poll(() => isColoured(48, 20)).toBe(true)
  expect(await isColoured(20, 16)).toBe(false)
})

test('overlay planes are drawn that the state activates, and a bitmap shutter hides', async () => {
  await paneOf(page).focus()
  await choose(/^As sent/)
  await choose(/^PLANES/)
  await expect.poll(() => isColoured(15, 15)).toBe(true)
  expect(await isColoured(25, 15)).toBe(false)
  await expect.poll(() => colourAt(50, 30)).toEqual([0, 0, 0])
  await choose(/^DRAWN/)
})

test('the displayed area of a state fills the pane', async () => {
  await paneOf(page).focus()
  await choose(/^AREA/)
  const expected = (column: number, row: number) => ((column * 4 + row * 2) / 383) * 255
  const shownAt = async (column: number, row: number) => {
    const png = await pictureOf(paneOf(page))
    const side = Math.min(png.width, png.height)
    const along = (size: number, n: number) => ((size - side) / 2 + ((n - 16) * side) / 32) / size
    return greyAt(png, along(png.width, column + 0.5), along(png.height, row + 0.5))
  }
  for (const [column, row] of [
    [18, 30],
    [32, 20],
    [45, 44],
  ] as const)
    await expect
      .poll(async () => Math.abs((await shownAt(column, row)) - expected(column, row)))
      .toBeLessThan(4)
  await choose(/^DRAWN/)
})

test('a presentation state is not applied to an image that it does not name', async () => {
  await paneOf(page).focus()
  await page.keyboard.press('End')
  await expect(paneOf(page)).toContainText('DRAWN is not for this image, which is shown as sent.')
  await expect.poll(() => isColoured(20, 16)).toBe(false)
  await expect(button()).toHaveText('As sent')
  await page.keyboard.press('Home')
  await expect(button()).toHaveText('Presentation: DRAWN · Reader, Rosa')
  await expect.poll(() => isColoured(20, 16)).toBe(true)
  await choose(/^As sent/)
  await expect.poll(() => isColoured(20, 16)).toBe(false)
})

test('segments are drawn in their colours on their slices, with a legend that is kept', async () => {
  await choose(/^LIVER/)
  await expect(paneOf(page).getByLabel('Drawn on this image')).toContainText('Liver')
  await expect.poll(() => isColoured(16, 16)).toBe(true)
  const [red, green] = await colourAt(16, 16)
  expect(red).toBeGreaterThan(green + 40)
  const [otherRed, otherGreen] = await colourAt(48, 48)
  expect(otherGreen).toBeGreaterThan(otherRed + 40)
  expect(await isColoured(30, 16)).toBe(false)
  // The next slice has the first segment alone, at another place.
  await paneOf(page).focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => isColoured(30, 16)).toBe(true)
  expect(await isColoured(16, 16)).toBe(false)
  expect(await isColoured(48, 48)).toBe(false)
  await expect(paneOf(page).getByLabel('Drawn on this image')).not.toContainText('Lesion')
  await page.keyboard.press('ArrowDown')
  await expect(paneOf(page).getByLabel('Drawn on this image')).toHaveCount(0)
  expect(await isColoured(30, 16)).toBe(false)
  await page.keyboard.press('Home')
  await expect.poll(() => isColoured(16, 16)).toBe(true)
  // One segment is hidden, the other stays.
  await choose(/^Liver/)
  await expect.poll(() => isColoured(16, 16)).toBe(false)
  expect(await isColoured(48, 48)).toBe(true)
  await choose(/^Liver/)
  await choose(/^LIVER/)
  await expect.poll(() => isColoured(48, 48)).toBe(false)
})

test('compressed segmentations are drawn, fractions the fainter the smaller they are', async () => {
  for (const label of [/^RLE/, /^JPEG-LS/, /^DEFLATED/]) await choose(label)
  await paneOf(page).focus()
  await page.keyboard.press('End')
  for (const [column, row] of [
    [16, 48],
    [48, 48],
    [16, 16],
  ] as const)
    await expect.poll(() => isColoured(column, row)).toBe(true)
  expect(await isColoured(30, 48)).toBe(false)
  // Of one: red covers half of the grey; of a half: a quarter.
  const [full, half] = [await colourAt(16, 48), await colourAt(48, 48)]
  expect(full[0] - full[2]).toBeGreaterThan(half[0] - half[2] + 30)
  for (const label of [/^RLE/, /^JPEG-LS/, /^DEFLATED/]) await choose(label)
  await paneOf(page).focus()
  await page.keyboard.press('Home')
})

test('contours are outlines at their place in the patient', async () => {
  await choose(/^PLAN 1/)
  // The place of a point is the middle of a pixel.
  await expect.poll(() => isColoured(30, 10.5)).toBe(true)
  const [red, green, blue] = await colourAt(50.5, 30)
  expect(Math.min(red, blue)).toBeGreaterThan(green + 60)
  expect(await isColoured(30, 30)).toBe(false)
  await paneOf(page).focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => isColoured(30, 10.5)).toBe(false)
  await page.keyboard.press('Home')
  await expect.poll(() => isColoured(30, 10.5)).toBe(true)
})

test('nothing is drawn on images of another frame of reference, and the reason is given', async () => {
  await page
    .getByRole('button', { name: /Other place/ })
    .first()
    .dblclick()
  await expect(paneOf(page)).toHaveAttribute('aria-label', /Other place/)
  await button().click()
  const choices = page.getByRole('dialog')
  const wrongChoice = choices.getByLabel(/^WRONG/)
  await expect(wrongChoice).toBeDisabled()
  await expect(choices).toContainText('has another frame of reference')
  await expect(choices.getByLabel(/^(PLAN 1|LIVER|DRAWN)/)).toHaveCount(0)
  await expect(choices).toContainText('13 more are for other images.')
  await page.keyboard.press('Escape')
  for (const [column, row] of [
    [30, 10.5],
    [50.5, 30],
    [16, 16],
  ] as const)
    expect(await isColoured(column, row)).toBe(false)
})
