// npm run bench -- tiers [--rounds 5 --slices 500]: from the first byte that an object store sends to
// the first image on the screen, for a study whose files are only in that store; beside the same
// study from the disk. The built gateway, s3rver in a process of its own, Chromium. Needs DCMTK.
// Figures: docs/BENCHMARKS.md.
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
import { startObjectStore } from '../test/support/object-store.ts'
import { median, run } from './bench-kit.mjs'
import { mammogram } from './bench-viewer/mammogram.mjs'
import { root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    slices: { type: 'string', default: '500' },
  },
})
const [rounds, slices] = [Number(values.rounds), Number(values.slices)]
const CT = '1.2.826.0.1.3680043.8.498.71001'
const MAMMOGRAM = '1.2.826.0.1.3680043.8.498.71002'
const STUDIES = {
  [`CT of ${slices} slices`]: CT,
  'mammogram of 4000 × 5000': MAMMOGRAM,
}
const TARGET_MS = 1000
const PATIENCE = 180_000

const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-tiers-'))
const stage = await openViewerStage()
const store = await startObjectStore({ isOwnProcess: true })
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
  await storeStudies()
  await addRule()
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  await context.addInitScript(watchFirst)
  for (let round = 0; round <= rounds; round++) {
    for (const [name, study] of Object.entries(STUDIES)) {
      await removed(study)
      const tier = await open(context, study)
      const disk = await open(context, study)
      // The first round fills caches of code, and is not counted.
      if (round > 0) note(name, { tier, disk })
    }
  }
} finally {
  await browser.close()
  await stage[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  rmSync(work, { recursive: true, force: true })
}
process.exit(report() ? 0 : 1)

function note(name, { tier, disk }) {
  figures[name] ??= { byte: [], tier: [], disk: [] }
  figures[name].byte.push(tier.image - tier.byte)
  figures[name].tier.push(tier.image - tier.link)
  figures[name].disk.push(disk.image - disk.link)
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
  let byte = Number.POSITIVE_INFINITY
  store.intervene({
    hold() {
      byte = Math.min(byte, Date.now())
    },
  })
  const page = await context.newPage()
  const began = Date.now()
  try {
    await page.goto(link)
    const options = { timeout: PATIENCE, polling: 20 }
    const drawn = await page.waitForFunction(() => window.firstImage, undefined, options)
    const image = await drawn.jsonValue()
    // The page fetches the rest, so that the study is on the disk.
    await until(async () => (await lifecycleOf(studyInstanceUid)).removed === 0)
    return { link: began, byte, image }
  } catch (error) {
    await page.screenshot({ path: join(root, 'test-results', 'bench-tiers.png') })
    throw error
  } finally {
    await page.close()
    store.intervene({})
  }
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

/** Sends the studies as a device does, and copies them to the store. */
async function storeStudies() {
  const series = { studyInstanceUid: CT, seriesInstanceUid: `${CT}.2`, slices }
  const bodies = Array.from({ length: slices }, (_, index) => phantomSlice(series, index + 1))
  const files = [...bodies, mammogram(MAMMOGRAM)].map((body, index) => {
    const file = join(work, `${index}.dcm`)
    writeFileSync(file, Buffer.concat(body))
    return file
  })
  await stage.command('config', 'set', 'intake.idleSeconds', '1')
  await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT')
  run(
    'storescu',
    ['-aet', 'CT1', '-aec', 'ISTHMUS', '127.0.0.1', String(stage.dimsePort), ...files],
    {
      ...process.env,
      TCP_NODELAY: '1',
    },
  )
  for (const study of Object.values(STUDIES)) await stage.addStudy(study)
  const { tierId } = await call(dashboardTiers.add, { body: store.tier({ name: 'Store' }) })
  await call(dashboardTiers.migrate, { params: { tierId } })
  await until(async () => {
    const { tiers } = await call(dashboardTiers.list, {})
    return tiers[0]?.migration?.state === 'done'
  })
}

async function addRule() {
  const { ruleId } = await call(dashboardLifecycle.add, {
    body: {
      ...{ name: 'At once', since: 'received', days: 0, modalities: [], devices: [] },
      ...{ requiresSignedReport: false, copies: 1, isEarlierWhenLow: false },
    },
  })
  const params = { ruleId }
  const { revision } = await call(dashboardLifecycle.preview, { params })
  await call(dashboardLifecycle.switch, { params, body: { isOn: true, revision } })
}

/** Lets the rule remove the files of the study from the disk. */
function removed(studyInstanceUid) {
  return until(async () => {
    await call(dashboardLifecycle.run, {})
    const found = await lifecycleOf(studyInstanceUid)
    return found.removed === found.instances
  })
}

function lifecycleOf(studyInstanceUid) {
  return call(dashboardLifecycle.study, { params: { studyInstanceUid } })
}

async function until(check) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await wait(200))
    if (await check()) return
  throw new Error(`It took too long: ${check}`)
}
