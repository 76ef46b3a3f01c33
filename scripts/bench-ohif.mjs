// npm run bench -- ohif [--rounds 3 --slices 500 --only ct,mpr,mammogram]: the viewer beside OHIF,
// in the same browser, with the same images, in one run. OHIF (the `dist` of its package, which
// comes by npm) reads them from Orthanc by its DICOMweb plugin; the viewer reads them from the
// gateway's archive. Needs Chromium, DCMTK, and Orthanc with orthanc-dicomweb.
// Figures: docs/BENCHMARKS.md.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { phantomSlice } from '../electron/simulator/phantom.ts'
import { openViewerStage } from '../test/e2e/viewer-stage.ts'
import { OHIF_VERSION, serveOhif } from '../test/support/ohif.ts'
import { DICOMWEB_PLUGIN, startOrthanc } from '../test/support/orthanc.ts'
import { median, pssOf, run } from './bench-kit.mjs'
import { mammogram } from './bench-viewer/mammogram.mjs'
import { forwardOf, scrollThrough } from './bench-viewer/scroll.mjs'
import { root, stop } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    slices: { type: 'string', default: '500' },
    only: { type: 'string', default: 'ct,mpr,mammogram' },
  },
})
const [rounds, slices] = [Number(values.rounds), Number(values.slices)]
const parts = values.only.split(',')
const CT = '1.2.826.0.1.3680043.8.498.70001'
const MAMMOGRAM = '1.2.826.0.1.3680043.8.498.70002'
/** Of three slices: it puts the scripts of a viewer into the browser's cache, as on a day of work. */
const WARMING = '1.2.826.0.1.3680043.8.498.70003'
const PATIENCE = 180_000
/** What a row must reach: seconds at most, or images a second at least; and to be ahead of OHIF. */
const TARGETS = {
  'CT: first image, s': { most: 1 },
  'CT: all images decoded, s': { most: 12 },
  'CT: scrolling, images/s': { least: 20 },
  'CT: three planes of the whole volume, s': { most: 6 },
  'mammogram: first image, s': { most: 1.5 },
  'CT: memory of the browser, MB': {},
}

if (!existsSync(DICOMWEB_PLUGIN)) stop('orthanc-dicomweb is not installed.')
const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-ohif-'))
/** By row and viewer, one figure a round. */
const figures = {}
const stage = await openViewerStage()
const orthanc = await startOrthanc(1, {
  Plugins: [DICOMWEB_PLUGIN],
  DicomWeb: { Enable: true, Root: '/dicom-web/', StudiesMetadata: 'Full' },
  HttpThreadsCount: 50,
  ConcurrentJobs: 2,
})
const pages = await serveOhif({
  root: '/dicom-web',
  proxy: { port: Number(new URL(orthanc.url).port) },
  config: {
    studyPrefetcher: {
      enabled: true,
      displaySetsCount: 2,
      maxNumPrefetchRequests: 10,
      order: 'closest',
    },
  },
})
let browser
try {
  await storeImages()
  const viewers = { isthmus, ohif }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, viewer] of Object.entries(viewers)) {
      browser = await launch()
      const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
      await context.addInitScript(watchPanes)
      await viewer(context, WARMING, async () => undefined)
      const note = (row, figure) => {
        if (round === 0) return
        figures[row] ??= {}
        figures[row][name] ??= []
        figures[row][name].push(figure)
      }
      if (parts.includes('ct')) await viewer(context, CT, ctRows(note))
      if (parts.includes('mpr')) await viewer(context, CT, planesRow(note))
      if (parts.includes('mammogram')) await viewer(context, MAMMOGRAM, mammogramRow(note))
      await browser.close()
      browser = undefined
    }
  }
} finally {
  await browser?.close()
  await pages[Symbol.asyncDispose]()
  await orthanc[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
  rmSync(work, { recursive: true, force: true })
}
process.exit(report() ? 0 : 1)

/** The table; true where every target was reached. */
function report() {
  console.log(
    `\n| ${slices} slices, ${rounds} rounds, medians | Isthmus | OHIF ${OHIF_VERSION} | ratio | target |`,
  )
  console.log('|---|---:|---:|---:|---|')
  const missed = []
  for (const [row, { most, least }] of Object.entries(TARGETS)) {
    if (!figures[row]) continue
    const [ours, theirs] = [median(figures[row].isthmus), median(figures[row].ohif)]
    const ahead = least === undefined ? theirs / ours : ours / theirs
    const target = most ? `≤ ${most}` : least ? `≥ ${least}` : ''
    console.log(
      `| ${row} | ${ours.toFixed(2)} | ${theirs.toFixed(2)} | ${ahead.toFixed(2)} | ${target} |`,
    )
    if ((most && ours > most) || (least && ours < least))
      missed.push(`${row}: ${ours.toFixed(2)}, not ${target}`)
    if (ahead < 1) missed.push(`${row}: ${ahead.toFixed(2)} of OHIF`)
  }
  console.log(
    missed.length === 0 ? '\nEvery target was reached.' : `\nMissed:\n  ${missed.join('\n  ')}`,
  )
  return missed.length === 0
}

// What is measured, of each viewer.

function ctRows(note) {
  return async (page, viewer) => {
    note('CT: first image, s', (await firstImage(page)) / 1000)
    await page.waitForFunction(viewer.isAllDecoded, slices, { timeout: PATIENCE, polling: 20 })
    note('CT: all images decoded, s', (await page.evaluate(() => performance.now())) / 1000)
    note('CT: memory of the browser, MB', megabytes())
    note('CT: scrolling, images/s', await scrollRate(page, viewer))
  }
}

function mammogramRow(note) {
  return async (page) => note('mammogram: first image, s', (await firstImage(page)) / 1000)
}

/** From the command to three planes that are drawn, of all slices. */
function planesRow(note) {
  return async (page, viewer) => {
    await firstImage(page)
    await page.waitForFunction(viewer.isAllDecoded, slices, { timeout: PATIENCE, polling: 20 })
    const began = await page.evaluate(() => performance.now())
    await viewer.showPlanes(page)
    await page.waitForFunction(viewer.isWholeVolume, undefined, { timeout: PATIENCE, polling: 20 })
    await page.waitForFunction(() => window.drawnPanes() >= 3, undefined, {
      timeout: PATIENCE,
      polling: 20,
    })
    const ended = await page.evaluate(() => performance.now())
    note('CT: three planes of the whole volume, s', (ended - began) / 1000)
  }
}

async function firstImage(page) {
  const options = { timeout: PATIENCE, polling: 20 }
  return (await page.waitForFunction(() => window.firstImage, undefined, options)).jsonValue()
}

/** Images a second by one turn of the wheel after the other, each awaited until it is drawn. */
async function scrollRate(page, viewer) {
  const steps = Math.min(120, slices - 2)
  const on = viewer.canvas
  const by = await forwardOf(page, on)
  const forward = await page.evaluate(scrollThrough, { steps, by, on })
  const back = await page.evaluate(scrollThrough, { steps, by: -by, on })
  return (forward + back) / 2
}

/** In the page, before its own scripts: which panes show a picture that is not of one colour. */
function watchPanes() {
  const isDrawn = (canvas) => {
    const context = canvas?.width > 0 ? canvas.getContext('2d') : undefined
    if (!context) return false
    const { data } = context.getImageData(0, Math.floor(canvas.height / 2), canvas.width, 1)
    return new Set(data.filter((_, at) => at % 4 === 0)).size > 2
  }
  document.addEventListener(
    'CORNERSTONE_IMAGE_RENDERED',
    (event) => {
      if (!window.firstImage && isDrawn(event.target.querySelector?.('canvas')))
        window.firstImage = performance.now()
    },
    true,
  )
  window.drawnPanes = () => [...document.querySelectorAll('canvas')].filter(isDrawn).length
}

// The two viewers.

async function isthmus(context, studyInstanceUid, measure) {
  const link = await stage.link(studyInstanceUid)
  await visit(context, link, measure, {
    canvas: '[data-pane="pane-1"] canvas',
    isAllDecoded: (count) =>
      document.querySelector('footer')?.textContent?.includes(`${count} of ${count} ready`),
    showPlanes: (page) => page.keyboard.press('m'),
    isWholeVolume: () => true,
  })
}

async function ohif(context, studyInstanceUid, measure) {
  const link = `${pages.url}/viewer?StudyInstanceUIDs=${studyInstanceUid}`
  await visit(context, link, measure, {
    canvas: '.cornerstone-canvas',
    isAllDecoded: (count) => window.cornerstone?.cache._imageCache.size >= count,
    showPlanes: (page) =>
      page.evaluate(() =>
        window.commandsManager.runCommand('setHangingProtocol', { protocolId: 'mpr' }),
      ),
    isWholeVolume: () =>
      [...(window.cornerstone?.cache._volumeCache.values() ?? [])].some(
        ({ volume }) => volume?.loadStatus?.loaded,
      ),
  })
}

async function visit(context, link, measure, viewer) {
  const page = await context.newPage()
  try {
    await page.goto(link)
    await firstImage(page)
    await measure(page, viewer)
  } catch (error) {
    await page.screenshot({ path: join(root, 'test-results', 'bench-ohif.png') })
    throw error
  } finally {
    await page.close()
  }
}

/** Proportional set size of all processes of the browser, MB. */
function megabytes() {
  const pids = run('pgrep', ['-P', String(process.pid), 'chrom'])
    .trim()
    .split('\n')
    .map(Number)
  return (pids.reduce((sum, pid) => sum + pssOf(pid), 0) * 2 ** 20) / 1e6
}

function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  })
}

// The images, and who serves them.

async function storeImages() {
  const ct = [
    [CT, slices],
    [WARMING, 3],
  ].flatMap(([studyInstanceUid, count]) => {
    const series = { studyInstanceUid, seriesInstanceUid: `${studyInstanceUid}.2`, slices: count }
    return Array.from({ length: count }, (_, index) => phantomSlice(series, index + 1))
  })
  const folder = join(work, 'images')
  mkdirSync(folder)
  const files = [...ct, mammogram(MAMMOGRAM)].map((body, index) => {
    const file = join(folder, `${index}.dcm`)
    writeFileSync(file, Buffer.concat(body))
    return file
  })
  await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT')
  const environment = { ...process.env, TCP_NODELAY: '1' }
  for (const [called, port] of [
    ['ISTHMUS', stage.dimsePort],
    ['ORTHANC', orthanc.port],
  ])
    run(
      'storescu',
      ['-aet', 'CT1', '-aec', called, '127.0.0.1', String(port), ...files],
      environment,
    )
  for (const study of [CT, MAMMOGRAM, WARMING]) await stage.addStudy(study)
}
