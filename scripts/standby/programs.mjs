// The two programs a standby is made with: Isthmus and rclone. Each call resolves with what was
// printed, or rejects with what went wrong.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const ENTRIES = [
  join('bin', 'isthmus'),
  join('dist', 'electron', 'headless.js'),
  join('electron', 'headless.ts'),
]

/** Name of a backup's folder, which sorts as time does. */
export const BACKUP = /^isthmus-(\d{4}-\d\d-\d\d)-(\d\d)(\d\d)(\d\d)Z$/

/** When a backup was made, by its name, in ms. */
export const madeAt = (name) => Date.parse(name.replace(BACKUP, '$1T$2:$3:$4Z'))

/** The command and first words that run Isthmus: as given, else of the place this script is in. */
export function isthmusWords(given = process.env.ISTHMUS) {
  const entry = given ?? ENTRIES.map((path) => join(root, path)).find((path) => existsSync(path))
  if (!entry)
    throw new Error(
      'Isthmus was not found beside this script: say where it is with --isthmus PATH.',
    )
  return /\.[jt]s$/.test(entry) ? [process.execPath, entry] : [entry]
}

/**
 * Resolves with standard output. A failure says the command's own words; passwords of a remote are
 * never a part of them.
 */
export function run([command, ...first], args, { input = '', show = false } = {}) {
  return new Promise((settle, fail) => {
    const child = spawn(command, [...first, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
    const out = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (out.stdout += chunk))
    child.stderr.on('data', (chunk) => {
      out.stderr += chunk
      if (show) process.stderr.write(chunk)
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('error', (error) =>
      fail(
        new Error(
          error.code === 'ENOENT'
            ? `${command} is not installed on this PC.`
            : `${command}: ${error.message}`,
        ),
      ),
    )
    child.on('close', (code) => {
      if (code === 0) settle(out.stdout)
      else
        fail(
          new Error(
            `${[command, ...first].at(-1)} ${args[0]} ended with ${code}: ${lastLines(out.stderr || out.stdout)}`,
          ),
        )
    })
  })
}

const lastLines = (text) => text.trim().split('\n').slice(-5).join('\n')

/** How long the work took, in seconds, beside its result. */
export async function timed(work) {
  const began = performance.now()
  const result = await work()
  return { result, seconds: Math.round((performance.now() - began) / 100) / 10 }
}

/** A remote with a folder below it, as rclone writes them. */
export const below = (remote, path) =>
  `${remote.replace(/\/+$/, '')}${/[:/]$/.test(remote) ? '' : '/'}${path}`

/** The name of the remote: an address that is written out may have a password in it. */
export const placeOf = (to) =>
  (to.startsWith(':') ? to.slice(1).split(/[,:]/)[0] : to.split(':')[0]) || 'another disk'

/** Ends the process with a sentence where the work fails. */
export async function main(work) {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
