import { type DestinationStream, type Logger, pino } from 'pino'
import { faultForLog } from '#server/http/problem.ts'

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
