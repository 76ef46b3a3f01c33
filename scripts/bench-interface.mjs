// npm run bench -- interface [--write]: the HTTP interface on 1,000,000 studies beside a bare
// Fastify route that returns the same bytes, in one run: first page, deep page, three filters at
// once, contains-search, read by id, create. Then what auditing reads costs; alone with --reads.
// --write puts the tables into docs/BENCHMARKS.md.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fastify } from 'fastify'
import { Pool } from 'undici'
import { openContext } from '../electron/server/context.ts'
import { createApiKey } from '../electron/server/modules/api-keys/api-keys.ts'
import { insertCustomer } from '../electron/server/modules/customers/queries.ts'
import { insertStudy } from '../electron/server/modules/studies/study-writing-queries.ts'
import {
  aboutRun,
  allEnded,
  ended,
  median,
  started,
  startedScript,
  writeReport,
} from './bench-kit.mjs'
import { benchReads } from './bench-reads.mjs'
import { stop } from './setup.mjs'

const { values } = parseArgs({
  options: {
    studies: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    peer: { type: 'string' },
    reads: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const STUDIES = Number(values.studies)
const SECONDS = Number(values.seconds)
const CONNECTIONS = 8
const RATIO = 0.5
const SEARCH_P95_MS = 100
const DEEP = 0.2
const COLD = ['first page of 20', 'deep page of 20', 'read by id']

const said = []
function say(line) {
  console.log(line)
  said.push(line)
}

async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-bench-'))
  const missed = []
  try {
    const seeded = seed(folder)
    const gateway = await startGateway(folder)
    const pool = new Pool(gateway.ready.http, { connections: CONNECTIONS })
    const ours = { pool, headers: { authorization: `Bearer ${seeded.key}` } }
    const calls = callsOf(seeded, await deepCursor(ours))
    say(
      aboutRun(
        `; ${STUDIES} studies, ${CONNECTIONS} connections, medians of ${values.rounds} interleaved rounds of ${SECONDS} s.`,
      ),
    )
    say('')
    say('| call | ratio | target | isthmus req/s | bare Fastify req/s | p50 ms | p95 ms |')
    say('|---|---:|---|---:|---:|---:|---:|')
    const rates = {}
    for (const call of calls) {
      const measured = await besideBare(ours, call)
      rates[call.name] = measured.rate
      say(rowOf(call, measured))
      missed.push(...missesOf(call, measured, rates))
    }
    // What the interface costs where nothing can be answered again: each of these reads follows a
    // change.
    for (const { name, path } of calls.filter((call) => COLD.includes(call.name))) {
      const rounds = []
      for (let round = 0; round < Number(values.rounds); round++)
        rounds.push(await loadAfterChanges(ours, path, `/v1/viewer/studies/${seeded.studyId}`))
      const [rate, p50, p95] = ['rate', 'p50', 'p95'].map((figure) =>
        median(rounds.map((round) => round[figure])),
      )
      say(
        `| ${name}, after a change each time | | | ${rate.toFixed(0)} | | ${p50.toFixed(2)} | ${p95.toFixed(2)} |`,
      )
    }
    const created = await load(
      pool,
      '/v1/viewer/studies',
      { ...ours.headers, 'content-type': 'application/json' },
      newStudy,
    )
    say(
      `| create | | | ${created.rate.toFixed(0)} | | ${created.p50.toFixed(2)} | ${created.p95.toFixed(2)} |`,
    )
    if (values.write) writeReport('interface', said.join('\n'))
    await pool.close()
  } finally {
    await allEnded()
    rmSync(folder, { recursive: true, force: true })
  }
  return missed
}

/** Of a person at the window, and of 20,000 studies or fewer: the audit is the same for more. */
async function benchReading() {
  const lines = []
  const studies = Math.min(20_000, STUDIES)
  const say = (line) => {
    console.log(line)
    lines.push(line)
  }
  say(
    aboutRun(
      `; ${studies} studies, ${CONNECTIONS} connections, medians of ${values.rounds} interleaved rounds of ${SECONDS} s.`,
    ),
  )
  say('')
  const missed = await benchReads({ studies, seconds: SECONDS, rounds: Number(values.rounds), say })
  if (values.write) writeReport('reads', lines.join('\n'))
  return missed
}

async function main() {
  const missed = values.reads ? [] : await bench()
  missed.push(...(await benchReading()))
  console.log(
    missed.length === 0
      ? '\nEvery target was reached.'
      : `\nMissed:\n${missed.map((line) => `  ${line}`).join('\n')}`,
  )
  process.exit(missed.length === 0 ? 0 : 1)
}

function startGateway(folder) {
  const listeners = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']
  return started(['serve', '--data', folder, ...listeners, '--log-level', 'error'])
}

/**
 * What is measured. `ratio`: against the bare route. `search`: by its p95. `like`: as fast as that
 * other call.
 */
const callsOf = ({ studyId, customerId }, deep) => [
  { name: 'first page of 20', path: '/v1/viewer/studies', ratio: true },
  {
    name: 'deep page of 20',
    path: `/v1/viewer/studies?cursor=${encodeURIComponent(deep)}`,
    ratio: true,
    like: 'first page of 20',
  },
  {
    name: 'three filters',
    path: `/v1/viewer/studies?severity=stat&isCancelled=false&expressCustomerId=${customerId}`,
    ratio: true,
  },
  { name: 'read by id', path: `/v1/viewer/studies/${studyId}`, ratio: true },
  ...SEARCHES.map(({ name, term }) => ({
    name: `search ${name}`,
    path: `/v1/viewer/studies?studyDescription=${encodeURIComponent(term)}`,
    search: true,
  })),
]

/** Medians of rounds of a call and of a bare route that answers the same bytes, in turn. */
async function besideBare(ours, { path, search }) {
  const peer = await startPeer(await read(ours, path))
  const rounds = []
  // What is measured first would pay for the compiler.
  await load(ours.pool, path, ours.headers)
  await load(peer.pool, '/', {})
  // A search is asked with a parameter that nobody reads, so that each is searched for.
  const asking = search ? () => `${path}&asked=${++asked}` : path
  for (let round = 0; round < Number(values.rounds); round++) {
    const mine = await load(ours.pool, asking, ours.headers)
    rounds.push([mine, await load(peer.pool, '/', {})])
  }
  await peer.end()
  const of = (figure) => median(rounds.map(figure))
  return {
    rate: of(([mine]) => mine.rate),
    bare: of(([, bare]) => bare.rate),
    ratio: of(([mine, bare]) => mine.rate / bare.rate),
    p50: of(([mine]) => mine.p50),
    p95: of(([mine]) => mine.p95),
  }
}

function rowOf(call, { rate, bare, ratio, p50, p95 }) {
  const figures = [rate.toFixed(0), bare.toFixed(0), p50.toFixed(2), p95.toFixed(2)]
  return `| ${[call.name, ratio.toFixed(2), targetOf(call), ...figures].join(' | ')} |`
}

function targetOf({ search, like }) {
  if (search) return `p95 < ${SEARCH_P95_MS} ms`
  return like ? `≥ ${RATIO}, as “${like}” ± ${DEEP * 100} %` : `≥ ${RATIO}`
}

/** What a call missed of its targets, in words. */
function missesOf(call, { rate, ratio, p95 }, rates) {
  const beside = rate / rates[call.like]
  return [
    call.ratio && ratio < RATIO && `${call.name}: ratio ${ratio.toFixed(2)} of ${RATIO}`,
    call.search && p95 > SEARCH_P95_MS && `${call.name}: p95 ${p95.toFixed(0)} ms`,
    call.like &&
      Math.abs(beside - 1) > DEEP &&
      `${call.name}: ${beside.toFixed(2)} of ${call.like}`,
  ].filter(Boolean)
}

const REGIONS = [
  'Thorax',
  'Abdomen',
  'Knie',
  'Schädel',
  'Грудная клетка',
  'Wirbelsäule',
  'Hand',
  'Fuß',
]
const SEARCHES = [
  { name: 'ten hits', term: 'zebrafish' },
  { name: 'half of all', term: 'contrast' },
  { name: 'none', term: 'qqqzzz' },
  { name: 'two letters', term: 'zx' },
  { name: 'Cyrillic', term: 'грудная' },
  { name: 'accent', term: 'schadel' },
]

/** Fills a data folder, newest last; one transaction for each 10,000. */
function seed(folder) {
  const started = Date.now()
  using store = openContext({ folder })
  store.settings.change(
    { 'http.ratePerSecond': 1_000_000, 'http.rateBurst': 1_000_000 },
    'command-line',
  )
  const { key, apiKey } = createApiKey(
    store,
    { description: 'bench', isViewerEnabled: true, scope: 'all' },
    'command-line',
  )
  const customers = Array.from({ length: 20 }, (_, index) => {
    const expressCustomerId = `cus_${hex()}`
    const at = new Date(started).toISOString()
    insertCustomer(store.database, {
      expressCustomerId,
      expressCustomerName: `Clinic ${index}`,
      isActive: true,
      createdAt: at,
      updatedAt: at,
      createdByApiKeyId: apiKey.apiKeyId,
      createdByUserId: null,
      metadata: undefined,
    })
    return expressCustomerId
  })
  let studyId = ''
  for (let first = 0; first < STUDIES; first += 10_000) {
    store.database.transaction(() => {
      for (let index = first; index < Math.min(first + 10_000, STUDIES); index++) {
        const at = new Date(started - (STUDIES - index) * 1000).toISOString()
        studyId = `stu_${hex()}`
        const rare = index % Math.ceil(STUDIES / 10) === 7 ? ' zebrafish' : ''
        insertStudy(store.database, {
          area: 'viewer',
          studyId,
          studyInstanceUid: `2.25.${1_000_000_000 + index}`,
          studyDescription: `${REGIONS[index % 8]} ${index % 2 ? 'with contrast' : 'plain'} ${index}${rare}`,
          severity: index % 50 === 0 ? 'stat' : 'normal',
          status: 'incomplete',
          cancelledAt: index % 7 === 0 ? at : null,
          createdAt: at,
          updatedAt: at,
          assignedTo: null,
          expressCustomerId: customers[index % 20],
          createdByApiKeyId: apiKey.apiKeyId,
          createdByUserId: null,
          detail: {},
        })
      }
    })
  }
  console.log(`${STUDIES} studies in ${((Date.now() - started) / 1000).toFixed(0)} s`)
  return { key, studyId, customerId: customers[10] }
}

const hex = () => randomUUID().replaceAll('-', '')
let made = 0
let asked = 0
const newStudy = () =>
  JSON.stringify({
    studyInstanceUid: `2.25.9${++made}`,
    studyDescription: 'Made by the bench',
    severity: 'normal',
  })

async function read({ pool, headers }, path) {
  const { statusCode, body } = await pool.request({ path, method: 'GET', headers })
  const text = await body.text()
  if (statusCode !== 200) stop(`${path} was answered ${statusCode}: ${text}`)
  return text
}

/** A cursor some thousand pages in. */
async function deepCursor(ours) {
  let cursor = ''
  for (let page = 0; page < Math.min(2000, STUDIES / 200); page++) {
    const reply = JSON.parse(
      await read(
        ours,
        `/v1/viewer/studies?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      ),
    )
    cursor = reply.cursor ?? cursor
  }
  return cursor
}

/**
 * Reads one after the other, each when a change of that study has been answered; only the reads are
 * counted and timed.
 */
async function loadAfterChanges({ pool, headers }, path, changedPath) {
  const times = []
  const end = performance.now() + SECONDS * 1000
  while (performance.now() < end) {
    const body = JSON.stringify({ studyDescription: `Changed ${++made}` })
    const changed = await pool.request({
      path: changedPath,
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    await changed.body.dump({ limit: 1 << 24 })
    const sent = performance.now()
    const answer = await pool.request({ path, method: 'GET', headers })
    await answer.body.dump({ limit: 1 << 24 })
    times.push(performance.now() - sent)
    if (changed.statusCode !== 200 || answer.statusCode !== 200)
      stop(`${path}: ${changed.statusCode}, ${answer.statusCode}`)
  }
  const total = times.reduce((sum, time) => sum + time, 0)
  return { rate: (times.length / total) * 1000, ...percentiles(times) }
}

/**
 * Requests one after the other on each connection for so many seconds. `path` may be asked for anew
 * each time.
 */
async function load(pool, path, headers, body) {
  const times = []
  const end = performance.now() + SECONDS * 1000
  const worker = async () => {
    while (performance.now() < end) {
      const sent = performance.now()
      const asking = typeof path === 'function' ? path() : path
      const answer = await pool.request({
        path: asking,
        method: body ? 'POST' : 'GET',
        headers,
        ...(body && { body: body() }),
      })
      await answer.body.dump({ limit: 1 << 24 })
      if (answer.statusCode >= 300) stop(`${asking} was answered ${answer.statusCode}`)
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  return { rate: times.length / SECONDS, ...percentiles(times) }
}

function percentiles(times) {
  times.sort((a, b) => a - b)
  return { p50: times[times.length >> 1] ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 }
}

/** The peer, in a process of its own: a route that returns these bytes, and nothing else. */
async function servePeer(base64) {
  const bytes = Buffer.from(base64, 'base64')
  const app = fastify()
  app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
  console.log(JSON.stringify({ http: await app.listen({ host: '127.0.0.1', port: 0 }) }))
}

async function startPeer(text) {
  const peer = await startedScript(import.meta.filename, [
    '--peer',
    Buffer.from(text).toString('base64'),
  ])
  const pool = new Pool(peer.ready.http, { connections: CONNECTIONS })
  return {
    pool,
    async end() {
      await pool.close()
      await ended(peer)
    },
  }
}

if (values.peer) await servePeer(values.peer)
else await main()
