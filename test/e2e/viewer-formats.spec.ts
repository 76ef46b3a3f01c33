import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { lackingOf, PYDICOM_SAMPLES } from '../support/needs.ts'
import { type SampleValue, sampleValues } from '../support/sample-values.ts'
import { samples } from '../support/samples.ts'
import { complaintsOf } from './stage.ts'
import { test } from './test.ts'
import {
  entryOf,
  entryOfStudy,
  isShown,
  openViewerStage,
  paneOf,
  pictureOf,
  plainness,
  type ViewerStage,
  valueAt,
} from './viewer-stage.ts'

// Every transfer syntax and kind of pixels of pydicom's sample files renders, or says why not;
// values under the probe are pydicom's.

const FOLDER = PYDICOM_SAMPLES

/**
 * renders: it has an image that is not plain; plain: an image of one colour, or hardly more; else
 * what the page says of it.
 */
type Outcome = 'renders' | 'plain' | RegExp
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  // Implicit and Explicit VR Little Endian, Big Endian, deflated.
  'CT_small.dcm': 'renders',
  'MR_small.dcm': 'renders',
  'MR_small_implicit.dcm': 'renders',
  'MR_small_bigendian.dcm': 'renders',
  'MR_small_expb.dcm': 'renders',
  'MR_small_padded.dcm': 'renders',
  'ExplVR_BigEnd.dcm': 'plain',
  'image_dfl.dcm': 'renders',
  'rtdose.dcm': 'renders',
  'rtdose_1frame.dcm': 'renders',
  'rtdose_expb.dcm': 'renders',
  'rtdose_expb_1frame.dcm': 'renders',
  'SC_rgb_jpeg_dcmd.dcm': 'renders',
  'SC_rgb_small_odd.dcm': 'renders',
  'SC_ybr_full_422_uncompressed.dcm': 'renders',
  // RLE.
  'MR_small_RLE.dcm': 'renders',
  'SC_rgb_rle.dcm': 'renders',
  'SC_rgb_rle_2frame.dcm': 'renders',
  'SC_rgb_rle_16bit.dcm': 'renders',
  'SC_rgb_rle_16bit_2frame.dcm': 'renders',
  'SC_rgb_rle_32bit.dcm': 'renders',
  'SC_rgb_rle_32bit_2frame.dcm': 'renders',
  'rtdose_rle.dcm': 'renders',
  'rtdose_rle_1frame.dcm': 'renders',
  // JPEG Baseline, Extended, Lossless.
  'SC_rgb_jpeg.dcm': 'renders',
  'SC_rgb_jpeg_app14_dcmd.dcm': 'renders',
  'SC_rgb_jpeg_dcmtk.dcm': 'renders',
  'SC_rgb_jpeg_gdcm.dcm': 'renders',
  'SC_rgb_jpeg_lossy_gdcm.dcm': 'renders',
  'SC_rgb_small_odd_jpeg.dcm': 'renders',
  'SC_jpeg_no_color_transform.dcm': 'renders',
  'SC_jpeg_no_color_transform_2.dcm': 'renders',
  'SC_rgb_dcmtk_+eb+cr.dcm': 'renders',
  'SC_rgb_dcmtk_+eb+cy+n1.dcm': 'renders',
  'SC_rgb_dcmtk_+eb+cy+n2.dcm': 'renders',
  'SC_rgb_dcmtk_+eb+cy+np.dcm': 'renders',
  'SC_rgb_dcmtk_+eb+cy+s2.dcm': 'renders',
  'SC_rgb_dcmtk_+eb+cy+s4.dcm': 'renders',
  'JPGExtended.dcm': 'renders',
  'JPEG-lossy.dcm': 'renders',
  // JPEG-LS, JPEG 2000.
  'MR_small_jpeg_ls_lossless.dcm': 'renders',
  'MR_small_jp2klossless.dcm': 'renders',
  '693_J2KI.dcm': 'renders',
  'J2K_pixelrep_mismatch.dcm': 'renders',
  'GDCMJ2K_TextGBR.dcm': 'renders',
  'JPEG2000.dcm': 'renders',
  // The width in its stream is overwritten by a delimiter.
  'JPEG2000-embedded-sequence-delimiter.dcm': /cannot be shown: .*not of the size/,
  'SC_rgb_gdcm_KY.dcm': 'renders',
  // Bad files.
  'MR_truncated.dcm': /cannot be shown: It ends within its pixel data/,
  'badVR.dcm': 'renders',
  // No images to show: segmentations, a plan. A report is listed by its title.
  'liver_1frame.dcm': /1 object without images/,
  'liver_expb_1frame.dcm': /1 object without images/,
  'rtplan.dcm': /1 object without images/,
  'test-SR.dcm': /DiagnosisStructured report/,
}

/**
 * Files whose values under the probe must be pydicom's, by the file that holds the same pixels
 * where nothing here decodes theirs.
 */
const VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...[
        'CT_small.dcm',
        'MR_small.dcm',
        'MR_small_implicit.dcm',
        'MR_small_bigendian.dcm',
        'MR_small_RLE.dcm',
      ],
      ...[
        'MR_small_jpeg_ls_lossless.dcm',
        'rtdose_1frame.dcm',
        'rtdose_rle_1frame.dcm',
        'rtdose_expb_1frame.dcm',
        'image_dfl.dcm',
      ],
      ...[
        'JPGExtended.dcm',
        'ExplVR_BigEnd.dcm',
        'SC_rgb_rle.dcm',
        'SC_rgb_rle_16bit.dcm',
        'SC_rgb_jpeg_gdcm.dcm',
        'SC_rgb_small_odd.dcm',
      ],
    ].map((name) => [name, name]),
  ),
  'MR_small_jp2klossless.dcm': 'MR_small.dcm',
  // YCbCr with fewer samples of colour, and its header says RGB.
  'SC_rgb_jpeg_lossy_gdcm.dcm': 'SC_rgb_jpeg_gdcm.dcm',
}
/** Where the middle of a picture has one colour at so many of its pixels, nothing is in it. */
const PLAIN = 0.995
/**
 * A lossy decoder may round in another way; beside an edge, thinned colour is that of both sides.
 */
const TOLERANCES: Readonly<Record<string, number>> = {
  'JPGExtended.dcm': 1,
  'SC_rgb_jpeg_lossy_gdcm.dcm': 32,
}

test.describe.configure({ mode: 'serial', timeout: 60_000 })
const lacking = lackingOf('samples')
test.skip(lacking.length > 0, lacking.join(', '))
const found = (lacking.length > 0 ? [] : samples([FOLDER])).filter(
  ({ sopInstanceUid }) => sopInstanceUid !== '',
)
/** The files of the table, each with UIDs of its own. */
const files = new Map(
  lacking.length > 0
    ? []
    : Object.keys(OUTCOMES).map((name, index) => [name, withOwnUids(name, index)]),
)
const expected = new Map<string, readonly SampleValue[] | null>()
let stage: ViewerStage
let context: BrowserContext
let page: Page
let complaints: readonly string[]

// One page shows all files: loading the viewer takes longer than decoding an image.
test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  for (const [name, { sopInstanceUid, body }] of files) {
    stage.studies.add({
      studyInstanceUid: name,
      images: [{ sopInstanceUid, body }],
      manifest: 'none',
    })
  }
  stage.studies.addSession('samples', [...files.keys()])
  context = await browser.newContext({ viewport: { width: 1100, height: 900 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  const names = [...new Set(Object.values(VALUES))]
  for (const [index, values] of sampleValues(names.map((name) => join(FOLDER, name))).entries())
    expected.set(names[index] ?? '', values)
  await page.goto(await stage.ephemeralLink('samples'))
  // The menu of overlays would lie between the pointer and some of the pixels whose values are read.
  await page.addStyleTag({ content: '[data-referencing] * { pointer-events: none !important }' })
  await expect(
    page.getByText(/^All \d+ images received$|the rest could not be loaded$/),
  ).toBeVisible({
    timeout: 60_000,
  })
  // The files are of many patients; the warning gives its room to the images once it was seen.
  await page.getByRole('alert').getByRole('button', { name: 'I have seen this' }).click()
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

/**
 * A sample with its UIDs made its own, of the same length, because samples share them. A deflated
 * file keeps its UIDs, which no other sample has.
 */
function withOwnUids(name: string, index: number) {
  const sample = found.find((one) => one.name === name)
  if (!sample) throw new Error(`${name} is not there`)
  const own = (uid: string) => (name === 'image_dfl.dcm' ? uid : uid.slice(0, -3) + (100 + index))
  let text = readFileSync(sample.path, 'latin1')
  const { studyInstanceUid, seriesInstanceUid, sopInstanceUid } = sample
  for (const uid of [studyInstanceUid, seriesInstanceUid, sopInstanceUid]) {
    text = text.replace(new RegExp(`${uid.replaceAll('.', '\\.')}(?![\\d.])`, 'g'), own(uid))
  }
  return {
    sopInstanceUid: own(sopInstanceUid),
    seriesInstanceUid: own(seriesInstanceUid),
    studyInstanceUid: own(studyInstanceUid),
    body: Buffer.from(text, 'latin1'),
  }
}

/** Shows a file in the pane by its entry in the list of series. */
async function show(seriesInstanceUid: string): Promise<void> {
  const entry = entryOf(page, seriesInstanceUid)
  await entry.click()
  await expect(entry).toHaveAttribute('aria-current', 'true')
  await expect(paneOf(page).getByText('loading', { exact: true })).toHaveCount(0)
}

test('knows every kind of image among the samples', () => {
  const images = found
    .filter(({ name }) => !name.includes('/') && name.endsWith('.dcm'))
    .map(({ name }) => name)
  const kinds = new Set(
    found.filter(({ name }) => name in OUTCOMES).map(({ transferSyntaxUid }) => transferSyntaxUid),
  )
  const others = found
    .filter(({ transferSyntaxUid }) => !kinds.has(transferSyntaxUid))
    .map(({ name }) => name)
  expect(others, 'of a transfer syntax that no file of the table has').toEqual([])
  expect(Object.keys(OUTCOMES).filter((name) => !images.includes(name))).toEqual([])
})

for (const [name, outcome] of Object.entries(OUTCOMES)) {
  test(`${name} ${outcome instanceof RegExp ? `says why not: ${outcome.source}` : outcome}`, async () => {
    const file = files.get(name)
    if (!file) throw new Error(`${name} is not there`)
    if (outcome instanceof RegExp && /without images|report/.test(outcome.source)) {
      await expect(entryOfStudy(page, file.studyInstanceUid)).toContainText(outcome)
      return
    }
    await show(file.seriesInstanceUid)
    if (outcome instanceof RegExp) {
      await expect(paneOf(page)).toContainText(outcome, { timeout: 30_000 })
      return
    }
    await isShown(page)
    // Without the text above it.
    await paneOf(page).focus()
    await page.keyboard.press('o')
    if (outcome === 'renders')
      await expect.poll(async () => plainness(await pictureOf(paneOf(page)))).toBeLessThan(PLAIN)
    await page.keyboard.press('o')
    if (!(name in VALUES)) return
    const values = expected.get(VALUES[name] ?? '') ?? []
    expect(values).toHaveLength(6)
    for (const { column, row, stored, value } of values) {
      const probed = [(await valueAt(page, column, row)) ?? Number.NaN].flat()
      for (const [index, wanted] of (value === null ? colourOf(stored) : [value]).entries()) {
        const difference = Math.abs((probed[index] ?? Number.NaN) - wanted)
        expect(
          difference,
          `column ${column}, row ${row}: ${probed} for ${wanted}`,
        ).toBeLessThanOrEqual(TOLERANCES[name] ?? Math.abs(wanted) * 1e-5)
      }
    }
  })
}

/** Colours of 16 bits are shown in 8. */
const colourOf = (stored: readonly number[]) =>
  Math.max(...stored) > 255 ? stored.map((sample) => sample >> 8) : stored

test('complains of nothing on the console', () => {
  expect(complaints).toEqual([])
})

test('shows an image whose decoder could not be loaded at first', async ({ browser }) => {
  const name = 'J2K_pixelrep_mismatch.dcm'
  const another = await browser.newContext({ viewport: { width: 1100, height: 900 } })
  let lost = 0
  await another.route(/openjpeg.*\.wasm/, (route) =>
    // Each attempt asks twice: as a stream, then whole.
    lost++ < 6 ? route.abort() : route.continue(),
  )
  const fresh = await another.newPage()
  stage.studies.addSession('one', [name])
  await fresh.goto(await stage.ephemeralLink('one'))
  await isShown(fresh)
  await expect.poll(async () => plainness(await pictureOf(paneOf(fresh)))).toBeLessThan(PLAIN)
  expect(lost).toBeGreaterThan(6)
  await another.close()
})
