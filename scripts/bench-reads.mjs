// What the audit of reading patient data costs: the gateway beside the same gateway without that
// audit, in one run. `npm run bench -- interface --reads` runs this part alone.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { openContext } from '../electron/server/context.ts'
import { listStudyRecords } from '../electron/server/modules/studies/study-queries.ts'
import { seedImages } from '../test/support/images.ts'
import { allEnded, median, startedScript } from './bench-kit.mjs'
import { seed } from './bench-window/clinic.mjs'
import { percentiles, signIn, timed } from './bench-window/gateway.mjs'

/** Least share of the calls that are answered without the audit. */
const RATIO = 0.9
const CONNECTIONS = 8
/** Until what was audited is written, which goes on after the replies. */
const WRITTEN_MS = 3000

/**
 * Says a table, and resolves with what missed its target.
 * @param {{ studies?: number, seconds: number, rounds: number, say: (line: string) => void }}
 *   options
 */
export async function benchReads({ studies = 20_000, seconds, rounds, say }) {
  const work = mkdtempSync(join(tmpdir(), 'isthmus-bench-reads-'))
  const gateways = []
  try {
    const folder = join(work, 'audited')
    const ids = await seeded(folder, studies)
    cpSync(folder, join(work, 'unaudited'), { recursive: true })
    for (const kind of ['audited', 'unaudited']) gateways.push(await open(join(work, kind), kind))
    say(
      '| read in the user interface | ratio | target | audited req/s | not audited req/s | p95 ms | not audited p95 ms |',
    )
    say('|---|---:|---|---:|---:|---:|---:|')
    const missed = []
    for (const { name, path } of callsOf(ids)) {
      const figures = await besideUnaudited(gateways, path, { seconds, rounds })
      const { ratio, rates, p95s } = figures
      const cells = [
        ratio.toFixed(2),
        `≥ ${RATIO}`,
        ...rates.map((rate) => rate.toFixed(0)),
        ...p95s.map((ms) => ms.toFixed(2)),
      ]
      say(`| ${[name, ...cells].join(' | ')} |`)
      if (ratio < RATIO)
        missed.push(`${name}: ${ratio.toFixed(2)} of ${RATIO} of what it is without the audit`)
    }
    return missed
  } finally {
    for (const { pool } of gateways) await pool.destroy()
    await allEnded()
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Lists are one entry in a quarter of an hour; each of the others is of a study nobody has looked
 * at, so an entry each.
 */
const callsOf = ({ studyIds, studyUids }) => [
  { name: 'list of studies', path: () => '/dashboard/studies?area=scribe' },
  {
    name: 'images of a study, another each time',
    path: (n) => `/dashboard/images/${studyUids[n % studyUids.length]}`,
  },
  {
    name: 'report of a study, another each time',
    path: (n) => `/dashboard/reading/${studyIds[n % studyIds.length]}`,
  },
]

async function seeded(folder, studies) {
  await seed(folder, studies)
  using store = openContext({ folder })
  const ids = { studyIds: [], studyUids: [] }
  let next
  do {
    const page = listStudyRecords(store.database, { area: 'scribe' }, next, 1000)
    for (const { studyId, studyInstanceUid } of page.items) {
      ids.studyIds.push(studyId)
      ids.studyUids.push(studyInstanceUid)
    }
    next = page.next
  } while (next !== undefined)
  store.database.transaction(() => {
    for (const uid of ids.studyUids) seedImages(store, { uid })
  })
  return ids
}

async function open(folder, kind) {
  const gateway = await startedScript(import.meta.filename, [folder, kind])
  const pool = new Pool(gateway.ready.http, { connections: CONNECTIONS })
  return { gateway, pool, cookie: await signIn(pool), asked: 0 }
}

async function besideUnaudited([audited, unaudited], path, { seconds, rounds }) {
  const measured = []
  for (const one of [audited, unaudited]) await load(one, path, 0.5)
  for (let round = 0; round < rounds; round++) {
    await wait(WRITTEN_MS)
    const with_ = await load(audited, path, seconds)
    await wait(WRITTEN_MS)
    measured.push([with_, await load(unaudited, path, seconds)])
  }
  const of = (figure) => median(measured.map(figure))
  return {
    ratio: of(([mine, bare]) => mine.rate / bare.rate),
    rates: [of(([mine]) => mine.rate), of(([, bare]) => bare.rate)],
    p95s: [of(([mine]) => mine.p95), of(([, bare]) => bare.p95)],
  }
}

async function load(one, path, seconds) {
  const times = []
  const end = performance.now() + seconds * 1000
  const worker = async () => {
    while (performance.now() < end) times.push(await timed(one.pool, path(one.asked++), one.cookie))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  return { rate: times.length / seconds, ...percentiles(times) }
}

/**
 * The gateway in this process; without the audit, the module that notes what was read is replaced.
 */
async function serveGateway(folder, kind) {
  if (kind === 'unaudited')
    registerHooks({
      load: (url, context, next) =>
        url.endsWith('/electron/server/modules/audit/access-paths.ts')
          ? {
              format: 'module',
              shortCircuit: true,
              source: 'export const recordAccessIn = () => () => {}',
            }
          : next(url, context),
    })
  const { serve } = await import('../electron/cli/serve.ts')
  const listeners = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']
  process.exit(await serve(['--data', folder, ...listeners, '--log-level', 'error']))
}

const [folder, kind] = process.argv.slice(2)
if (import.meta.main && folder && kind) await serveGateway(folder, kind)
