import { constants, deflateRawSync } from 'node:zlib'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import type { StudyImage } from '#electron/simulator/image-store.ts'
import { part10Head } from '#electron/simulator/part10.ts'
import { phantomSlice, phantomSopUid } from '#electron/simulator/phantom.ts'
import { complaintsOf } from './stage.ts'
import { test } from './test.ts'
import {
  isDrawn,
  openViewerStage,
  paneOf,
  phantomImages,
  residentMegabytes,
  type ViewerStage,
} from './viewer-stage.ts'

// Wrong answers of a partner: what is valid loads, what is not is named, and neither the page nor
// the gateway fails.

test.describe.configure({ mode: 'serial', timeout: 180_000 })

const ROOT = '1.2.826.0.1.3680043.8.498.6600'
/** What the gateway may take in all while it is treated so, MB. */
const MOST_MEGABYTES = 700
let stage: ViewerStage
let context: BrowserContext
let page: Page
let complaints: readonly string[]
let studies = 0
let peak = 0
const watching = setInterval(() => {
  if (stage) peak = Math.max(peak, residentMegabytes(stage.pid))
}, 100)

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  context = await browser.newContext({ viewport: { width: 1200, height: 800 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
})

test.afterAll(async () => {
  clearInterval(watching)
  await context.close()
  await stage[Symbol.asyncDispose]()
})

/** A CT study of a few slices of which some are replaced. */
function newStudy(slices = 6) {
  const studyInstanceUid = `${ROOT}${++studies}`
  const series = { studyInstanceUid, seriesInstanceUid: `${studyInstanceUid}.2`, slices }
  return { studyInstanceUid, series, images: phantomImages(series) }
}

async function open(studyInstanceUid: string): Promise<void> {
  await stage.addStudy(studyInstanceUid)
  await page.goto(await stage.link(studyInstanceUid))
}

/** What the page says could not be read. */
async function faults(): Promise<string> {
  await expect(page.getByRole('button', { name: /messages?$/ })).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: /messages?$/ }).click()
  const list = page.getByRole('complementary', { name: 'What could not be read' })
  await expect(list).toBeVisible()
  return (await list.textContent()) ?? ''
}

const withFault = (
  images: readonly StudyImage[],
  number: number,
  change: Partial<StudyImage>,
): StudyImage[] =>
  images.map((image, index) => (index === number - 1 ? { ...image, ...change } : image))

/**
 * An image whose header came keeps its place among the others, and says there why it cannot be
 * shown.
 */
const BAD_IMAGES: Readonly<Record<string, Partial<StudyImage> & { readonly keepsPlace?: true }>> = {
  'a page of a portal': { fault: 'html' },
  'half a file': { fault: 'truncated', keepsPlace: true },
  'a connection that breaks': { fault: 'reset', keepsPlace: true },
  'text that is no DICOM': { body: Buffer.from('This is not an image. '.repeat(100)) },
  'nothing at all': { body: Buffer.alloc(0) },
  noise: { body: Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 251)) },
  'a header that says more than there is': {
    body: Buffer.concat(
      phantomSlice({ studyInstanceUid: '1', seriesInstanceUid: '1', slices: 9 }, 3),
    ).subarray(0, 700),
  },
}
test('shows the others and names each image that cannot be shown', async () => {
  const { studyInstanceUid, images } = newStudy(12)
  const bad = Object.values(BAD_IMAGES).map(({ keepsPlace, ...change }, index) => ({
    number: index + 2,
    keepsPlace,
    change,
  }))
  const all = bad.reduce((some, { number, change }) => withFault(some, number, change), images)
  stage.studies.add({ studyInstanceUid, images: all, manifest: 'none' })
  await open(studyInstanceUid)
  await isDrawn(page)
  const kept = bad.filter(({ keepsPlace }) => keepsPlace)
  const shown = images.length - bad.length + kept.length
  await expect(paneOf(page)).toContainText(`/${shown}`, { timeout: 60_000 })
  await page.keyboard.press('Home')
  await expect(paneOf(page)).toContainText(`Im 1/${shown}`)
  // After the first image come those that keep their place.
  for (const index of kept.keys()) {
    await page.keyboard.press('ArrowDown')
    await expect(paneOf(page)).toContainText(`Image ${index + 2} cannot be shown`, {
      timeout: 30_000,
    })
  }
  await page.keyboard.press('End')
  await isDrawn(page)
  const named = await faults()
  for (const { number } of bad) expect(named).toContain(`Image ${number} of 12`)
})

test('gives the images of another patient’s study no place, and says so', async () => {
  const { studyInstanceUid, images } = newStudy()
  const stranger = {
    studyInstanceUid: '2.25.1234',
    seriesInstanceUid: '2.25.1234.2',
    slices: 6,
    patientName: 'STRANGER^SAM',
  }
  stage.studies.add({
    studyInstanceUid,
    images: withFault(images, 2, { body: phantomSlice(stranger, 2) }),
    manifest: 'none',
  })
  await open(studyInstanceUid)
  await isDrawn(page)
  await expect(paneOf(page)).toContainText('/5', { timeout: 60_000 })
  expect(await faults()).toMatch(/another study/i)
  await expect(page.locator('body')).not.toContainText('STRANGER')
})

const WRONG_MANIFESTS: Readonly<Record<string, (good: Record<string, unknown>) => unknown>> = {
  'a text': () => 'manifest',
  'a list': () => [1, 2, 3],
  'of another study': (good) => ({ ...good, studyInstanceUID: '2.25.999' }),
  'without series': (good) => ({ ...good, series: [] }),
  'with numbers as texts': (good) =>
    JSON.parse(JSON.stringify(good).replace(/"(rows|columns)":(\d+)/g, '"$1":"$2"')),
  'with images that do not exist': (good) =>
    JSON.parse(JSON.stringify(good).replace(/(sopInstanceUID":"[\d.]+)/g, '$1.77')),
  'with a size that is not true': (good) =>
    JSON.parse(JSON.stringify(good).replace(/"rows":512/g, '"rows":70000')),
}
for (const [what, change] of Object.entries(WRONG_MANIFESTS)) {
  test(`loads the images beside a manifest that is ${what}`, async () => {
    const { studyInstanceUid, images } = newStudy()
    const { manifestOf } = await import('#electron/simulator/manifest.ts')
    const good = manifestOf(
      images.map(({ body }) => (body as () => Buffer[])()[0] ?? Buffer.alloc(0)),
    )
    stage.studies.add({ studyInstanceUid, images, manifest: change(good as never) as never })
    await open(studyInstanceUid)
    await isDrawn(page)
    // What only the manifest knows has a place too, marked as missing.
    const isNamed = what === 'with images that do not exist'
    await expect(paneOf(page)).toContainText(isNamed ? '/12' : '/6', { timeout: 60_000 })
    if (isNamed) {
      await expect(page.getByText('6 missing')).toBeVisible()
      expect(await faults()).toMatch(/manifest/i)
    }
  })
}

test('stays within its memory beside a file that inflates to gigabytes', async () => {
  const { studyInstanceUid, series, images } = newStudy()
  const head = part10Head('1.2.840.10008.5.1.4.1.1.2', phantomSopUid(series, 2), [], 0)
  // The head says Explicit VR Little Endian in 19 characters; deflated is of 22.
  const from = head.indexOf('1.2.840.10008.1.2.1\0')
  const meta = Buffer.concat([
    head.subarray(0, from - 2),
    Buffer.from([22, 0]),
    Buffer.from('1.2.840.10008.1.2.1.99'),
    head.subarray(from + 20),
  ])
  meta.writeUInt32LE(meta.readUInt32LE(140) + 2, 140)
  const end = 144 + meta.readUInt32LE(140)
  const bomb = Buffer.concat([meta.subarray(0, end), deflatedGigabyte()])
  stage.studies.add({
    studyInstanceUid,
    images: withFault(images, 2, { body: bomb }),
    manifest: 'none',
  })
  await open(studyInstanceUid)
  await isDrawn(page)
  await expect(paneOf(page)).toContainText('/5', { timeout: 60_000 })
  expect(await faults()).toMatch(/Image 2 of 6/)
})

/**
 * A gigabyte that begins as a data set with one endless text, deflated. After a full flush a part
 * depends on nothing before it, so one part of zeros serves for all but the first.
 */
function deflatedGigabyte(): Buffer {
  const parts = 16
  const zeros = Buffer.alloc(2 ** 30 / parts)
  const deflate = (data: Buffer) =>
    deflateRawSync(data, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const part = deflate(zeros)
  zeros.write('\x08\x00\x08\x00UN\0\0', 0, 'latin1')
  zeros.writeUInt32LE(2 ** 30 - 12, 8)
  return Buffer.concat([
    deflate(zeros),
    ...Array.from({ length: parts - 1 }, () => part),
    deflateRawSync(Buffer.alloc(0)),
  ])
}

test('loads 20,000 of 100,000 links at most, and says that there are more', async () => {
  const { studyInstanceUid, images } = newStudy(4)
  const more = Array.from(
    { length: 99_996 },
    (_, index) => `http://${stage.files.host}/none-${index}.dcm?x=1`,
  )
  stage.studies.add({ studyInstanceUid, images, manifest: 'none', moreUrls: more })
  await open(studyInstanceUid)
  await isDrawn(page)
  await expect(paneOf(page)).toContainText('/4', { timeout: 60_000 })
  expect(await faults()).toContain('It named 100,000 files: only the first 20,000 are loaded.')
  // The page still answers.
  await page.keyboard.press('End')
  await expect(paneOf(page)).toContainText('Im 4/4')
})

test('says why when the partner gives nothing, and lives', async () => {
  const { studyInstanceUid } = newStudy()
  stage.partner.setSequence('study.access_requested', ['garbage', 'garbage', 'garbage'])
  await open(studyInstanceUid)
  await expect(page.locator('body')).toContainText(/partner/i, { timeout: 60_000 })
  const { studyInstanceUid: refused } = newStudy()
  stage.partner.setSequence('study.access_requested', ['refuse', 'refuse', 'refuse'])
  await open(refused)
  await expect(page.locator('body')).toContainText(
    /The partner refused the request: no images of this study for you/,
    { timeout: 60_000 },
  )
  stage.partner.setSequence('study.access_requested', [])
  const { studyInstanceUid: elsewhere } = newStudy()
  stage.studies.add({
    studyInstanceUid: elsewhere,
    images: [],
    manifest: 'none',
    moreUrls: ['http://169.254.169.254/latest', 'https://evil.example/1.dcm'],
  })
  await open(elsewhere)
  await expect(page.locator('body')).toContainText(/not in the list of hosts/i, {
    timeout: 60_000,
  })
})

test('leaves the gateway alive and of its size, and the page without a complaint', async () => {
  expect((await fetch(`${stage.http}/viewer`)).status).toBe(200)
  console.log(`gateway: ${peak.toFixed(0)} MB resident at most`)
  expect(peak).toBeLessThan(MOST_MEGABYTES)
  expect(complaints).toEqual([])
})
