// npm run bench -- tiers [--rounds 5 --slices 200 --latency 0]: from the first byte that an object
// store sends to the first image on the screen, for a study whose files are only in that store;
// beside a study of the same size from the disk. Each round opens studies that nobody has opened before. With
// --latency the store answers so many milliseconds later, when the page has started. The built
// gateway, s3rver in a process of its own, Chromium. Needs DCMTK.
// Figures: docs/BENCHMARKS.md.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { phantomSlice } from '../electron/simulator/phantom.ts'
import { dashboardLifecycle } from '../shared/contract/lifecycle.ts'
import { dashboardTiers } from '../shared/contract/tiers.ts'
import { createOwner } from '../test/e2e/stage.ts'
import { openViewerStage } from '../test/e2e/viewer-stage.ts'
import { callerOf } from '../test/support/gateway.ts'
import { tierAt } from '../test/support/object-store.ts'
import { median, run } from './bench-kit.mjs'
import { mammogram } from './bench-viewer/mammogram.mjs'
import { root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    slices: { type: 'string', default: '200' },
    latency: { type: 'string', default: '0' },
  },
})
const [rounds, slices] = [Number(values.rounds), Number(values.slices)]
const latencyMs = Number(values.latency)
const KINDS = [`CT of ${slices} slices`, 'mammogram of 4000 × 5000']
const TARGET_MS = 1000
const PATIENCE = 180_000

const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-tiers-'))
const stage = await openViewerStage()
const store = fork(join(import.meta.dirname, 'bench-tiers', 'store.mjs'), [work])
const [{ port }] = await once(store, 'message')
/** When the store began to send each object. */
let sent = []
store.on('message', ({ sentAt }) => sent.push(sentAt))
const cookie = await createOwner(stage)
const call = callerOf(stage.http, { cookie, 'x-isthmus-csrf': '1', origin: stage.http })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    ...['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    ...['--disable-component-update', '--no-first-run'],
  ],
})
/** Milliseconds by study and what was timed, one figure a round. */
const figures = {}
try {
  const studies = await storeStudies()
  await removeFiles(studies)
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  await context.addInitScript(watchFirst)
  for (const { kind, round, tier, disk } of studies) {
    const [fetched, read] = [await open(context, tier), await open(context, disk)]
    if (fetched.byte === undefined) throw new Error('The store was not asked for the study.')
    // The first round fills caches of code, and is not counted.
    if (round > 0) note(kind, fetched, read)
  }
} finally {
  await browser.close()
  await stage[Symbol.asyncDispose]()
  store.disconnect()
  rmSync(work, { recursive: true, force: true })
}
process.exit(report() ? 0 : 1)

function note(kind, fetched, read) {
  figures[kind] ??= { byte: [], tier: [], disk: [] }
  figures[kind].byte.push(fetched.image - fetched.byte)
  figures[kind].tier.push(fetched.image - fetched.link)
  figures[kind].disk.push(read.image - read.link)
}

/** The table; true where the target was reached. */
function report() {
  console.log(
    `\n| only in an object store, ${rounds} rounds, medians, ms | first byte to first image | longest | link to first image | the same from the disk |`,
  )
  console.log('|---|---:|---:|---:|---:|')
  for (const [name, { byte, tier, disk }] of Object.entries(figures)) {
    const row = [median(byte), Math.max(...byte), median(tier), median(disk)]
    console.log(`| ${name} | ${row.map((figure) => figure.toFixed(0)).join(' | ')} |`)
  }
  const missed = Object.entries(figures).filter(([, { byte }]) => median(byte) > TARGET_MS)
  for (const [name] of missed) console.log(`Missed: ${name} after more than ${TARGET_MS} ms`)
  return missed.length === 0
}

/** Follows a link to the study: when the store sent its first byte, and when an image was drawn. */
async function open(context, studyInstanceUid) {
  const link = await stage.link(studyInstanceUid)
  sent = []
  store.send({ latencyMs })
  const page = await context.newPage()
  const began = Date.now()
  try {
    await page.goto(link)
    const options = { timeout: PATIENCE, polling: 20 }
    const drawn = await page.waitForFunction(() => window.firstImage, undefined, options)
    return { link: began, byte: sent[0], image: await drawn.jsonValue() }
  } catch (error) {
    await page.screenshot({ path: join(root, 'test-results', 'bench-tiers.png') })
    throw error
  } finally {
    await page.close()
    await untilQuiet()
  }
}

/** Waits until no further images of a study that is no longer open are fetched. */
async function untilQuiet() {
  for (let before = -1; sent.length > before; await wait(latencyMs + 500)) before = sent.length
}

/** In the page: the time at which a picture that is not of one colour was first drawn. */
function watchFirst() {
  const look = (event) => {
    const canvas = event.target.querySelector?.('canvas')
    const context = canvas?.getContext('2d')
    if (window.firstImage || !context || canvas.width === 0) return
    const { data } = context.getImageData(0, Math.floor(canvas.height / 2), canvas.width, 1)
    if (new Set(data.filter((_, at) => at % 4 === 0)).size > 2)
      window.firstImage = performance.timeOrigin + performance.now()
  }
  document.addEventListener('CORNERSTONE_IMAGE_RENDERED', look, true)
}

/**
 * Sends the studies as a device does, and copies them to the store. For each round and kind there
 * is one that is to be only in the store, and one that stays on the disk.
 */
async function storeStudies() {
  await stage.command('config', 'set', 'intake.idleSeconds', '1')
  await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT')
  const studies = []
  for (let round = 0; round <= rounds; round++)
    for (const [at, kind] of KINDS.entries()) {
      const [tier, disk] = [0, 1].map(
        (place) => `1.2.826.0.1.3680043.8.498.71.${round + 1}.${at + 1}.${place + 1}`,
      )
      for (const study of [tier, disk]) await storeStudy(at, study)
      studies.push({ kind, round, tier, disk })
    }
  const { tierId } = await call(dashboardTiers.add, { body: tierAt(`http://127.0.0.1:${port}`) })
  await call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => {
    const { tiers } = await call(dashboardTiers.list, {})
    return tiers[0]?.migration?.state === 'done'
  })
  return studies
}

async function storeStudy(kind, studyInstanceUid) {
  const series = { studyInstanceUid, seriesInstanceUid: `${studyInstanceUid}.2`, slices }
  const bodies =
    kind === 0
      ? Array.from({ length: slices }, (_, index) => phantomSlice(series, index + 1))
      : [mammogram(studyInstanceUid)]
  const files = bodies.map((body, index) => {
    const file = join(work, `${index}.dcm`)
    writeFileSync(file, Buffer.concat(body))
    return file
  })
  const to = ['-aet', 'CT1', '-aec', 'ISTHMUS', '127.0.0.1', String(stage.dimsePort)]
  run('storescu', [...to, ...files], { ...process.env, TCP_NODELAY: '1' })
  await stage.addStudy(studyInstanceUid)
}

/** Lets a rule remove the files of the studies that are to be only in the store. */
async function removeFiles(studies) {
  for (const { disk } of studies)
    await call(dashboardLifecycle.placeHold, {
      params: { studyInstanceUid: disk },
      body: { reason: 'Stays on the disk' },
    })
  const { ruleId } = await call(dashboardLifecycle.add, {
    body: {
      ...{ name: 'At once', since: 'received', days: 0, modalities: [], devices: [] },
      ...{ requiresSignedReport: false, copies: 1, isEarlierWhenLow: false },
      readsBack: false,
    },
  })
  const params = { ruleId }
  const { revision } = await call(dashboardLifecycle.preview, { params })
  await call(dashboardLifecycle.switch, { params, body: { isOn: true, revision } })
  for (const { tier } of studies)
    await until(async () => {
      await call(dashboardLifecycle.run, {})
      const study = { params: { studyInstanceUid: tier } }
      const { removed, instances } = await call(dashboardLifecycle.study, study)
      return removed === instances
    })
}

async function until(check) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await wait(200))
    if (await check()) return
  throw new Error(`It took too long: ${check}`)
}
