// A gateway in a data folder of its own, a partner beside it, and what can be seen of the gateway
// from outside.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { openContext } from '../../electron/server/context.ts'
import { createApiKey } from '../../electron/server/modules/api-keys/api-keys.ts'
import { addDevice } from '../../electron/server/modules/devices/devices.ts'
import { openAccounts } from '../../electron/server/modules/users/people.ts'

const RADIOLOGIST = { email: 'radiologist@clinic.example', password: 'a long and quiet evening' }
const SETTINGS = {
  ...{
    'intake.stopGigabytes': 0,
    'intake.warnGigabytes': 0,
    'intake.idleSeconds': 2,
    'dimse.tlsPort': null,
  },
  ...{
    'http.ratePerSecond': 1_000_000,
    'http.rateBurst': 1_000_000,
    'window.lockMinutes': 60,
    'worklist.freshSeconds': 1,
  },
}

/** @param entry `headless.js` or `headless.ts` */
export async function openSoaked(entry) {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-soak-'))
  const key = await furnish(folder)
  const secretFile = join(folder, 'partner-secret')
  writeFileSync(secretFile, `whsec_${randomBytes(32).toString('base64')}`, { mode: 0o600 })
  const partner = await start(entry, [
    'simulator',
    'partner',
    '--port',
    '0',
    '--secret-file',
    secretFile,
  ])
  const gateway = await start(entry, [
    ...[
      'serve',
      '--data',
      folder,
      '--http',
      '127.0.0.1:0',
      '--dimse',
      '127.0.0.1:0',
      '--log-level',
      'error',
    ],
    ...['--partner-url', partner.ready.url, '--partner-secret-file', secretFile],
  ])
  const { http, dimse } = gateway.ready
  return {
    http,
    folder,
    peer: {
      host: '127.0.0.1',
      port: Number(dimse.split(':').at(-1)),
      aeTitle: dimse.split('@')[0],
    },
    key,
    radiologist: RADIOLOGIST,
    pid: gateway.child.pid,
    isAlive: () => gateway.child.exitCode === null && gateway.child.signalCode === null,
    async end() {
      await gateway.end()
      await partner.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An owner, a radiologist, a device and a partner's key, which is given back. */
async function furnish(folder) {
  using store = openContext({ folder })
  store.settings.change(SETTINGS, 'command-line')
  for (const aeTitle of ['SOAK0', 'SOAK1', 'SOAK2', 'SOAK3'])
    addDevice(store, deviceOf(aeTitle), 'command-line')
  const { password } = RADIOLOGIST
  const person = (email, level, clinicRole) => ({
    email,
    firstName: 'Una',
    lastName: 'Reader',
    level,
    clinicRole,
    password,
  })
  await openAccounts(store).createUser(
    person('owner@clinic.example', 'owner', 'Other'),
    'command-line',
  )
  await openAccounts(store).createUser(
    person(RADIOLOGIST.email, 'member', 'Radiologist'),
    'command-line',
  )
  return createApiKey(
    store,
    { description: 'Soak', isViewerEnabled: true, scope: 'all' },
    'command-line',
  ).key
}

const deviceOf = (aeTitle) => ({
  ...{
    aeTitle,
    address: null,
    name: '',
    modality: null,
    isEnabled: true,
    characterSet: null,
    stationMode: 'echo',
  },
  ...{
    alwaysSendCharacterSet: false,
    daysBack: null,
    daysForward: null,
    maxRows: null,
    port: null,
    profile: 'standard',
  },
  ...{ hideStarted: false, countsBytes: false, tls: 'optional', certificate: null },
})

function start(entry, args) {
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  // Whatever ends this script ends what it has started.
  process.once('exit', () => child.kill('SIGKILL'))
  const end = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', resolve)
      child.kill('SIGTERM')
    })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) =>
      resolve({ child, ready: JSON.parse(line), end }),
    )
    child.once('exit', (status) => reject(new Error(`${args[0]} ended with ${status}`)))
  })
}

/** MiB, of them what is of no file, and how many descriptors are open. */
export function look({ pid }) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const descriptors = readdirSync(`/proc/${pid}/fd`)
  const figure = (name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { rss: figure('VmRSS'), anonymous: figure('RssAnon'), descriptors: descriptors.length }
}

/** What the descriptors are, in short, for who looks for a leak. */
export function descriptorsOf({ pid }) {
  const counts = {}
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    let target = 'gone'
    try {
      target = readlinkSync(`/proc/${pid}/fd/${fd}`).replace(
        /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\[\d+\]/g,
        '…',
      )
    } catch {
      // Closed meanwhile.
    }
    counts[target] = (counts[target] ?? 0) + 1
  }
  return counts
}

/** Values of `/metrics` by their series, over a connection that is closed again. */
export async function metricsOf({ http }) {
  const answer = await new Promise((resolve, reject) =>
    get(`${http}/metrics`, { agent: false }, resolve).once('error', reject),
  )
  const lines = (await text(answer))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
}

/**
 * Waits until nothing is under way: no association, nothing in the outbox, and the same descriptors
 * for five seconds.
 */
export async function atRest(gateway, mostSeconds = 90) {
  let same = 0
  let before = -1
  for (let second = 0; second < mostSeconds; second++) {
    await wait(1000)
    // Before the gateway is asked for anything: a connection is there for a moment longer than its
    // answer.
    const seen = { ...look(gateway), open: descriptorsOf(gateway) }
    same = seen.descriptors === before ? same + 1 : 0
    before = seen.descriptors
    if (same < 5) continue
    const metrics = await metricsOf(gateway)
    const waits = Object.keys(metrics).filter(
      (series) => series.startsWith('isthmus_outbox_waiting') && metrics[series] > 0,
    )
    if (metrics.isthmus_associations_open === 0 && waits.length === 0)
      return { ...seen, heap: heapOf(metrics) }
    same = 0
  }
  throw new Error(`The gateway did not come to rest within ${mostSeconds} s.`)
}

/** MiB. */
export const heapOf = (metrics) => (metrics.nodejs_heap_size_used_bytes ?? 0) / 2 ** 20
