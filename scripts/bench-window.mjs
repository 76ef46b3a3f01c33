// npm run bench -- window: the window's list of studies with 1,000,000 studies. Search as one types, over HTTP, term by term and letter by
// letter, with and without filters, beside the plain first page of the same list in the same run. Figures: docs/BENCHMARKS.md.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { openParts } from '../electron/gateway/parts.ts'
import { environment, node24, root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    studies: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '30' },
    /** Another build of the gateway, or its source. */
    entry: { type: 'string', default: join(root, 'dist/electron/headless.js') },
    /** A folder that is kept, and used again when it is there. */
    folder: { type: 'string' },
  },
})
const STUDIES = Number(values.studies)
const ROUNDS = Number(values.rounds)
const SEARCH_P95_MS = 150
const TODAY_P95_MS = 30
const PERSON = { email: 'bench@clinic.example', password: 'a long sentence for the bench' }
const OWN_PAGE = { 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }

async function bench() {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'isthmus-bench-'))
  mkdirSync(folder, { recursive: true })
  const missed = []
  let gateway
  try {
    const of = await seed(folder)
    gateway = await start([values.entry, 'serve', '--data', folder, ...OPTIONS])
    missed.push(...(await lists(gateway.ready.http, of)))
  } finally {
    await gateway?.end()
    if (!values.folder) rmSync(folder, { recursive: true, force: true })
  }
  console.log(missed.length === 0 ? '\nEvery target was reached.' : `\nMissed:\n${missed.map((line) => `  ${line}`).join('\n')}`)
  process.exit(missed.length === 0 ? 0 : 1)
}
const OPTIONS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off', '--log-level', 'error']

// ---- Search as one types -------------------------------------------------------------------------------------------------------------

/** Typed letter by letter: what is common, what is rare, what is nowhere, and numbers. */
const TYPED = {
  'a common name': 'garcia',
  'a rare name': 'zyskowski',
  'two words that never meet': 'contrast plain',
  'two words in any order': 'ana garcia',
  Japanese: '山田 太郎',
  'an accession number': 'a00499',
  'an MRN of one digit': '1111111',
  'nothing that is there': 'qqxyzz',
}
const whole = (text) => [text]
const letterByLetter = (text) =>
  Array.from(text, (_, at) => text.slice(0, at + 1).trim()).filter((part, at, all) => all.indexOf(part) === at)

function filters({ userId, customerId }) {
  const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)
  return {
    'no other filter': 'cancelled=all',
    'not cancelled': '',
    'stat, not cancelled': 'severity=stat',
    'stat of one customer, mine': `severity=stat&expressCustomerId=${customerId}&assignedTo=${userId}`,
    'in progress since five days': `status=in_progress&from=${day}`,
    'by priority': 'order=priority',
  }
}

async function lists(http, of) {
  const pool = new Pool(http, { connections: 1 })
  const cookie = await signIn(pool)
  const read = async (query) => {
    const sent = performance.now()
    const { statusCode, body } = await pool.request({
      path: `/dashboard/studies?area=scribe&${query}`,
      method: 'GET',
      headers: { ...OWN_PAGE, cookie },
    })
    const text = await body.text()
    const took = performance.now() - sent
    if (statusCode !== 200) throw new Error(`${query} was answered ${statusCode}: ${text}`)
    return took
  }
  const missed = []
  for (let round = 0; round < ROUNDS; round++) await read('limit=20')
  console.log(`\n${STUDIES} studies; ${ROUNDS} rounds, one request at a time, each beside the plain page\n`)
  console.log('| list | p50 ms | p95 ms | plain page p50 ms | ratio | target |')
  console.log('|---|---:|---:|---:|---:|---|')
  for (const [filterName, filter] of Object.entries(filters(of)))
    for (const [name, text] of Object.entries({ 'nothing typed': '', ...TYPED })) {
      const times = []
      const plain = []
      for (let round = 0; round < ROUNDS; round++)
        for (const typed of filter === '' ? letterByLetter(text || ' ') : whole(text)) {
          plain.push(await read('limit=20'))
          times.push(await read(`limit=20&${filter}&search=${encodeURIComponent(typed)}`))
        }
      const [mine, beside] = [percentiles(times), percentiles(plain)]
      const row = [
        `${name}, ${filterName}`,
        mine.p50.toFixed(1),
        mine.p95.toFixed(1),
        beside.p50.toFixed(1),
        (mine.p50 / beside.p50).toFixed(1),
      ]
      console.log(`| ${row.join(' | ')} | p95 < ${SEARCH_P95_MS} ms |`)
      if (mine.p95 > SEARCH_P95_MS) missed.push(`${name}, ${filterName}: p95 ${mine.p95.toFixed(0)} ms`)
    }
  for (const [name, query] of Object.entries({
    'a common name': 'search=garcia',
    'a letter': 'search=m',
    'the area': '',
    stat: 'severity=stat',
  })) {
    const times = []
    for (let round = 0; round < ROUNDS; round++) times.push(await timed(pool, `/dashboard/studies/counts?area=scribe&${query}`, cookie))
    const { p50, p95 } = percentiles(times)
    console.log(`| counts: ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} | | | p95 < ${SEARCH_P95_MS} ms |`)
    if (p95 > SEARCH_P95_MS) missed.push(`counts of ${name}: p95 ${p95.toFixed(0)} ms`)
  }
  const today = []
  for (let round = 0; round < ROUNDS; round++) today.push(await timed(pool, '/dashboard/today', cookie))
  const { p50, p95 } = percentiles(today)
  console.log(`| Today | ${p50.toFixed(1)} | ${p95.toFixed(1)} | | | p95 < ${TODAY_P95_MS} ms |`)
  if (p95 > TODAY_P95_MS) missed.push(`Today: p95 ${p95.toFixed(0)} ms`)
  await pool.close()
  return missed
}

async function timed(pool, path, cookie) {
  const sent = performance.now()
  const { statusCode, body } = await pool.request({ path, method: 'GET', headers: { ...OWN_PAGE, cookie } })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`)
  return performance.now() - sent
}

async function signIn(pool) {
  const answer = await pool.request({ path: '/dashboard/session', method: 'POST', headers: OWN_PAGE, body: JSON.stringify(PERSON) })
  const text = await answer.body.text()
  const cookie = [answer.headers['set-cookie']].flat()[0]?.split(';')[0]
  if (answer.statusCode >= 300 || !cookie) throw new Error(`no session: ${answer.statusCode} ${text}`)
  return cookie
}

// ---- A clinic of a million studies, all of it invented ---------------------------------------------------------------------------------

const FAMILY = ['Garcia', 'Rossi', 'Müller', 'Novak', 'Silva', 'Ivanova', 'Haddad', 'Nguyen', 'Okafor', 'Lindqvist', 'Papadakis', 'Moreau']
const SYLLABLES = [
  'ba',
  'le',
  'ro',
  'kin',
  'mar',
  'tu',
  'sen',
  'vi',
  'do',
  'ra',
  'lo',
  'pe',
  'gar',
  'nu',
  'ski',
  'ten',
  'fa',
  'wi',
  'zo',
  'he',
]
const GIVEN = ['Ana', 'Luis', 'Marta', 'Jonas', 'Lucía', 'Peter', 'Amina', 'Tomás', 'Chiara', 'Olga', 'Ravi', 'Yuki']
const EXAMS = [
  'CT Thorax',
  'MR Knie',
  'US Abdomen',
  'XR Hand',
  'CT Schädel',
  'MR Lendenwirbelsäule',
  'MG Screening',
  'CT Abdomen und Becken',
]
const STATUSES = ['unassigned', 'assigned', 'in_progress', 'completed', 'completed', 'completed', 'completed']

function nameOf(index) {
  if (index % Math.ceil(STUDIES / 10) === 7) return `Zyskowski^${GIVEN[index % 12]}`
  if (index % 500 === 3) return `Yamada^Tarou=山田^太郎=やまだ^たろう`
  const at = (index * 7919) % 8000
  const made = SYLLABLES[at % 20] + SYLLABLES[Math.floor(at / 20) % 20] + SYLLABLES[Math.floor(at / 400)]
  const family = index % 5 === 0 ? FAMILY[(index / 5) % 12] : made[0].toUpperCase() + made.slice(1)
  return `${family}^${GIVEN[Math.floor(index / 3) % 12]}`
}

/** Fills a data folder, newest last; one transaction for each 10,000. */
async function seed(folder) {
  const started = Date.now()
  using parts = openParts(folder)
  const { store } = parts
  const known = store.users.byEmail(PERSON.email)
  if (known) return { userId: known.userId, customerId: store.customers.list({}, undefined, 1).items[0].expressCustomerId }
  const person = { ...PERSON, firstName: 'Bench', lastName: 'Person', level: 'owner', clinicRole: 'Radiologist' }
  const { userId } = await parts.people.createUser(person, 'command-line')
  const at = new Date(started).toISOString()
  const maker = { createdByApiKeyId: null, createdByUserId: userId }
  const customers = Array.from({ length: 20 }, (_, index) => {
    const expressCustomerId = `cus_${hex()}`
    const made = { isActive: true, createdAt: at, updatedAt: at, ...maker, metadata: undefined }
    store.customers.insert({ expressCustomerId, expressCustomerName: `Clinic ${index}`, ...made })
    return expressCustomerId
  })
  for (let first = 0; first < STUDIES; first += 10_000)
    store.database.transaction(() => {
      for (let index = first; index < Math.min(first + 10_000, STUDIES); index++)
        store.studies.insert(studyOf(index, started, userId, customers, maker))
    })
  const seconds = (Date.now() - started) / 1000
  console.log(`${STUDIES} studies in ${seconds.toFixed(0)} s: ${((seconds / STUDIES) * 1000).toFixed(3)} ms each`)
  return { userId, customerId: customers[10] }
}

function studyOf(index, now, userId, customers, maker) {
  const at = new Date(now - (STUDIES - index) * 60_000).toISOString()
  const mrn = String((index * 9973) % 10_000_000).padStart(7, '0')
  const status = STATUSES[index % 7]
  return {
    area: 'scribe',
    studyId: `stu_${hex()}`,
    studyInstanceUid: `1.2.826.0.1.3680043.10.999.${now}.${index}`,
    studyDescription: `${EXAMS[index % 8]} ${index % 2 ? 'with contrast' : 'plain'}`,
    severity: index % 50 === 0 ? 'stat' : index % 11 === 0 ? 'high' : 'normal',
    status,
    cancelledAt: index % 29 === 0 ? at : null,
    createdAt: at,
    updatedAt: at,
    assignedTo: status === 'unassigned' ? null : userId,
    expressCustomerId: index % 3 === 0 ? null : customers[index % 20],
    ...maker,
    detail: {
      reportMetadata: {
        patientName: nameOf(index),
        mrn,
        dateOfBirth: `1961-04-0${1 + (index % 9)}`,
        sex: index % 2 ? 'female' : 'male',
        scanType: 'CT',
      },
      externalPatientId: `a${String(index).padStart(8, '0')}`,
    },
  }
}
const hex = () => randomUUID().replaceAll('-', '')

// ---- Pieces ----------------------------------------------------------------------------------------------------------------------------

function percentiles(times) {
  times.sort((a, b) => a - b)
  return { p50: times[times.length >> 1] ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 }
}

function start(args) {
  const child = spawn(node24(), args, { stdio: ['ignore', 'pipe', 'inherit'], env: environment() })
  const end = () =>
    new Promise((resolve) => {
      child.removeAllListeners('exit').once('exit', resolve)
      child.kill('SIGTERM')
    })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve({ ready: JSON.parse(line), end }))
    child.once('exit', (status) => reject(new Error(`${args[0]} ended with ${status}`)))
  })
}

await bench()
