// npm run bench -- storage: 500 CT instances over one and four associations, and one object of 200
// MiB, against storescp, Orthanc and a floor that writes and fsyncs as the gateway does, in the
// same run, as ratios. Needs DCMTK, Orthanc, Python 3, a C compiler and the bench folder beside the
// project. What is durable before Success: gateway and floor: file and folder are fsynced, the
// gateway's row too; Orthanc: its SyncStorageArea (the file, not its folder) and its index;
// storescp: nothing. Figures: docs/BENCHMARKS.md.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { command, dimsePortOf, median, openBenchFolder, started } from './bench-kit.mjs'
import { root, stop } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    instances: { type: 'string', default: '500' },
  },
})
/** Smallest ratio of instances/s to a peer's that a workload must reach. */
const TARGETS = {
  'one association': { storescp: 0.5, floor: 0.8, orthanc: 2 },
  'four associations': { storescp: 0.8, floor: 0.8, orthanc: 2 },
  '200 MiB object': { floor: 0.8, orthanc: 2 },
}
const PEAK_MB = 200
/**
 * Rounds that are not counted: a gateway runs for months, and its code is compiled within its first
 * thousand images.
 */
const WARMING = 3
const PORTS = { storescp: 21_500, orthanc: 21_501, floor: 21_502 }

// Beside the project, not in the temporary folder, which may be another disk, or none.
const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-storage-'))
const bench = openBenchFolder(work)
const missed = []
/** By workload and server, one result a round. */
const figures = Object.fromEntries(
  Object.keys(TARGETS).map((name) => [
    name,
    Object.fromEntries(['isthmus', ...Object.keys(PORTS)].map((server) => [server, []])),
  ]),
)
let gateway
let loads = 0
try {
  durableFloor()
  bench.build()
  const ct = filesOf(bench.peers('data', 'ct'))
  const large = bench.peers('data', 'mf')
  const workloads = {
    'one association': (port, round) =>
      load(port, round, ['-r', '-c', '1', '-n', values.instances], ct),
    'four associations': (port, round) =>
      load(port, round, ['-r', '-c', '4', '-n', values.instances], ct),
    '200 MiB object': (port, round) => load(port, round, ['-c', '1', '-n', '1'], [large]),
  }
  bench.fillPageCache()
  const ports = { isthmus: await startGateway(), ...PORTS }
  bench.peers('start', 'storescp-fork', String(PORTS.storescp))
  bench.peers('start', 'orthanc', String(PORTS.orthanc), '10')
  bench.peers('start', 'floor-write', String(PORTS.floor), '10')
  for (let round = 1 - WARMING; round <= Number(values.rounds); round++) {
    for (const [name, store] of Object.entries(workloads)) {
      for (const [server, port] of Object.entries(ports)) {
        // What the one before has not written yet is not this one's to wait for.
        bench.run('sync', [])
        const result = store(port, round)
        if (round > 0) figures[name][server].push(result)
      }
    }
  }
  judge()
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

/**
 * The floor that writes, made durable: fsync of the file, rename, fsync of the folder, then
 * Success.
 */
function durableFloor() {
  const file = join(bench.folder, 'floor.c')
  const written = 'if (file >= 0) { close(file); file = -1; }'
  const source = readFileSync(file, 'utf8')
  if (!source.includes(written)) stop(`${file} is not the floor this bench knows.`)
  const durable = `if (file >= 0) {
    static __thread int folder = -1;
    static atomic_long kept;
    char from[64], to[4096];
    if (folder < 0) folder = open(store_dir, O_RDONLY);
    snprintf(from, sizeof from, "/proc/self/fd/%d", file);
    char name[4096];
    ssize_t k = readlink(from, name, sizeof name - 1);
    if (k < 0) return;
    name[k] = 0;
    snprintf(to, sizeof to, "%s/kept-%ld", store_dir, atomic_fetch_add(&kept, 1));
    if (fsync(file) || close(file) || rename(name, to) || fsync(folder)) return;
    file = -1;
  }`
  writeFileSync(file, source.replace(written, durable))
}

async function startGateway() {
  const data = join(work, 'data')
  for (const key of ['intake.stopGigabytes', 'intake.warnGigabytes'])
    command('config', 'set', '--data', data, key, '0')
  gateway = await started([
    ...[
      'serve',
      '--data',
      data,
      '--http',
      '127.0.0.1:0',
      '--dimse',
      '127.0.0.1:0',
      '--dimse-tls',
      'off',
      '--ae-title',
      'BENCH',
    ],
    ...['--log-level', 'error', '--allow-unknown-devices'],
  ])
  return dimsePortOf(gateway)
}

/** Instances (or MB) a second of one run, every instance with a UID of its own. */
function load(port, round, options, files) {
  const unique = String(10_000 + (loads++ % 80_000))
  const {
    'ops/s': instances,
    'MB/s': megabytes,
    p50,
    errors,
  } = bench.load('store', port, '-u', unique, ...options, ...files)
  if (errors !== 0) missed.push(`errors at port ${port}, round ${round}: ${errors}`)
  return { instances, megabytes, p50 }
}

function judge() {
  for (const [name, by] of Object.entries(figures)) {
    const unit = name === '200 MiB object' ? 'megabytes' : 'instances'
    const of = (server) => median(by[server].map((result) => result[unit]))
    console.log(
      `\n### ${name}\n\n| server | ${unit}/s | ours over it | target |\n|---|---:|---:|---:|`,
    )
    console.log(`| isthmus | ${of('isthmus').toFixed(0)} | | |`)
    for (const server of Object.keys(PORTS)) {
      // Of one round, as near in time as can be: the disk of a shared machine has its moods.
      const ratio = median(
        by.isthmus.map((result, round) => result[unit] / by[server][round][unit]),
      )
      const target = TARGETS[name][server]
      console.log(
        `| ${server} | ${of(server).toFixed(0)} | ${ratio.toFixed(2)}× | ${target ? `≥ ${target}×` : ''} |`,
      )
      if (target && ratio < target)
        missed.push(`${name}: ${ratio.toFixed(2)}× of ${server}, not ${target}×`)
    }
  }
  const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8')
  const peak = (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6
  console.log(
    `\n${peak < PEAK_MB ? 'reached' : 'MISSED'}: peak memory of the gateway ${peak.toFixed(0)} MB (VmHWM)`,
  )
  if (peak >= PEAK_MB) missed.push(`peak memory ${peak.toFixed(0)} MB, not under ${PEAK_MB}`)
}

function filesOf(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
}
