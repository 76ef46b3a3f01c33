import { mkdirSync, readdirSync, statSync, writeSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { DestinationStream } from 'pino'

/** 14 files of 10 MB hold several weeks of a busy clinic. */
const MAX_FILE_SIZE = '10m'
const MAX_FILES = 14
/** Bytes buffered while the disk is full; further lines are dropped. */
const MAX_BUFFERED_BYTES = 1 << 20
const REPORT_INTERVAL_MS = 60_000

export interface LogFileOptions {
  /** Maximum size of one file, in pino-roll's notation. */
  readonly size?: string
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
export async function openLogFile(
  file: string,
  options: LogFileOptions = {},
): Promise<DestinationStream> {
  const { size = MAX_FILE_SIZE, report = toStderr, clock = Date.now } = options
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
    const path = resolve(file)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Imported here so that pino-roll and its date library are not loaded when there is no log
    // file.
    const { default: roll } = await import('pino-roll')
    const limit = { count: MAX_FILES, removeOtherLogFiles: true }
    // Synchronous, so that the last line before the process exits is written.
    const stream = await roll({
      file: path,
      size,
      limit,
      mode: 0o600,
      sync: true,
      maxLength: MAX_BUFFERED_BYTES,
    })
    stream.on('error', fault)
    return { write: (line) => attempt(() => stream.write(line), fault) }
  } catch (error) {
    fault(error)
    return { write: report }
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

/** The files of a log with their sizes, newest first; empty if there are none. */
export function logFilesOf(
  file: string,
): readonly { readonly path: string; readonly bytes: number; readonly changedAt: number }[] {
  const path = resolve(file)
  const extension = extname(path) || '.log'
  const name = basename(path, extname(path))
  const numberOf = (entry: string): number => {
    if (!entry.startsWith(`${name}.`) || !entry.endsWith(extension)) return Number.NaN
    return Number(entry.slice(name.length + 1, -extension.length) || Number.NaN)
  }
  let entries: string[]
  try {
    entries = readdirSync(dirname(path))
  } catch {
    return []
  }
  return entries
    .filter((entry) => Number.isInteger(numberOf(entry)))
    .sort((a, b) => numberOf(b) - numberOf(a))
    .flatMap((entry) => {
      const found = statSync(join(dirname(path), entry), { throwIfNoEntry: false })
      return found
        ? [{ path: join(dirname(path), entry), bytes: found.size, changedAt: found.mtimeMs }]
        : []
    })
}
