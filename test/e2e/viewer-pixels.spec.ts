import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect, type Page } from '@playwright/test'
import { lackingOf } from '../support/needs.ts'
import { differenceOf } from '../support/pixel-files/compare.ts'
import { explainedDifferences } from '../support/pixel-files/explained.ts'
import { makePixelFiles, type PixelFile } from '../support/pixel-files/pixel-files.ts'
import { type Reference, referenceOf } from '../support/pixel-files/reference.ts'
import { readPng } from '../support/png.ts'
import { test } from './test.ts'
import { entryOf, openViewerStage, paneOf, type ViewerStage } from './viewer-stage.ts'

// Every form of pixel data, as a person sees it: what the viewer draws at three sizes of a pane
// against DCMTK's pictures. Differences are faults, but for those that docs/VIEWER-FEATURES.md explains.
// `npm run pixels` compares all files, `npm test` the sample below.

const IS_WHOLE = process.env.ISTHMUS_PIXELS === 'all'
/** One of each form of which a fault has been seen, or could be seen alone. */
const SAMPLE = [
  ...['grey-s12-high-13', 'grey-u12-large', 'bits-few', 'window-of-1', 'window-sigmoid'],
  ...['slope-small-window', 'modality-and-voi-lut', 'voi-lut-rescaled', 'pls-inverse'],
  ...['overlay-beyond', 'overlay-embedded-signed', 'overlay-3-frames', 'rgb-32-planes'],
  ...['palette-first-50', 'aspect-2-1', 'enhanced-ct', 'supplemental-palette'],
  ...['jpeg-extended-u12', 'jpeg-ls-near-u12', 'htj2k-201-s16', 'j2k-signs-as-signed'],
]
const SIZES = [
  { width: 900, height: 700 },
  { width: 640, height: 480 },
  { width: 1400, height: 1000 },
]
/**
 * Rounding to 8 bits; of pixels between others, and by a window that the viewer names in whole
 * numbers, a little more.
 */
const TOLERANCE = { exact: 1, smooth: 2 }

test.describe.configure({ mode: 'serial', timeout: IS_WHOLE ? 3_600_000 : 300_000 })
const lacking = lackingOf('samples', 'dcmtk', ...(IS_WHOLE ? (['gdcm'] as const) : []))
test.skip(lacking.length > 0, lacking.join(', '))

let folder: string
let stage: ViewerStage
let page: Page
let files: readonly PixelFile[]
let found: { name: string; size: string; difference: string }[] = []
const references = new Map<string, Reference | undefined>()

test.beforeAll(async () => {
  test.setTimeout(IS_WHOLE ? 300_000 : 120_000)
  folder = mkdtempSync(join(tmpdir(), 'isthmus-pixels-'))
  const only = process.env.ISTHMUS_PIXELS_ONLY
  const made = await makePixelFiles(folder, IS_WHOLE)
  files = made.filter(({ name }) =>
    only ? new RegExp(only).test(name) : IS_WHOLE || SAMPLE.includes(name),
  )
  stage = await openViewerStage()
  for (const { name, uids } of files)
    stage.studies.add({
      studyInstanceUid: name,
      images: [{ sopInstanceUid: uids[2], body: readFileSync(join(folder, `${name}.dcm`)) }],
      manifest: 'none',
    })
  stage.studies.addSession(
    'pixels',
    files.map(({ name }) => name),
  )
})
test.afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Without a graphics card the viewer draws images itself; with one, WebGL does. The browser of the
 * tests has none: it is made to say that it has.
 */
async function openPage(browser: Browser, hasGraphicsCard: boolean): Promise<void> {
  page = await browser.newPage({ viewport: SIZES[0] as { width: number; height: number } })
  if (hasGraphicsCard)
    await page.addInitScript(() => {
      const { getParameter } = WebGL2RenderingContext.prototype
      const UNMASKED_RENDERER_WEBGL = 0x9246
      WebGL2RenderingContext.prototype.getParameter = function (name) {
        return name === UNMASKED_RENDERER_WEBGL ? 'A graphics card' : getParameter.call(this, name)
      }
    })
  await page.goto(await stage.ephemeralLink('pixels'))
  await expect(
    page.getByText(/^All \d+ images received$|the rest could not be loaded$/),
  ).toBeVisible({
    timeout: 120_000,
  })
  const warning = page.getByRole('alert').getByRole('button', { name: 'I have seen this' })
  if (await warning.isVisible()) await warning.click()
  await expect(page.getByText('No graphics card')).toHaveCount(hasGraphicsCard ? 0 : 1)
}

/** Opens a file in the pane, or says why it is not drawn. */
async function open({ uids }: PixelFile): Promise<string> {
  const entry = entryOf(page, uids[1])
  if ((await entry.count()) === 0) return 'not listed'
  await entry.click()
  // The tooltip of an entry may reach into the pane.
  await page.mouse.move(1, 1)
  await expect(entry).toHaveAttribute('aria-current', 'true')
  return settled()
}

/** Waits until a picture or a problem is in the pane; the words over it are not compared. */
async function settled(): Promise<string> {
  const state = () =>
    page.evaluate(() => {
      const place = document.querySelector<HTMLElement>('section[data-pane] [data-testid^=image-]')
      const section = place?.closest('section')
      for (const one of section?.children ?? [])
        if (one !== place && one instanceof HTMLElement) one.style.visibility = 'hidden'
      const problem = section?.querySelector('[role=alert]')?.textContent
      const host = place?.querySelector<HTMLElement>('[data-pane]')
      const isShown = host?.style.visibility === '' && host.querySelector('canvas') !== null
      return problem ? `says: ${problem}` : isShown ? '' : 'not drawn'
    })
  let last = await state()
  for (const until = Date.now() + 15_000; last === 'not drawn' && Date.now() < until; ) {
    await page.waitForTimeout(20)
    last = await state()
  }
  return last
}

/** The window that the viewer says it has opened the image with. */
async function shownWindow(): Promise<readonly string[]> {
  const [, center, width] =
    /C (-?[\d.]+) W ([\d.]+)/.exec((await paneOf(page).textContent()) ?? '') ?? []
  return center === undefined || width === undefined ? [] : ['+Ww', center, width]
}

async function differs(file: PixelFile, frame: number, isSmooth: boolean): Promise<string> {
  const how = file.how ?? (await shownWindow())
  const key = `${file.name} ${frame} ${how.join(' ')}`
  if (!references.has(key)) references.set(key, referenceOf(folder, file, frame, how))
  const reference = references.get(key)
  if (!reference) return 'no reference'
  // The picture of a pane follows its state by a moment.
  for (let tries = 0; ; tries++) {
    const screen = readPng(await page.getByTestId(/^image-/).screenshot())
    const isRounded = file.how === null && how.length > 0
    const tolerance = TOLERANCE[isSmooth || isRounded ? 'smooth' : 'exact']
    const found = differenceOf(screen, reference, file.shape, isSmooth, tolerance)
    if (found.wrong === 0) return ''
    if (tries > 1) {
      return `frame ${frame}: ${found.wrong} of ${found.pixels} pixels, at most by ${found.worst}, first ${found.where}`
    }
    await page.waitForTimeout(100)
  }
}

async function compareAll(size: string, isSmooth: boolean): Promise<void> {
  for (const file of files) {
    let difference = await open(file)
    let at = 1
    for (const frame of difference ? [] : file.frames) {
      await paneOf(page).focus()
      // It opens where it was left.
      if (at === 1 && file.frames.length > 1) await page.keyboard.press('Home')
      for (; at < frame; at++) await page.keyboard.press('ArrowDown')
      difference = (await settled()) || (await differs(file, frame, isSmooth))
      if (difference) break
    }
    if (!difference) continue
    found.push({ name: file.name, size, difference })
    if (IS_WHOLE) process.stdout.write(`${size}, ${file.name}: ${difference}\n`)
  }
}

async function toggleSmoothing(): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Smooth pixels' }).click()
}

for (const hasGraphicsCard of [false, true])
  test(`the viewer draws what DCMTK draws, ${hasGraphicsCard ? 'with' : 'without'} a graphics card`, async ({
    browser,
  }) => {
    await openPage(browser, hasGraphicsCard)
    try {
      await compareSizes()
    } finally {
      await page.close()
    }
  })

/** As it opens, and pixel by pixel at three sizes. */
async function compareSizes(): Promise<void> {
  found = []
  await compareAll('smooth', true)
  for (const [index, size] of SIZES.entries()) {
    await page.setViewportSize(size)
    if (index === 0) {
      expect(await open(files[0] as PixelFile)).toBe('')
      await toggleSmoothing()
    }
    await compareAll(`${size.width} × ${size.height}`, false)
  }
  const explained = explainedDifferences()
  const isExplained = ({ name, size }: (typeof found)[number]) =>
    explained.some((row) => row.covers(name, size === 'smooth'))
  expect(found.filter((one) => !isExplained(one))).toEqual([])
  // A part of the files has a part of the differences.
  if (!IS_WHOLE || process.env.ISTHMUS_PIXELS_ONLY) return
  const idle = explained.filter(
    (row) => !found.some(({ name, size }) => row.covers(name, size === 'smooth')),
  )
  expect(idle.map((row) => row.files)).toEqual([])
}
