import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { DestinationStream } from 'pino'

/** 14 files of this size hold several weeks of a busy clinic. */
const MAX_FILE_BYTES = 10 * 2 ** 20
const MAX_FILES = 14
const REPORT_INTERVAL_MS = 60_000

export interface LogFileOptions {
  /** A file that has reached this size is followed by another one. */
  readonly maxBytes?: number
  /** Receives a line of JSON when the log file itself cannot be written. */
  readonly report?: (line: string) => void
  readonly clock?: () => number
}

/**
 * Opens the rotating log of `serve --log-file FILE`. `gateway.log` is written as `gateway.1.log`,
 * then `gateway.2.log` and so on, the newest with the highest number, readable only by this
 * account. Logging never fails the caller: lines go to stderr if the file cannot be opened, and are
 * dropped while the disk is full.
 */
export function openLogFile(file: string, options: LogFileOptions = {}): DestinationStream {
  const { maxBytes = MAX_FILE_BYTES, report = toStderr, clock = Date.now } = options
  let reportedAt = Number.NEGATIVE_INFINITY
  const fault = (error: unknown) => {
    const now = clock()
    if (now - reportedAt < REPORT_INTERVAL_MS) return
    reportedAt = now
    const { code = 'unknown fault' } = error as NodeJS.ErrnoException
    report(
      `${JSON.stringify({ level: 'error', time: new Date(now).toISOString(), code, msg: 'the log file cannot be written' })}\n`,
    )
  }
  try {
    const files = new RotatingFile(resolve(file), maxBytes)
    return { write: (line) => attempt(() => files.write(line), fault) }
  } catch (error) {
    fault(error)
    return { write: report }
  }
}

/** Synchronous, so that the last line before the process exits is written. */
class RotatingFile {
  readonly #path: string
  readonly #maxBytes: number
  #number: number
  #descriptor: number
  #bytes: number

  constructor(path: string, maxBytes: number) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#path = path
    this.#maxBytes = maxBytes
    this.#number = Math.max(1, ...logNumbersOf(path))
    this.#descriptor = openSync(numberedPath(path, this.#number), 'a', 0o600)
    this.#bytes = fstatSync(this.#descriptor).size
  }

  write(line: string): void {
    if (this.#bytes >= this.#maxBytes) this.#next()
    this.#bytes += writeSync(this.#descriptor, line)
  }

  #next(): void {
    const next = openSync(numberedPath(this.#path, this.#number + 1), 'a', 0o600)
    closeSync(this.#descriptor)
    this.#descriptor = next
    this.#number++
    this.#bytes = 0
    for (const { path } of logFilesOf(this.#path).slice(MAX_FILES)) rmSync(path, { force: true })
  }
}

function attempt(write: () => void, fault: (error: unknown) => void): void {
  try {
    write()
  } catch (error) {
    fault(error)
  }
}

/** Ignores errors, because nothing may be reading stderr. */
const toStderr = (line: string): void =>
  attempt(
    () => void writeSync(2, line),
    () => undefined,
  )

const extensionOf = (path: string): string => extname(path) || '.log'

function numberedPath(path: string, number: number): string {
  const name = basename(path, extname(path))
  return join(dirname(path), `${name}.${number}${extensionOf(path)}`)
}

/** The numbers of the files of a log; empty if there are none. */
function logNumbersOf(path: string): number[] {
  const name = basename(path, extname(path))
  const extension = extensionOf(path)
  const numberOf = (entry: string): number => {
    if (!entry.startsWith(`${name}.`) || !entry.endsWith(extension)) return Number.NaN
    return Number(entry.slice(name.length + 1, -extension.length) || Number.NaN)
  }
  try {
    return readdirSync(dirname(path)).map(numberOf).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** The files of a log with their sizes, newest first; empty if there are none. */
export function logFilesOf(
  file: string,
): readonly { readonly path: string; readonly bytes: number; readonly changedAt: number }[] {
  const log = resolve(file)
  return logNumbersOf(log)
    .sort((a, b) => b - a)
    .flatMap((number) => {
      const path = numberedPath(log, number)
      const found = statSync(path, { throwIfNoEntry: false })
      return found ? [{ path, bytes: found.size, changedAt: found.mtimeMs }] : []
    })
}
