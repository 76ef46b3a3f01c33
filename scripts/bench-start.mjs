// npm run bench -- start [--rounds 5 --studies 1000000 --instances 2000000 --folder F --against DIR
// --only empty,archive,packages,service --write]: how long the gateway takes from the start of its
// process to both listeners, with the processor time until then and the memory afterwards, on an
// empty data folder and on one with an archive of generated rows; what the packages take on the disk
// that running and building need; and what the service archive unpacks to. --folder keeps the archive
// of studies. --against names another built checkout that is measured alternately.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  aboutRun,
  allEnded,
  ended,
  median,
  pssOf,
  run,
  startedScript,
  writeReport,
} from './bench-kit.mjs'
import { fillArchive } from './bench-query/archive.mjs'
import { environment, node24, root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    studies: { type: 'string', default: '1000000' },
    instances: { type: 'string', default: '2000000' },
    folder: { type: 'string' },
    against: { type: 'string' },
    only: { type: 'string', default: 'empty,archive,packages,service' },
    write: { type: 'boolean', default: false },
  },
})
const parts = values.only.split(',')
const checkouts = [...(values.against ? [values.against] : []), root]
const LISTENERS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']
/** After the start, so that what is only needed for it can be given back. */
const REST_MS = 3000
const MIB = 2 ** 20

// Beside the project, not in the temporary folder, which may be another disk, or none.
const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-start-'))
try {
  const report = [aboutRun(`; medians of ${values.rounds} starts.`), '']
  if (parts.includes('empty') || parts.includes('archive')) report.push(...(await starts()))
  if (parts.includes('packages')) report.push('', await packages())
  if (parts.includes('service')) report.push('', service())
  console.log(report.join('\n'))
  if (values.write) writeReport('start', report.join('\n'))
} finally {
  await allEnded()
  rmSync(work, { recursive: true, force: true })
}

async function starts() {
  const folders = []
  let made = 0
  if (parts.includes('empty'))
    folders.push(['an empty data folder', () => join(work, `empty-${made++}`)])
  if (parts.includes('archive')) {
    const folder = values.folder ?? join(work, 'archive')
    mkdirSync(folder, { recursive: true })
    const filled = fillArchive(folder, {
      studies: Number(values.studies),
      instances: Number(values.instances),
      say: (line) => console.error(line),
    })
    folders.push([`${values.studies} studies, ${filled.instances} instances`, () => folder])
  }
  const lines = [
    '| data | checkout | to both listeners, ms | processor time until then, ms | memory, MiB (PSS) |',
    '|---|---|---:|---:|---:|',
  ]
  for (const [name, folderOf] of folders) {
    const found = new Map(checkouts.map((checkout) => [checkout, []]))
    // The first round fills the caches of the disk.
    for (let round = 0; round <= Number(values.rounds); round++)
      for (const checkout of checkouts) {
        const figures = await start(checkout, folderOf())
        if (round > 0) found.get(checkout).push(figures)
      }
    for (const [checkout, all] of found) {
      const of = (key) => median(all.map((one) => one[key])).toFixed(0)
      const label = checkout === root ? 'this' : 'the other'
      lines.push(`| ${name} | ${label} | ${of('wall')} | ${of('processor')} | ${of('memory')} |`)
    }
  }
  return lines
}

async function start(checkout, folder) {
  const headless = join(checkout, 'dist', 'electron', 'headless.js')
  const since = performance.now()
  const gateway = await startedScript(headless, ['serve', '--data', folder, ...LISTENERS])
  const wall = performance.now() - since
  const processor = processorMs(gateway.child.pid)
  await wait(REST_MS)
  const memory = pssOf(gateway.child.pid)
  await ended(gateway)
  return { wall, processor, memory }
}

/** User and system time of a process; the clock of the kernel ticks each 10 ms. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Installs the packages into an empty folder, as `npm start` does on a new machine. */
async function packages() {
  const folder = join(work, 'packages')
  for (const name of [
    ...['package.json', 'package-lock.json', '.npmrc'],
    ...['scripts/setup.mjs', 'test/tools/package.json'],
  ])
    await cp(join(root, name), join(folder, name), { recursive: true })
  const setup = join(folder, 'scripts/setup.mjs')
  run(node24(), ['-e', `import(${JSON.stringify(setup)}).then((one) => one.installPackages())`])
  const [kib] = run('du', ['-sk', join(folder, 'node_modules')]).split('\t')
  return `Packages to run and build: ${((Number(kib) * 1024) / 1e6).toFixed(0)} MB.`
}

function service() {
  const out = join(work, 'service')
  run(node24(), [join(root, 'packaging/build-service.ts'), '--out', out], {
    ...environment(),
  })
  const [archive] = readdirSync(out)
  const unpacked = join(work, 'unpacked')
  mkdirSync(unpacked)
  run('tar', ['-xzf', join(out, archive), '-C', unpacked])
  const [bytes] = run('du', ['-sb', unpacked]).split('\t')
  return `Service archive, unpacked: ${(Number(bytes) / MIB).toFixed(1)} MiB.`
}
