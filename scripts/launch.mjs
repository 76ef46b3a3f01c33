// Starts the built application: in Electron where that is possible, else headless with the same
// window in a browser.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { environment, missingElectron, node24, onShellEnded, root, stop } from './setup.mjs'

const headless = join(root, 'dist', 'electron', 'headless.js')
const children = []

/**
 * Starts a command of the gateway that stays, and resolves with the JSON line it prints when it is
 * ready.
 */
export function startCommand(args) {
  const child = spawn(node24(), [headless, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment(),
  })
  children.push(child)
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) =>
      resolve({ child, ready: JSON.parse(line) }),
    )
    child.on('exit', (status) => resolve({ child, ready: undefined, status }))
  })
}

/** Starts a command that prints to this terminal until the gateway ends. */
export function startBeside(args) {
  const stdio = ['ignore', 'inherit', 'inherit']
  children.push(spawn(node24(), [headless, ...args], { stdio, env: environment() }))
}

/** Runs a data command and returns what it printed. */
export function runCommand(args, input = '') {
  const { status, stdout } = spawnSync(node24(), [headless, ...args], {
    input,
    encoding: 'utf8',
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (status !== 0) stop(`isthmus ${args[0]} failed.`)
  return stdout.trim()
}

/**
 * Opens the window in Electron, or starts the gateway headless and prints where the window is.
 * @param {{ data: string, serve: string[], ready: (ready: { http: string, dimse: string, dimseTls?: string }) =>
 *   void, end?: () => void }} options
 */
export async function launch({ data, serve, ready, end }) {
  const why = missingElectron()
  if (why) console.log(`The window opens in your browser instead of Electron: ${why}.`)
  const gateway = why
    ? await startCommand(['serve', '--data', data, ...serve])
    : await startElectron(data, serve)
  if (!gateway.ready) {
    const command = process.env.npm_lifecycle_event
    if (command)
      console.error(
        `Options such as --http HOST:PORT follow two hyphens: npm run ${command} -- --http 127.0.0.1:8043`,
      )
    endAll()
    end?.()
    process.exit(gateway.status || 1)
  }
  ready(gateway.ready)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, endAll)
  onShellEnded(endAll)
  gateway.child.on('exit', (status) => {
    endAll()
    end?.()
    process.exit(status ?? 0)
  })
}

function startElectron(data, serve) {
  const sandbox = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const child = spawn(
    join(root, 'node_modules', '.bin', 'electron'),
    [...sandbox, root, '--data', data, ...serve],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment(),
    },
  )
  children.push(child)
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on(
      'line',
      (line) => line.startsWith('{"ready"') && resolve({ child, ready: JSON.parse(line) }),
    )
    child.on('exit', (status) => resolve({ child, ready: undefined, status }))
  })
}

function endAll() {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM')
}
