// npm run bench -- viewer: from a link to the first image and to all of them, with and without a
// manifest, beside the same page made to load all metadata first; scrolling beside a bare
// Cornerstone page; memory while scrolling through 5,000 slices. Same files, same run. Needs
// Chromium. Figures: docs/BENCHMARKS.md.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { build } from 'vite'
import { phantomSlice } from '../electron/simulator/phantom.ts'
import { openViewerStage, phantomImages, residentMegabytes } from '../test/e2e/viewer-stage.ts'
import { median } from './bench-kit.mjs'
import { forwardOf, scrollThrough } from './bench-viewer/scroll.mjs'
import { root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    slices: { type: 'string', default: '500' },
    steps: { type: 'string', default: '200' },
    many: { type: 'string', default: '5000' },
    only: { type: 'string', default: 'opening,scrolling,memory' },
  },
})
const [rounds, slices, steps, many] = [values.rounds, values.slices, values.steps, values.many].map(
  Number,
)
const parts = values.only.split(',')
const TARGETS = { first: 0.5, scrolling: 0.8, pageMegabytes: 1500, gatewayMegabytes: 500 }
/**
 * Partners: one on this PC, and one behind the line of a clinic: 40 ms to the first byte, 4 MB/s
 * for each of the files that come at once.
 */
const LINES = { loopback: {}, 'clinic line': { delayMs: 40, bytesPerSecond: 4e6 } }
/** Of the viewer, and of the bare page. */
const CANVAS = '[data-pane="pane-1"] canvas, #pane canvas'
const missed = []
const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-viewer-'))

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
  ],
})
const stage = await openViewerStage()
let studies = 0
let day
try {
  if (parts.includes('opening')) await opening()
  if (parts.includes('scrolling')) await scrolling()
  if (parts.includes('memory')) await memory()
} finally {
  await Promise.allSettled([browser.close(), stage[Symbol.asyncDispose]()])
  rmSync(work, { recursive: true, force: true })
}
console.log(
  missed.length === 0
    ? '\nEvery target was reached.'
    : `\nMissed:\n${missed.map((line) => `  ${line}`).join('\n')}`,
)
process.exit(missed.length === 0 ? 0 : 1)

/** Milliseconds from following the link to the first image and to the last one read. */
async function opening() {
  const ways = {
    'with manifest': {},
    'without manifest': { manifest: 'none' },
    'all metadata first': { manifest: 'none', isWhole: true },
  }
  for (const [line, manner] of Object.entries(LINES)) {
    const figures = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
    for (let round = 0; round <= rounds; round++) {
      for (const [name, { manifest = 'of files', isWhole = false }] of Object.entries(ways)) {
        stage.files.setServingOptions({})
        const link = await newStudy(slices, manifest)
        stage.files.setServingOptions(manner)
        const result = await open(link, isWhole)
        // The first round fills caches of code, and is not counted.
        if (round > 0) figures[name].push(result)
      }
    }
    const of = (name, what) => median(figures[name].map((result) => result[what]))
    console.log(
      `\n### Opening a CT of ${slices} slices, ${line}\n\n| page | first image, ms | all images, ms | first image, ratio |\n|---|---:|---:|---:|`,
    )
    for (const name of Object.keys(ways)) {
      const ratio = median(
        figures[name].map(({ first }, round) => first / figures['all metadata first'][round].first),
      )
      console.log(
        `| ${name} | ${of(name, 'first').toFixed(0)} | ${of(name, 'all').toFixed(0)} | ${ratio.toFixed(2)} |`,
      )
      if (name !== 'all metadata first' && ratio > TARGETS.first)
        missed.push(
          `${line}, ${name}: first image in ${ratio.toFixed(2)}× the time, not ${TARGETS.first}×`,
        )
    }
  }
}

async function newStudy(count, manifest = 'of files') {
  const studyInstanceUid = `1.2.826.0.1.3680043.8.498.69${String(++studies).padStart(3, '0')}`
  const series = { studyInstanceUid, seriesInstanceUid: `${studyInstanceUid}.2`, slices: count }
  stage.studies.add({ studyInstanceUid, images: phantomImages(series), manifest })
  await stage.addStudy(studyInstanceUid)
  return stage.link(studyInstanceUid)
}

/**
 * @param isWhole the page gets the list when it is whole, as a viewer that reads every header first
 */
async function open(link, isWhole) {
  // One browser for all, as on a day of work: the page's code is in its cache, for each of the
  // ways.
  day ??= await browser.newContext({ viewport: { width: 1360, height: 860 } })
  const page = await day.newPage()
  try {
    await page.addInitScript(watchFirst)
    if (isWhole)
      await page.route('**/viewer/*/images', async (route) =>
        route.fulfill({ response: await route.fetch({ timeout: 0 }) }),
      )
    await page.goto(link)
    const first = await page
      .waitForFunction(() => window.firstImage, undefined, { timeout: 300_000 })
      .then((handle) => handle.jsonValue())
    await page
      .getByText(`All ${slices.toLocaleString('en')} images received`)
      .waitFor({ timeout: 300_000 })
    const all = await page.evaluate(() => performance.now())
    return { first, all }
  } finally {
    await page.close()
  }
}

/**
 * In the page: when a picture that is not plain was first drawn. Cornerstone tells of empty
 * viewports too, so its pixels are looked at.
 */
function watchFirst() {
  const look = (event) => {
    const canvas = event.target.querySelector?.('canvas')
    const context = canvas?.getContext('2d')
    if (window.firstImage || !context || canvas.width === 0) return
    const { data } = context.getImageData(0, Math.floor(canvas.height / 2), canvas.width, 1)
    if (new Set(data.filter((_, at) => at % 4 === 0)).size > 2)
      window.firstImage = performance.now()
  }
  document.addEventListener('CORNERSTONE_IMAGE_RENDERED', look, true)
}

/** Images a second with one turn of the wheel after the other, each awaited until it is drawn. */
async function scrolling() {
  const link = await newStudy(steps)
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  const ours = await context.newPage()
  await ours.goto(link)
  await ours
    .getByText(`All ${steps.toLocaleString('en')} images received`)
    .waitFor({ timeout: 120_000 })
  const box = await ours.locator('[data-pane="pane-1"] canvas').first().boundingBox()
  const bare = await openBare(context, box)
  const pages = { isthmus: ours, 'bare Cornerstone': bare.page }
  const figures = { isthmus: [], 'bare Cornerstone': [] }
  const ways = {}
  for (const [name, page] of Object.entries(pages)) ways[name] = await forwardOf(page, CANVAS)
  for (let round = 0; round <= rounds; round++) {
    for (const [name, page] of Object.entries(pages)) {
      await page.bringToFront()
      const forward = await page.evaluate(scrollThrough, {
        steps: steps - 1,
        by: ways[name],
        on: CANVAS,
      })
      const back = await page.evaluate(scrollThrough, {
        steps: steps - 1,
        by: -ways[name],
        on: CANVAS,
      })
      if (round > 0) figures[name].push((forward + back) / 2)
    }
  }
  await context.close()
  await bare.close()
  const of = (name) => median(figures[name])
  const ratio = median(
    figures.isthmus.map((rate, round) => rate / figures['bare Cornerstone'][round]),
  )
  console.log(
    `\n### Scrolling through ${steps} slices, ${Math.round(box.width)} × ${Math.round(box.height)}, software rendering\n`,
  )
  console.log('| page | images/s | ratio |\n|---|---:|---:|')
  console.log(
    `| isthmus | ${of('isthmus').toFixed(1)} | ${ratio.toFixed(2)} |\n| bare Cornerstone | ${of('bare Cornerstone').toFixed(1)} | |`,
  )
  if (ratio < TARGETS.scrolling)
    missed.push(`scrolling: ${ratio.toFixed(2)}× of a bare page, not ${TARGETS.scrolling}×`)
}

/** The bare page with the same files, from a server that does nothing else. */
async function openBare(context, { width, height }) {
  await build({
    ...{
      configFile: false,
      logLevel: 'error',
      root: join(root, 'scripts', 'bench-viewer'),
      worker: { format: 'es' },
    },
    build: {
      outDir: join(work, 'bare'),
      emptyOutDir: true,
      target: 'esnext',
      rolldownOptions: { input: join(root, 'scripts', 'bench-viewer', 'bare.html') },
    },
  })
  const types = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.wasm': 'application/wasm',
  }
  const series = { studyInstanceUid: '2.25.5', seriesInstanceUid: '2.25.5.2', slices: steps }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://bare')
    const slice = /^\/files\/(\d+)\.dcm$/.exec(pathname)?.[1]
    if (slice)
      return void response
        .writeHead(200, { 'content-type': 'application/dicom' })
        .end(Buffer.concat(phantomSlice(series, Number(slice))))
    try {
      const body = readFileSync(join(work, 'bare', pathname))
      response
        .writeHead(200, { 'content-type': types[extname(pathname)] ?? 'application/octet-stream' })
        .end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const page = await context.newPage()
  await page.goto(
    `http://127.0.0.1:${server.address().port}/bare.html?images=${steps}&width=${Math.round(width)}&height=${Math.round(height)}`,
  )
  await page.waitForFunction(() => document.title === 'ready', undefined, { timeout: 120_000 })
  return {
    page,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Memory of the page's process, of its JavaScript, and of the gateway, at each tenth of the way.
 */
async function memory() {
  const link = await newStudy(many)
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  const page = await context.newPage()
  const metrics = await context.newCDPSession(page)
  await metrics.send('Performance.enable')
  const system = await browser.newBrowserCDPSession()
  await page.goto(link)
  await page.waitForFunction(
    () => document.querySelector('[data-pane="pane-1"] canvas'),
    undefined,
    { timeout: 120_000 },
  )
  console.log(
    `\n### Memory while scrolling through ${many} slices (${((many * 0.525) / 1000).toFixed(1)} GB)\n`,
  )
  console.log(
    '| slice | JavaScript heap, MB | page process, MB | gateway, MB |\n|---|---:|---:|---:|',
  )
  const rows = []
  const look = async (at) => {
    const heap =
      (await metrics.send('Performance.getMetrics')).metrics.find(
        ({ name }) => name === 'JSHeapUsedSize',
      ).value / 1e6
    const { processInfo } = await system.send('SystemInfo.getProcessInfo')
    const renderers = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => residentMegabytes(id))
    const row = { at, heap, page: Math.max(...renderers), gateway: residentMegabytes(stage.pid) }
    rows.push(row)
    console.log(
      `| ${at} | ${heap.toFixed(0)} | ${row.page.toFixed(0)} | ${row.gateway.toFixed(0)} |`,
    )
  }
  await look(0)
  for (let tenth = 1; tenth <= 10; tenth++) {
    await page.evaluate(scrollThrough, { steps: Math.floor(many / 10), by: 100, on: CANVAS })
    await look(Math.floor((many * tenth) / 10))
  }
  await page
    .getByText(`All ${many.toLocaleString('en')} images received`)
    .waitFor({ timeout: 600_000 })
  await page.evaluate(scrollThrough, { steps: Math.floor(many / 20), by: -100, on: CANVAS })
  await look(`${Math.floor(many / 20)} back`)
  await context.close()
  const most = (what) => Math.max(...rows.map((row) => row[what]))
  if (most('page') > TARGETS.pageMegabytes)
    missed.push(`the page's process took ${most('page').toFixed(0)} MB`)
  if (most('gateway') > TARGETS.gatewayMegabytes)
    missed.push(`the gateway took ${most('gateway').toFixed(0)} MB`)
}
