import { randomUUID } from 'node:crypto'
import { type DestinationStream, type Logger, pino } from 'pino'
import { diskFaultKind, StorageFault } from './disk-fault.ts'

export type Log = Logger

/**
 * JSON lines on stderr: ids, addresses and AE titles, never anything about a patient. Synchronous,
 * so that the last line before an end is there.
 */
export function openLog(
  level = 'info',
  to: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // The message of an error may quote what somebody sent.
      serializers: { err: faultForLog },
    },
    to,
  )
}

/**
 * What the log may hold of a fault of ours: the error's name, code and the places it passed, never
 * its message (it may quote a value).
 */
export function faultForLog(thrown: unknown): { readonly error: string; readonly at: string } {
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

/** The value of `key` of anything thrown; empty where it is no text. */
export function textOf(thrown: unknown, key: string): string {
  const value: unknown =
    typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined
  return typeof value === 'string' ? value : ''
}

/**
 * Logs an error of ours under a reference, which a reply may give to a person. Of a disk that takes
 * no writes the log has one line already (`write-health.ts`).
 */
export function reportError(
  { log }: { readonly log: Log },
  error: unknown,
  reference = randomUUID().slice(0, 8),
): void {
  const isKnown = diskFaultKind(error) !== undefined && !(error instanceof StorageFault)
  log[isKnown ? 'debug' : 'error']({ reference, err: error }, 'internal error')
}
