import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A usage error; the message explains the correct usage. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Parses `HOST:PORT`, `[::1]:PORT` or `:PORT`. */
export function hostAndPort(
  text: string,
  flag: string,
): { host: string | undefined; port: number } {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65_535)
    throw new UsageError(
      `${flag} takes HOST:PORT, such as 127.0.0.1:8042; “${text}” is not of that form.`,
    )
  return { host: (match[1] ?? match[2]) || undefined, port }
}

/**
 * The trimmed contents of the file named by an option such as `--partner-secret-file`. @throws
 * UsageError
 */
export function textFromFile(option: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${option}: ${file} could not be read (${code}).`)
  }
  if (text === '') throw new UsageError(`${option}: ${file} is empty.`)
  return text
}

/** The warning for a deprecated option that passes a secret as an argument. */
export const secretArgumentWarning = (option: string): string =>
  `${option}: other accounts of this PC can read the arguments of a process; use ${option}-file, and renew this secret`

/**
 * The package that contains this code, whether it runs from source, from dist/ or in a packaged
 * app.
 */
export function ownPackage(from = import.meta.dirname): {
  readonly folder: string
  readonly version: string
} {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = readPackage(folder)
    if (found?.name === 'isthmus') return { folder, version: found.version }
  }
  throw new Error('The package of Isthmus was not found above its own code.')
}

function readPackage(folder: string): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string
      version: string
    }
  } catch {
    return undefined
  }
}
