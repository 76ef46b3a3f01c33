// npm run bench -- worklist [--rounds N --seconds S --rows … --fresh … --write]: worklists of 100,
// 1000 and 5000 rows against wlmscpfs and Orthanc in the same run, as ratios; with the partner's
// answer fresh for 15 s and with the partner asked each time. --write puts the tables into
// docs/BENCHMARKS.md. Needs DCMTK, Orthanc with its worklist plugin, Python 3, a C compiler and the
// bench folder beside the project.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  aboutRun,
  command,
  dimsePortOf,
  ended,
  median,
  openBenchFolder,
  pssOf,
  SECRET,
  started,
  writeReport,
} from './bench-kit.mjs'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100,1000,5000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    fresh: { type: 'string', default: '15,0' },
    write: { type: 'boolean', default: false },
  },
})

/** Smallest ratio to the better peer's queries/s that a workload must reach. */
const TARGETS = [
  { fresh: true, rows: (n) => n >= 1000, query: 'all', ratio: 25 },
  { fresh: true, rows: (n) => n === 5000, query: 'narrow', ratio: 50 },
  { fresh: false, rows: (n) => n === 1000, query: 'all', ratio: 3 },
]
const MEMORY_MIB = 150
const COLD_START_MS = 1000
const LISTENERS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']
const HEAD = [
  '| rows, query, associations | ratio | target | isthmus q/s | better peer q/s | p50 ms | better peer p50 ms |',
  '|---|---:|---:|---:|---:|---:|---:|',
]
const freshness = (seconds) =>
  seconds > 0
    ? `The partner’s answer fresh for ${seconds} s`
    : 'The partner asked each time, on loopback'

const work = mkdtempSync(join(tmpdir(), 'isthmus-bench-'))
const day = new Intl.DateTimeFormat('sv-SE').format(new Date()).replaceAll('-', '')
const bench = openBenchFolder(work, { BENCH_DAY: day })
const missed = []
const told = []
const standing = []
try {
  bench.build()
  const cold = await coldStart()
  check(`Cold start to both listeners ${cold.toFixed(0)} ms`, cold < COLD_START_MS)
  for (const fresh of values.fresh.split(',').map(Number)) {
    told.push(`\n### ${freshness(fresh)}\n`, ...HEAD)
    for (const rows of values.rows.split(',').map(Number)) await measure(rows, fresh)
  }
  const about = aboutRun(`; medians of ${values.rounds} interleaved rounds of ${values.seconds} s.`)
  const report = [`${about} ${standing.join('; ')}.`, ...told].join('\n')
  console.log(`\n${report}`)
  if (values.write) writeReport('worklist', report)
} finally {
  await bench.end()
  rmSync(work, { recursive: true, force: true })
}
console.log(
  missed.length === 0
    ? '\nEvery target was reached.'
    : `\nMissed:\n${missed.map((line) => `  ${line}`).join('\n')}`,
)
process.exit(missed.length === 0 ? 0 : 1)

/** Median of five starts, in ms, from the start of the process to its ready line. */
async function coldStart() {
  const times = []
  for (let round = 0; round < 5; round++) {
    const since = performance.now()
    const gateway = await started(['serve', '--data', join(work, `cold-${round}`), ...LISTENERS])
    times.push(performance.now() - since)
    await ended(gateway)
  }
  return median(times)
}

async function measure(rows, freshSeconds) {
  const items = join(work, `items-${rows}.json`)
  writeFileSync(items, bench.run('python3', [join(bench.folder, 'partner_items.py'), String(rows)]))
  const data = join(work, `data-${rows}-${freshSeconds}`)
  const secretFile = join(work, 'partner-secret')
  writeFileSync(secretFile, SECRET, { mode: 0o600 })
  const partner = await started([
    'simulator',
    'partner',
    '--port',
    '0',
    '--secret-file',
    secretFile,
    '--worklist',
    items,
  ])
  command('config', 'set', '--data', data, 'worklist.freshSeconds', String(freshSeconds))
  const gateway = await started([
    ...['serve', '--data', data, ...LISTENERS, '--ae-title', 'BENCH', '--log-level', 'error'],
    ...[
      '--partner-url',
      partner.ready.url,
      '--partner-secret-file',
      secretFile,
      '--allow-unknown-devices',
    ],
  ])
  const port = String(dimsePortOf(gateway))
  const json = join(work, 'result.json')
  console.log(`\n${rows} rows. ${freshness(freshSeconds)}\n`)
  try {
    console.log(
      bench.run(join(bench.folder, 'side_by_side.sh'), [port, 'BENCH', String(rows)], {
        JSON: json,
        NAME: 'isthmus',
        ROUNDS: values.rounds,
        SECONDS_EACH: values.seconds,
      }),
    )
    judge(JSON.parse(readFileSync(json, 'utf8')), rows, freshSeconds)
    const memory = pssOf(gateway.child.pid)
    if (rows === 5000)
      check(
        `${rows} rows, fresh ${freshSeconds} s: memory ${memory.toFixed(0)} MiB`,
        memory < MEMORY_MIB,
      )
  } finally {
    await ended(gateway)
    await ended(partner)
  }
}

/** Ratios of one run: ours over the better peer's, medians of the rounds. */
function judge(result, rows, freshSeconds) {
  for (const [workload, by] of Object.entries(result)) {
    if (workload.startsWith('echo')) continue
    const of = (label, key) => median(by[label].map((round) => round[key]).filter(Boolean))
    const ours = of('isthmus', 'ops/s')
    const best = Math.max(of('wlmscpfs', 'ops/s'), of('orthanc', 'ops/s'))
    const p50 = of('isthmus', 'p50')
    const bestP50 = Math.min(of('wlmscpfs', 'p50'), of('orthanc', 'p50'))
    const errors = by.isthmus.reduce((sum, round) => sum + round.errors, 0)
    const target = TARGETS.find(
      (t) => t.fresh === freshSeconds > 0 && t.rows(rows) && workload.startsWith(t.query),
    )
    const name = `${rows} ${workload}, fresh ${freshSeconds} s`
    const ratios = `${(ours / best).toFixed(1)}× | ${target ? `≥ ${target.ratio}×` : ''}`
    told.push(
      `| ${rows} ${inWords(workload)} | ${ratios} | ${ours.toFixed(0)} | ${best.toFixed(1)} | ${p50.toFixed(2)} | ${bestP50.toFixed(2)} |`,
    )
    if (errors > 0) missed.push(`${name}: ${errors} errors`)
    if (target && ours / best < target.ratio)
      missed.push(`${name}: ${(ours / best).toFixed(1)}× of ${target.ratio}×`)
    if (p50 >= bestP50)
      missed.push(`${name}: p50 ${p50.toFixed(2)} ms against ${bestP50.toFixed(2)} ms`)
  }
}

/** `all new c1` of `side_by_side.sh`: the query, its associations, and how many at a time. */
function inWords(workload) {
  const [query, associations, count] = workload.split(' ')
  const rows = query === 'narrow' ? 'ten match' : 'all match'
  return `${rows}, ${associations === 'reuse' ? 'kept' : 'new'}, ${count === 'c1' ? 'one' : count.replace('c', '')}`
}

function check(sentence, good) {
  standing.push(sentence)
  console.log(`${good ? 'reached' : 'MISSED'}: ${sentence}`)
  if (!good) missed.push(sentence)
}
