// npm run bench -- efficiency [--rounds N --seconds S --instances N --small N --only TEXT --before
// DIR --write]: what a gateway does in a second beside the peers it is compared with, and what one
// operation costs it of a processor, user and system (/proc, which other work on the machine
// changes less than operations a second). `--before` names another built checkout, which is
// measured in the same rounds. Needs DCMTK, Orthanc with its worklist plugin, Python 3, a C
// compiler and the bench folder beside the project.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  aboutRun,
  dimsePortOf,
  median,
  openBenchFolder,
  run,
  SECRET,
  startedScript,
  writeReport,
} from './bench-kit.mjs'
import { node24, root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1.5' },
    instances: { type: 'string', default: '300' },
    small: { type: 'string', default: '10000' },
    only: { type: 'string', default: '' },
    before: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const ROWS = 1000
const MANY = '100000000'
/** `kind` of `peers.sh`, its port, and the number of worklist rows that it needs. */
const PEERS = {
  wlmscpfs: { kind: 'wlmscpfs', port: 21_700, rows: `${ROWS}` },
  storescp: { kind: 'storescp-fork', port: 21_701, rows: '10' },
  Orthanc: { kind: 'orthanc', port: 21_702, rows: `${ROWS}` },
  floor: { kind: 'floor', port: 21_703, rows: `${ROWS}/10` },
}
/** Runs that are not counted: code is compiled within its first thousand operations. */
const WARMING = 2
const CLOCK_TICK_MS = 10

// Beside the project, not in the temporary folder, which may be another disk, or none.
const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-efficiency-'))
const day = new Intl.DateTimeFormat('sv-SE').format(new Date()).replaceAll('-', '')
const bench = openBenchFolder(work, { BENCH_DAY: day })
let loads = 0
try {
  bench.build()
  const workloads = Object.entries(workloadsOf(bench.peers('data', 'q'), imagesOf())).filter(
    ([name]) => name.includes(values.only),
  )
  bench.fillPageCache()
  const gateways = await startGateways()
  for (const name of new Set(workloads.flatMap(([, { over }]) => Object.keys(over)))) {
    const { kind, port, rows } = PEERS[name]
    bench.peers('start', kind, port, rows)
  }
  const results = await measure(workloads, gateways)
  const report = [
    aboutRun(`; medians of ${values.rounds} interleaved rounds, ${values.seconds} s each.`),
    tableOf(workloads, results, Object.keys(gateways)),
  ].join('\n\n')
  console.log(report)
  if (values.write) writeReport('efficiency', report)
} finally {
  await bench.end()
  rmSync(work, { recursive: true, force: true })
}

/**
 * By name: how a server at a port is asked, the peers, each with the goal for our operations a
 * second over theirs, and the goal for the processor time of an operation in ms.
 */
function workloadsOf(queries, { large, small }) {
  const timed =
    (mode, ...options) =>
    (port) =>
      bench.load(mode, port, '-n', MANY, '-t', values.seconds, ...options)
  const store = (associations, count, files) => (port) => {
    const unique = 10_000 + (loads++ % 80_000)
    // What the one before has not written yet is not this one's to wait for.
    bench.run('sync', [])
    return bench.load(
      ...['store', port, '-u', unique, '-r', '-c', associations, '-n', count, ...files],
    )
  }
  const all = ['-q', join(queries, 'q_all.ele'), '-e', ROWS]
  const ten = ['-q', join(queries, 'q_narrow.ele'), '-e', 10]
  return {
    'C-ECHO, a new association each, one at a time': {
      ask: timed('echo', '-c', 1),
      over: { Orthanc: 1 },
    },
    'C-ECHO, a new association each, sixteen at a time': {
      ask: timed('echo', '-c', 16),
      over: { Orthanc: 1 },
    },
    'C-ECHO, eight associations kept': {
      ask: timed('echo', '-c', 8, '-r'),
      over: { wlmscpfs: 1 },
    },
    'worklist, ten of 1000 rows, new association each': {
      ask: timed('mwl', ...ten, '-c', 1),
      over: { floor: 0.15 },
    },
    'worklist, partner asked each time, 1000 rows, one association': {
      ask: timed('mwl', ...all, '-c', 1, '-r'),
      over: { wlmscpfs: 8, Orthanc: 8 },
      asksPartner: true,
    },
    'C-STORE of 512 KiB, one association': {
      ask: store(1, values.instances, large),
      over: { storescp: 0.9, Orthanc: 2.5 },
      goalMs: 0.9,
    },
    'C-STORE of 512 KiB, four associations': {
      ask: store(4, values.instances, large),
      over: { Orthanc: 2 },
    },
    'C-STORE of 32 KiB, one association': {
      ask: store(1, values.small, small),
      over: { Orthanc: 2 },
    },
  }
}

/** Paths of CT images: 512 × 512 pixels, and the same with 128 × 128 of them (32 KiB). */
function imagesOf() {
  const ct = bench.peers('data', 'ct')
  const large = readdirSync(ct)
    .sort()
    .map((name) => join(ct, name))
  const folder = join(work, 'small')
  mkdirSync(folder)
  const small = large.slice(0, 200).map((path, index) => {
    const file = readFileSync(path)
    for (const element of [0x10, 0x11]) {
      const tag = Buffer.from([0x28, 0x00, element, 0x00, 0x55, 0x53, 0x02, 0x00])
      file.writeUInt16LE(128, file.indexOf(tag) + tag.length)
    }
    const pixels = file.indexOf(Buffer.from([0xe0, 0x7f, 0x10, 0x00, 0x4f, 0x57])) + 12
    file.writeUInt32LE(32 << 10, pixels - 4)
    const to = join(folder, `${index}.dcm`)
    writeFileSync(to, file.subarray(0, pixels + (32 << 10)))
    return to
  })
  return { large, small }
}

/** By name, `isthmus` and perhaps `before`: one gateway, and one that asks the partner each time. */
async function startGateways() {
  const items = join(work, 'items.json')
  writeFileSync(items, bench.run('python3', [join(bench.folder, 'partner_items.py'), String(ROWS)]))
  const secretFile = join(work, 'partner-secret')
  writeFileSync(secretFile, SECRET, { mode: 0o600 })
  const headlessOf = (folder) => join(folder, 'dist', 'electron', 'headless.js')
  const partner = await startedScript(headlessOf(root), [
    ...['simulator', 'partner', '--port', '0', '--secret-file', secretFile, '--worklist', items],
  ])
  const folders = { ...(values.before && { before: resolve(values.before) }), isthmus: root }
  const gateways = {}
  for (const [name, folder] of Object.entries(folders)) {
    const start = async (kind, settings) => {
      const data = join(work, `${name}-${kind}`)
      const set = { 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0, ...settings }
      for (const [key, value] of Object.entries(set))
        run(node24(), [
          ...[headlessOf(folder), 'config', 'set', '--data', data, key, String(value)],
        ])
      const gateway = await startedScript(headlessOf(folder), [
        ...['serve', '--data', data, '--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0'],
        ...['--dimse-tls', 'off', '--ae-title', 'BENCH', '--log-level', 'error'],
        ...['--allow-unknown-devices', '--partner-url', partner.ready.url],
        ...['--partner-secret-file', secretFile],
      ])
      return { pid: gateway.child.pid, port: dimsePortOf(gateway) }
    }
    // The images are of an exam of the list, which would leave it in the middle of the run.
    gateways[name] = {
      usual: await start('usual', { 'worklist.closeOnImages': false }),
      asking: await start('asking', { 'worklist.freshSeconds': 0 }),
    }
  }
  return gateways
}

/** By workload and server: `rate` and `ms` of a processor for an operation, one each a round. */
async function measure(workloads, gateways) {
  const results = Object.fromEntries(workloads.map(([name]) => [name, {}]))
  for (let round = 1 - WARMING; round <= Number(values.rounds); round++) {
    for (const [workload, { ask, over, asksPartner }] of workloads) {
      const names = [...Object.keys(gateways), ...Object.keys(over)]
      // The order changes, so that nobody always follows the same server.
      for (const name of round % 2 === 0 ? names : names.reverse()) {
        const gateway = gateways[name]?.[asksPartner ? 'asking' : 'usual']
        const before = gateway && processorMs(gateway.pid)
        const { 'ops/s': rate, ops, errors } = ask(gateway?.port ?? PEERS[name].port)
        const ms = gateway && (processorMs(gateway.pid) - before) / ops
        if (errors > 0) console.error(`${workload}, ${name}: ${errors} errors`)
        if (round <= 0) continue
        results[workload][name] ??= { rate: [], ms: [] }
        results[workload][name].rate.push(rate)
        results[workload][name].ms.push(ms)
      }
      console.error(
        `round ${round}, ${workload}: ${names.map((name) => `${name} ${results[workload][name]?.rate.at(-1)?.toFixed(0) ?? '-'}`).join(', ')}`,
      )
    }
  }
  return results
}

/** User and system time of a process and its threads. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
}

function tableOf(workloads, results, gateways) {
  const lines = workloads.flatMap(([workload, { over, goalMs }]) => {
    const by = results[workload]
    return gateways.map((name) => {
      // Of one round, as near in time as can be.
      const ratios = Object.entries(over).map(([peer, goal]) => {
        const ratio = median(by[name].rate.map((rate, round) => rate / by[peer].rate[round]))
        return `${ratio.toFixed(2)}× ${peer} (${goal})`
      })
      const ms = `${median(by[name].ms).toFixed(3)}${goalMs ? ` (${goalMs})` : ''}`
      return [workload, name, median(by[name].rate).toFixed(0), ratios.join(', '), ms]
    })
  })
  return [
    '| work | | operations/s | of the peer’s (goal) | processor, ms each (goal) |',
    '|---|---|---:|---|---:|',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
}
