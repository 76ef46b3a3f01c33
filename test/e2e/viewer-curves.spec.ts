import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { test } from './test.ts'
import {
  greyAt,
  isDrawn,
  openViewerStage,
  paneOf,
  pictureOf,
  type ViewerStage,
} from './viewer-stage.ts'

// Brightness on the screen of images with VOI look-up tables, of MONOCHROME1 and of PET, against
// DCMTK's; and the shape of pixels.

test.describe.configure({ mode: 'serial', timeout: 60_000 })
const SIDE = 64
/** pydicom's sample of 64 × 64 with other elements, and the way DCMTK is told to draw it. */
const MAKE = `
import pydicom, struct, sys
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence
SOURCE = '/usr/lib/python3/dist-packages/pydicom/data/test_files/MR_small.dcm'
def write(name, change):
    ds = pydicom.dcmread(SOURCE)
    change(ds)
    ds.save_as(sys.argv[1] + '/' + name + '.dcm')
def curve(ds):
    pixels = struct.unpack('<4096h', ds.PixelData)
    item, count = Dataset(), max(pixels) - min(pixels) + 1
    item.add_new(0x00283002, 'SS', [count, min(pixels), 12])
    item.LUTExplanation = 'NORMAL'
    item.add_new(0x00283006, 'OW', b''.join(struct.pack('<H', int(4095 * (n / (count - 1)) ** 0.5)) for n in range(count)))
    ds.VOILUTSequence = Sequence([item])
def negative(ds): ds.PhotometricInterpretation = 'MONOCHROME1'
def pet(ds): ds.Modality, ds.Units, ds.RescaleSlope, ds.RescaleIntercept = 'PT', 'BQML', '2.5', '0'
def aspect(ds):
    del ds.PixelSpacing
    ds.PixelAspectRatio = ['2', '1']
def spacing(ds): ds.PixelSpacing = [2, 1]
write('curve', curve)
write('negative-curve', lambda ds: (curve(ds), negative(ds)))
write('negative', negative)
write('pet', pet)
write('aspect', aspect)
write('spacing', spacing)
`
let stage: ViewerStage
let folder: string
// One page for all: it loads the viewer's code once.
let page: Page

test.beforeAll(async ({ browser }) => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-curves-'))
  execFileSync('/usr/bin/python3', ['-c', MAKE, folder])
  stage = await openViewerStage()
  page = await browser.newPage({ viewport: { width: 900, height: 700 } })
})
test.afterAll(async () => {
  await page.close()
  await stage[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function open(name: string): Promise<void> {
  const body = readFileSync(join(folder, `${name}.dcm`))
  const sopInstanceUid = '1.3.6.1.4.1.5962.1.1.4.1.1.20040826185059.5457'
  stage.studies.add({
    studyInstanceUid: name,
    images: [{ sopInstanceUid, body }],
    manifest: 'none',
  })
  await page.goto(await stage.ephemeralLink(name))
  await isDrawn(page)
  await paneOf(page).focus()
}

/** Greys at the middles of the image's pixels, without its margin, which has letters on it. */
async function shown(): Promise<number[]> {
  const png = await pictureOf(paneOf(page))
  const side = Math.min(png.width, png.height)
  const place = (size: number, n: number) =>
    ((size - side) / 2 + ((n + 0.5) * side) / SIDE - 0.5) / (size - 1)
  return inner((column, row) => greyAt(png, place(png.width, column), place(png.height, row)))
}
function byDcmtk(name: string, how: string): number[] {
  const out = join(folder, `${name}.pgm`)
  spawnSync('dcmj2pnm', ['+op', how, '1', join(folder, `${name}.dcm`), out])
  const pixels = readFileSync(out).subarray(-SIDE * SIDE)
  return inner((column, row) => pixels[row * SIDE + column] ?? 0)
}
const MARGIN = 8
const inner = (at: (column: number, row: number) => number) =>
  Array.from({ length: (SIDE - 2 * MARGIN) ** 2 }, (_, n) =>
    at((n % (SIDE - 2 * MARGIN)) + MARGIN, Math.floor(n / (SIDE - 2 * MARGIN)) + MARGIN),
  )
const difference = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, grey, n) => sum + Math.abs(grey - (other[n] ?? 0)), 0) / one.length

for (const [name, how] of [
  ['curve', '+Wl'],
  ['negative-curve', '+Wl'],
  ['negative', '+Wi'],
  ['pet', '+Wi'],
] as const) {
  test(`${name} is as bright as DCMTK draws it, and inverts`, async () => {
    await open(name)
    if (how === '+Wl') await expect(paneOf(page)).toContainText('NORMAL')
    await page.keyboard.press('o')
    await expect.poll(async () => difference(await shown(), byDcmtk(name, how))).toBeLessThan(2)
    const before = await shown()
    await page.keyboard.press('i')
    await expect
      .poll(async () =>
        difference(
          await shown(),
          before.map((grey) => 255 - grey),
        ),
      )
      .toBeLessThan(1)
    await page.keyboard.press('i')
    await expect.poll(async () => difference(await shown(), before)).toBeLessThan(1)
    if (how !== '+Wl') return
    // The second preset is the file's window: a straight line.
    await page.keyboard.press('2')
    await expect.poll(async () => difference(await shown(), before)).toBeGreaterThan(10)
    await page.keyboard.press('1')
    await expect.poll(async () => difference(await shown(), before)).toBeLessThan(1)
  })
}

for (const name of ['aspect', 'spacing']) {
  test(`pixels twice as high as wide are drawn so, known by their ${name}`, async () => {
    await open(name)
    const png = await pictureOf(paneOf(page))
    expect(greyAt(png, 0.2, 0.5)).toBe(0)
    expect(greyAt(png, 0.8, 0.5)).toBe(0)
    expect(greyAt(png, 0.35, 0.5)).toBeGreaterThan(20)
  })
}
