import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The package of the TypeScript client. */
export const TYPESCRIPT_CLIENT = join(import.meta.dirname, '../../clients/typescript')

/** A file of one of its packages. */
export const clientTool = (path: string): string => join(TYPESCRIPT_CLIENT, 'node_modules', path)

/**
 * Installs the generator and the linters, unless they are there. They are not packages of the
 * project, because they need another version of TypeScript.
 */
export function installClientPackages(): void {
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
