import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The package of the TypeScript client. */
export const TYPESCRIPT_CLIENT = join(import.meta.dirname, '../../clients/typescript')

/** A file of one of its packages. */
export const clientTool = (path: string): string => join(TYPESCRIPT_CLIENT, 'node_modules', path)

/** Exists while a process installs the packages: test files run at the same time. */
const INSTALLING = join(import.meta.dirname, '../../node_modules/.cache/installing-client')
const MAX_INSTALLATION_MS = 4 * 60_000

/**
 * Installs the generator and the linters, unless they are there. They are not packages of the
 * project, because they need another version of TypeScript.
 */
export function installClientPackages(): void {
  mkdirSync(join(INSTALLING, '..'), { recursive: true })
  while (!isFirstToInstall()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  try {
    install()
  } finally {
    rmSync(INSTALLING, { recursive: true, force: true })
  }
}

function isFirstToInstall(): boolean {
  try {
    mkdirSync(INSTALLING)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const began = statSync(INSTALLING, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    // Left behind by a process that was killed.
    if (Date.now() - began > MAX_INSTALLATION_MS)
      rmSync(INSTALLING, { recursive: true, force: true })
    return false
  }
}

function install(): void {
  const lock = createHash('sha256')
    .update(readFileSync(join(TYPESCRIPT_CLIENT, 'package-lock.json')))
    .digest('hex')
  const stamp = clientTool('.isthmus-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  const isWindows = process.platform === 'win32'
  const { status, stderr } = spawnSync(isWindows ? 'npm.cmd' : 'npm', ['ci', '--loglevel=error'], {
    cwd: TYPESCRIPT_CLIENT,
    encoding: 'utf8',
    shell: isWindows,
  })
  if (status !== 0) throw new Error(`npm ci failed in clients/typescript:\n${stderr}`)
  writeFileSync(stamp, lock)
}
