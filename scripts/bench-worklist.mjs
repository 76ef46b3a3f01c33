// npm run bench -- worklist: worklists of 100, 1000 and 5000 rows against wlmscpfs and Orthanc in the same run, as ratios; with the partner's answer
// fresh for 15 s and with the partner asked each time. Needs DCMTK, Orthanc with its worklist plugin, Python 3, a C compiler and the bench
// folder beside the project. Figures: docs/BENCHMARKS.md.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { environment, node24, root, stop } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100,1000,5000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1.5' },
    fresh: { type: 'string', default: '15,0' },
  },
})
const sources = process.env.ISTHMUS_BENCH ?? join(root, '..', 'shared', 'bench')
if (!existsSync(join(sources, 'side_by_side.sh'))) stop(`The bench folder is not at ${sources}; ISTHMUS_BENCH names another place.`)

/** Smallest ratio to the better peer's queries/s that a workload must reach (issue 1, point 5). */
const TARGETS = [
  { fresh: true, rows: (n) => n >= 1000, query: 'all', ratio: 25 },
  { fresh: true, rows: (n) => n === 5000, query: 'narrow', ratio: 50 },
  { fresh: false, rows: (n) => n === 1000, query: 'all', ratio: 3 },
]
const MEMORY_MIB = 150
const COLD_START_MS = 1000
const LISTENERS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']

const work = mkdtempSync(join(tmpdir(), 'isthmus-bench-'))
const bench = join(work, 'bench')
cpSync(sources, bench, { recursive: true })
const headless = join(root, 'dist', 'electron', 'headless.js')
const day = new Intl.DateTimeFormat('sv-SE').format(new Date()).replaceAll('-', '')
const env = { ...environment(), BENCH_DAY: day, BENCH_WORK: join(work, 'peers') }
const missed = []
try {
  run('make', ['-s', '-C', bench])
  const cold = await coldStart()
  check(`cold start to both listeners ${cold.toFixed(0)} ms`, cold < COLD_START_MS)
  for (const fresh of values.fresh.split(',').map(Number)) {
    for (const rows of values.rows.split(',').map(Number)) await measure(rows, fresh)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
console.log(missed.length === 0 ? '\nEvery target was reached.' : `\nMissed:\n${missed.map((line) => `  ${line}`).join('\n')}`)
process.exit(missed.length === 0 ? 0 : 1)

/** Median of five starts, in ms, from the start of the process to its ready line. */
async function coldStart() {
  const times = []
  for (let round = 0; round < 5; round++) {
    const started = performance.now()
    const gateway = await startCommand(['serve', '--data', join(work, `cold-${round}`), ...LISTENERS])
    times.push(performance.now() - started)
    await end(gateway)
  }
  return median(times)
}

async function measure(rows, freshSeconds) {
  const items = join(work, `items-${rows}.json`)
  writeFileSync(items, run('python3', [join(bench, 'partner_items.py'), String(rows)]))
  const secret = 'whsec_aXN0aG11cyBiZW5jaCBzZWNyZXQgMDEyMzQ1Njc='
  const data = join(work, `data-${rows}-${freshSeconds}`)
  const partner = await startCommand(['simulator', 'partner', '--port', '0', '--secret', secret, '--worklist', items])
  run(node24(), [headless, 'config', 'set', '--data', data, 'worklist.freshSeconds', String(freshSeconds)])
  const gateway = await startCommand([
    ...['serve', '--data', data, ...LISTENERS, '--ae-title', 'BENCH', '--log-level', 'error'],
    ...['--partner-url', partner.ready.url, '--partner-secret', secret, '--allow-unknown-devices'],
  ])
  const port = gateway.ready.dimse.split(':').at(-1)
  const json = join(work, 'result.json')
  console.log(`\n### ${rows} rows, ${freshSeconds > 0 ? `answers fresh for ${freshSeconds} s` : 'the partner asked each time'}\n`)
  try {
    console.log(
      run(join(bench, 'side_by_side.sh'), [port, 'BENCH', String(rows)], {
        JSON: json,
        NAME: 'isthmus',
        ROUNDS: values.rounds,
        SECONDS_EACH: values.seconds,
      }),
    )
    judge(JSON.parse(readFileSync(json, 'utf8')), rows, freshSeconds)
    const memory = pss(gateway.child.pid)
    if (rows === 5000) check(`${rows} rows, fresh ${freshSeconds} s: memory ${memory.toFixed(0)} MiB`, memory < MEMORY_MIB)
  } finally {
    await end(gateway)
    await end(partner)
  }
}

/** Ratios of one run: ours over the better peer's, medians of the rounds. */
function judge(result, rows, freshSeconds) {
  console.log('| workload | isthmus q/s | better peer q/s | ratio | p50 ms | better peer p50 ms | target |')
  console.log('|---|---:|---:|---:|---:|---:|---:|')
  for (const [workload, by] of Object.entries(result)) {
    if (workload.startsWith('echo')) continue
    const of = (label, key) => median(by[label].map((round) => round[key]).filter(Boolean))
    const ours = of('isthmus', 'ops/s')
    const best = Math.max(of('wlmscpfs', 'ops/s'), of('orthanc', 'ops/s'))
    const p50 = of('isthmus', 'p50')
    const bestP50 = Math.min(of('wlmscpfs', 'p50'), of('orthanc', 'p50'))
    const errors = by.isthmus.reduce((sum, round) => sum + round.errors, 0)
    const target = TARGETS.find((t) => t.fresh === freshSeconds > 0 && t.rows(rows) && workload.startsWith(t.query))
    const name = `${rows} ${workload}, fresh ${freshSeconds} s`
    console.log(
      `| ${name} | ${ours.toFixed(0)} | ${best.toFixed(1)} | ${(ours / best).toFixed(1)} | ${p50.toFixed(2)} | ${bestP50.toFixed(2)} | ${target ? `≥ ${target.ratio}×` : ''} |`,
    )
    if (errors > 0) missed.push(`${name}: ${errors} errors`)
    if (target && ours / best < target.ratio) missed.push(`${name}: ${(ours / best).toFixed(1)}× of ${target.ratio}×`)
    if (p50 >= bestP50) missed.push(`${name}: p50 ${p50.toFixed(2)} ms against ${bestP50.toFixed(2)} ms`)
  }
}

function check(sentence, good) {
  console.log(`${good ? 'reached' : 'MISSED'}: ${sentence}`)
  if (!good) missed.push(sentence)
}

function startCommand(args) {
  const child = spawn(node24(), [headless, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve({ child, ready: JSON.parse(line) }))
    child.once('exit', (status) => reject(new Error(`${args[0]} ended with ${status}`)))
  })
}

function end({ child }) {
  return new Promise((resolve) => {
    child.removeAllListeners('exit').once('exit', resolve)
    child.kill('SIGTERM')
  })
}

function run(command, args, more = {}) {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  })
  if (status !== 0) stop(`${command} ${args[0] ?? ''} failed.`)
  return stdout
}

function pss(pid) {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted.length === 0 ? 0 : ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}
