// The servers of one run, and what each is asked.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { command, dimsePortOf, pssOf, run, SECRET, started, startedScript } from '../bench-kit.mjs'
import { node24, root } from '../setup.mjs'

export const ROWS = 1000
const DCMJS_DIMSE = '0.3.3'
/** How often a server that starts is asked whether it answers. */
const LOOK_MS = 100

/** `kind` of `peers.sh`; what a server does not do it is not asked. */
const PEERS = {
  wlmscpfs: { kind: 'wlmscpfs', port: 21_600, does: ['echo', 'all', 'ten'] },
  storescp: { kind: 'storescp-fork', port: 21_601, does: ['store'] },
  Orthanc: { kind: 'orthanc', port: 21_602, does: ['echo', 'all', 'ten', 'store'] },
  'dcmjs-dimse': { kind: 'dcmjs', port: 21_603, does: ['echo', 'all', 'ten', 'store'] },
}
/** What loopback allows: the same bytes without any work behind them. */
const FLOORS = {
  all: { kind: 'floor', port: 21_604, rows: `${ROWS}` },
  ten: { kind: 'floor', port: 21_605, rows: `${ROWS}/10` },
  store: { kind: 'floor-write', port: 21_606, rows: '10' },
}
/**
 * The same bytes from one event loop of Node: what is left of the floor for a server in this
 * language, by what it is asked.
 */
const NODE_FLOORS = { all: 21_607, ten: 21_608 }

/**
 * Starts all of them. Each has `name`, `does` (of `echo`, `all`, `ten`, `store`), `port(what)`,
 * `startMs` (undefined of the floor) and `memory()` in MiB. Resolves with them and with what is
 * missing.
 */
export async function startServers(bench, work, tell) {
  const missing = []
  const dcmjs = installDcmjs()
  if (!dcmjs) missing.push(`dcmjs-dimse ${DCMJS_DIMSE}, which npm could not fetch`)
  const env = { NODE: node24(), DCMJS_DIR: dcmjs ?? '' }
  const servers = [await startGateway(bench, work)]
  for (const [name, { kind, port, does }] of Object.entries(PEERS)) {
    if (kind === 'dcmjs' && !dcmjs) continue
    tell(`starting ${name}`)
    const since = performance.now()
    const pid = Number(
      bench
        .run(join(bench.folder, 'peers.sh'), ['start', kind, String(port), String(ROWS)], env)
        .trim()
        .split('\n')
        .at(-1),
    )
    servers.push({
      name,
      does,
      port: () => port,
      startMs: performance.now() - since,
      memory: () => pssOf(pid),
    })
  }
  for (const { kind, port, rows } of Object.values(FLOORS)) bench.peers('start', kind, port, rows)
  await Promise.all(
    Object.entries(NODE_FLOORS).map(([what, port]) =>
      startedScript(join(root, 'scripts', 'bench-peers', 'node-floor.mjs'), [
        port,
        FLOORS[what].port,
      ]),
    ),
  )
  const nodeFloor = {
    ...{
      name: 'Node floor',
      does: Object.keys(NODE_FLOORS),
      startMs: undefined,
      memory: undefined,
    },
    port: (what) => NODE_FLOORS[what],
  }
  const floor = {
    ...{
      name: 'floor',
      does: ['echo', 'all', 'ten', 'store'],
      startMs: undefined,
      memory: undefined,
    },
    port: (what) => (FLOORS[what] ?? FLOORS.all).port,
  }
  return { servers: [...servers, nodeFloor, floor], missing }
}

async function startGateway(bench, work) {
  const items = join(work, 'items.json')
  writeFileSync(items, bench.run('python3', [join(bench.folder, 'partner_items.py'), String(ROWS)]))
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
  const data = join(work, 'data')
  for (const key of ['intake.stopGigabytes', 'intake.warnGigabytes'])
    command('config', 'set', '--data', data, key, '0')
  // The images are of an exam of the list, which would leave it in the middle of the run.
  command('config', 'set', '--data', data, 'worklist.closeOnImages', 'false')
  const since = performance.now()
  const gateway = await started([
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
    ...[
      '--log-level',
      'error',
      '--allow-unknown-devices',
      '--partner-url',
      partner.ready.url,
      '--partner-secret-file',
      secretFile,
    ],
  ])
  const port = dimsePortOf(gateway)
  // As `peers.sh` looks, so that all are measured with the same step.
  await wait(LOOK_MS - ((performance.now() - since) % LOOK_MS))
  bench.load('echo', port, '-T', 3)
  const startMs = performance.now() - since
  return {
    ...{ name: 'isthmus', does: ['echo', 'all', 'ten', 'store'], port: () => port, startMs },
    memory: () => pssOf(gateway.child.pid),
  }
}

/** The folder that has it in its node_modules; undefined where npm cannot fetch it. */
function installDcmjs() {
  const folder = join(root, 'node_modules', '.cache', `dcmjs-dimse-${DCMJS_DIMSE}`)
  if (existsSync(join(folder, 'node_modules', 'dcmjs-dimse'))) return folder
  mkdirSync(folder, { recursive: true })
  try {
    run('npm', [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `dcmjs-dimse@${DCMJS_DIMSE}`,
    ])
    return folder
  } catch {
    return undefined
  }
}
