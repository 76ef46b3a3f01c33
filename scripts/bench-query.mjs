// npm run bench -- query [--studies 1000000 --instances 20000000 --folder F --queries 200 --seconds 3
// --rounds 3 --slices 300 --only archive,peers]: queries of an archive of generated rows by C-FIND
// and QIDO-RS, with the memory before and after; then, beside Orthanc with its DICOMweb plugin in
// the same run: study-level C-FIND, frames by WADO-RS, and C-GET. --folder keeps the archive, or takes one that
// is there or was interrupted. An archive of the standard size takes about 15 GB. Needs DCMTK, and Orthanc with
// orthanc-dicomweb. Figures: docs/BENCHMARKS.md.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openContext } from '../electron/server/context.ts'
import { createApiKey } from '../electron/server/modules/api-keys/api-keys.ts'
import { addDevice } from '../electron/server/modules/devices/devices.ts'
import { DEVICE } from '../test/support/device.ts'
import { DICOMWEB_PLUGIN } from '../test/support/orthanc.ts'
import { aboutRun, allEnded, started } from './bench-kit.mjs'
import { fillArchive } from './bench-query/archive.mjs'
import { measureArchive } from './bench-query/latency.mjs'
import { measurePeers } from './bench-query/peers.mjs'
import { root, stop } from './setup.mjs'

const { values } = parseArgs({
  options: {
    studies: { type: 'string', default: '1000000' },
    instances: { type: 'string', default: '20000000' },
    folder: { type: 'string' },
    queries: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    slices: { type: 'string', default: '300' },
    only: { type: 'string', default: 'archive,peers' },
  },
})
const parts = values.only.split(',')
if (parts.includes('peers') && !existsSync(DICOMWEB_PLUGIN))
  stop('orthanc-dicomweb is not installed.')
if (parts.includes('peers') && spawnSync('wrk', ['-v']).error) stop('wrk is not installed.')

// Beside the project, not in the temporary folder, which may be another disk, or none.
const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-query-'))
const missed = []
console.log(aboutRun(''))
try {
  if (parts.includes('archive')) await archive()
  if (parts.includes('peers')) {
    const folder = join(work, 'peers')
    const { key } = prepare(folder)
    const gateway = await serve(folder)
    missed.push(...(await measurePeers({ gateway, key, work, ...numbers() })))
  }
} finally {
  await allEnded()
  rmSync(work, { recursive: true, force: true })
}
console.log(
  missed.length === 0 ? '\nEvery target was reached.' : `\nMissed:\n  ${missed.join('\n  ')}`,
)
process.exit(missed.length === 0 ? 0 : 1)

async function archive() {
  const folder = values.folder ?? join(work, 'archive')
  const { studies, instances } = numbers()
  const { key } = prepare(folder)
  const filled = fillArchive(folder, { studies, instances, say: (line) => console.error(line) })
  console.error(`${filled.instances} instances in ${filled.seconds.toFixed(0)} s`)
  const gateway = await serve(folder)
  missed.push(...(await measureArchive({ gateway, key, ...numbers() })))
  await allEnded()
}

function numbers() {
  const { studies, instances, queries, seconds, rounds, slices } = values
  return Object.fromEntries(
    Object.entries({ studies, instances, queries, seconds, rounds, slices }).map(
      ([name, value]) => [name, Number(value)],
    ),
  )
}

/** What a clinic has set up: a device that may retrieve, a key for DICOMweb. */
function prepare(folder) {
  mkdirSync(folder, { recursive: true })
  using context = openContext({ folder })
  if (!context.settings.get('dicomweb.isOn')) {
    const settings = { 'dicomweb.isOn': true, 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0 }
    // A load generator asks more often than a viewer.
    const limits = { 'dicomweb.ratePerSecond': 100_000, 'dicomweb.rateBurst': 100_000 }
    context.settings.change({ ...settings, ...limits }, 'command-line')
    addDevice(context, { ...DEVICE, aeTitle: 'BENCH', retrieval: 'retrieve' }, 'command-line')
  }
  const permissions = { isViewerEnabled: false, scope: 'all', dicomweb: 'read' }
  const { key } = createApiKey(context, { description: 'Bench', ...permissions }, 'command-line')
  return { key }
}

function serve(folder) {
  return started([
    ...['serve', '--data', folder, '--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0'],
    ...['--dimse-tls', 'off', '--log-level', 'error'],
  ])
}
