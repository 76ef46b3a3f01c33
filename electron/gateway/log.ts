import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/**
 * JSON lines on stderr: ids, addresses and AE titles, never anything about a patient (design.md §4.8). Synchronous, so that the last line
 * before an end is there.
 */
export function openLog(level = 'info', to: DestinationStream = pino.destination({ dest: 2, sync: true })): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (error: Error & { code?: unknown }) => ({ name: error.name, code: error.code, message: error.message, stack: error.stack }),
      },
    },
    to,
  )
}
