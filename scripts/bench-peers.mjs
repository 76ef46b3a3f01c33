// npm run bench -- peers [--rounds N --seconds S --instances N --write]: echo, worklist, storage,
// memory and start beside wlmscpfs, storescp, Orthanc, dcmjs-dimse and the floor of loopback, all
// in one run, interleaved; ratios first. --write puts the table into docs/BENCHMARKS.md. Needs
// DCMTK, Orthanc with its worklist plugin, Python 3, a C compiler and the bench folder beside the
// project; dcmjs-dimse comes by npm.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { aboutRun, openBenchFolder, run, writeReport } from './bench-kit.mjs'
import { ROWS, startServers } from './bench-peers/servers.mjs'
import { standingOf, tableOf } from './bench-peers/table.mjs'
import { root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1.5' },
    instances: { type: 'string', default: '200' },
    write: { type: 'boolean', default: false },
  },
})
const MANY = '100000000'
/** Least share of the floor : what the worklist's own work may cost. */
const TARGETS = {
  [`worklist, ${ROWS} rows all match, one association kept`]: 0.1,
  [`worklist, ${ROWS} rows all match, eight kept`]: 0.1,
  [`worklist, ten of ${ROWS} match, one association kept`]: 0.3,
  [`worklist, ten of ${ROWS} match, eight kept`]: 0.3,
}

// Beside the project, not in the temporary folder, which may be another disk, or none.
const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-peers-'))
const day = new Intl.DateTimeFormat('sv-SE').format(new Date()).replaceAll('-', '')
const bench = openBenchFolder(work, { BENCH_DAY: day })
const tell = (line) => console.error(line)
try {
  bench.build()
  const queries = bench.peers('data', 'q')
  const ct = bench.peers('data', 'ct')
  const images = readdirSync(ct)
    .sort()
    .map((name) => join(ct, name))
  bench.fillPageCache()
  const { servers, missing } = await startServers(bench, work, tell)
  const workloads = workloadsOf(queries, images)
  const empty = () => Object.fromEntries(servers.map(({ name }) => [name, []]))
  const results = Object.fromEntries(Object.keys(workloads).map((name) => [name, empty()]))
  const faults = []
  for (let round = 0; round <= Number(values.rounds); round++) {
    tell(round === 0 ? 'warming' : `round ${round} of ${values.rounds}`)
    for (const [name, { what, ask }] of Object.entries(workloads)) {
      for (const server of servers.filter(({ does }) => does.includes(what))) {
        const { 'ops/s': rate, errors } = ask(server.port(what), round)
        if (errors > 0) faults.push(`${name}, ${server.name}: ${errors} errors`)
        if (round > 0) results[name][server.name].push(rate)
      }
    }
  }
  const { rows, text } = tableOf(results, servers, TARGETS)
  const about = aboutRun(
    `, ${versions()}; ${values.rounds} interleaved rounds of ${values.seconds} s, medians.`,
  )
  const report = `${about}\n\nOperations a second:\n\n${text}\n\n${standingOf(servers)}`
  console.log(report)
  for (const one of missing) console.log(`\nNot in this run: ${one}.`)
  if (values.write) writeReport('peers', report)
  const missed = [
    ...faults,
    ...rows
      .filter(({ share, target }) => target && share < target)
      .map(({ workload, share }) => `${workload}: ${(share * 100).toFixed(1)} % of the floor`),
  ]
  console.log(
    missed.length === 0
      ? '\nEvery target was reached.'
      : `\nMissed:\n${missed.map((line) => `  ${line}`).join('\n')}`,
  )
  process.exitCode = missed.length === 0 ? 0 : 1
} finally {
  await bench.end()
  rmSync(work, { recursive: true, force: true })
}

/** By what they are called: what a server has to do for it, and how it is asked. */
function workloadsOf(queries, images) {
  const timed =
    (mode, ...options) =>
    (port) =>
      bench.load(mode, port, '-n', MANY, '-t', values.seconds, ...options)
  const all = ['-q', join(queries, 'q_all.ele'), '-e', ROWS]
  const ten = ['-q', join(queries, 'q_narrow.ele'), '-e', 10]
  let sent = 0
  const store = (associations) => (port) =>
    bench.load(
      'store',
      port,
      '-u',
      10_000 + (sent++ % 80_000),
      '-r',
      '-c',
      associations,
      '-n',
      values.instances,
      ...images,
    )
  return {
    'C-ECHO, a new association each, one at a time': { what: 'echo', ask: timed('echo', '-c', 1) },
    'C-ECHO, a new association each, sixteen': { what: 'echo', ask: timed('echo', '-c', 16) },
    'C-ECHO, one association kept': { what: 'echo', ask: timed('echo', '-c', 1, '-r') },
    'C-ECHO, eight kept': { what: 'echo', ask: timed('echo', '-c', 8, '-r') },
    [`worklist, ${ROWS} rows all match, one association kept`]: {
      what: 'all',
      ask: timed('mwl', ...all, '-c', 1, '-r'),
    },
    [`worklist, ${ROWS} rows all match, eight kept`]: {
      what: 'all',
      ask: timed('mwl', ...all, '-c', 8, '-r'),
    },
    [`worklist, ten of ${ROWS} match, one association kept`]: {
      what: 'ten',
      ask: timed('mwl', ...ten, '-c', 1, '-r'),
    },
    [`worklist, ten of ${ROWS} match, eight kept`]: {
      what: 'ten',
      ask: timed('mwl', ...ten, '-c', 8, '-r'),
    },
    [`worklist, ten of ${ROWS} match, a new association each`]: {
      what: 'ten',
      ask: timed('mwl', ...ten, '-c', 1),
    },
    'C-STORE, CT of 512 KiB, one association': { what: 'store', ask: store(1) },
    'C-STORE, CT of 512 KiB, four associations': { what: 'store', ask: store(4) },
  }
}

function versions() {
  const first = (command, pattern) => {
    try {
      return pattern.exec(run(command, ['--version']))?.[0]
    } catch {
      return undefined
    }
  }
  const found = [first('findscu', /v\d\S+/), first('Orthanc', /\d+\.\d+\.\d+/)]
  return `DCMTK ${found[0] ?? '?'}, Orthanc ${found[1] ?? '?'}`
}
