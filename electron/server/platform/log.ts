import { randomUUID } from 'node:crypto'
import { type DestinationStream, type Logger, pino } from 'pino'
import { diskFaultKind, StorageFault } from './disk-fault.ts'

export type Log = Logger

/**
 * Opens the log: JSON lines on stderr. Entries contain ids, addresses and AE titles, never patient
 * data. Synchronous, so that the last line before the process exits is written.
 */
export function openLog(
  level = 'info',
  to: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Log {
  const listeners = new Set<LineListener>()
  const stream = {
    write(line: string) {
      to.write(line)
      for (const listener of listeners) listener(line)
    },
  }
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // An error's message may quote received data.
      serializers: { err: serializeError },
    },
    stream,
  )
  listenersOf.set(log, listeners)
  return log
}

type LineListener = (line: string) => void
const listenersOf = new WeakMap<Log, Set<LineListener>>()

/** Calls the listener, which must not throw, with each line. Returns a function that ends it. */
export function onLogLine(log: Log, listener: LineListener): () => void {
  const listeners = listenersOf.get(log)
  listeners?.add(listener)
  return () => void listeners?.delete(listener)
}

/**
 * What the log may contain of an internal error: its name, code and stack frames, but not its
 * message, which may quote a value.
 */
export function serializeError(thrown: unknown): { readonly error: string; readonly at: string } {
  const code = textOf(thrown, 'code')
  const name = thrown instanceof Error ? thrown.name : typeof thrown
  const frames =
    thrown instanceof Error
      ? (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
      : []
  return {
    error: code ? `${name} ${code}` : name,
    at: frames
      .slice(0, 6)
      .map((frame) => frame.trim().replace(/^at /, ''))
      .join(' < '),
  }
}

/** The string property `key` of a thrown value; empty if it has none. */
export function textOf(thrown: unknown, key: string): string {
  const value: unknown =
    typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined
  return typeof value === 'string' ? value : ''
}

/**
 * Logs an internal error under a reference that the reply can give to the user. A disk that cannot
 * be written to is not logged again, because `write-health.ts` already did.
 */
export function reportError(
  { log }: { readonly log: Log },
  error: unknown,
  reference = randomUUID().slice(0, 8),
): void {
  const isKnown = diskFaultKind(error) !== undefined && !(error instanceof StorageFault)
  log[isKnown ? 'debug' : 'error']({ reference, err: error }, 'internal error')
}
