/** The members of a log record of OpenTelemetry that the gateway sets. */
export interface OtlpLog {
  readonly timestamp: number
  /** 9 info, 13 warn, 17 error, 21 fatal (OpenTelemetry Logs Data Model, SeverityNumber). */
  readonly severityNumber: number
  readonly severityText: string
  readonly body: string
  readonly attributes: Record<string, string | number | boolean>
}

const SEVERITIES: Readonly<Record<string, number>> = { info: 9, warn: 13, error: 17, fatal: 21 }
const MIN_SEVERITY_NUMBERS = { errors: 17, warnings: 13, all: 9 } as const
const MAX_ATTRIBUTES = 40
const MAX_TEXT_LENGTH = 2000

/**
 * Converts a line of the log, which has no patient data. Undefined for a line below `least`, or one
 * that cannot be read.
 */
export function otlpLog(
  line: string,
  least: keyof typeof MIN_SEVERITY_NUMBERS,
): OtlpLog | undefined {
  let entry: Readonly<Record<string, unknown>>
  try {
    entry = JSON.parse(line)
  } catch {
    return undefined
  }
  const { level, time, msg, ...rest } = entry
  const severityText = String(level)
  const severityNumber = SEVERITIES[severityText]
  if (severityNumber === undefined || severityNumber < MIN_SEVERITY_NUMBERS[least]) return undefined
  const timestamp = Date.parse(String(time))
  return {
    timestamp: Number.isNaN(timestamp) ? Date.now() : timestamp,
    ...{ severityNumber, severityText, body: String(msg ?? '').slice(0, MAX_TEXT_LENGTH) },
    attributes: Object.fromEntries(
      Object.entries(rest)
        .slice(0, MAX_ATTRIBUTES)
        .map(([name, value]) => [name, attributeOf(value)]),
    ),
  }
}

const attributeOf = (value: unknown): string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean'
    ? value
    : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_TEXT_LENGTH)
