import { open } from 'node:fs/promises'
import { logFilesOf } from '#server/platform/log-file.ts'
import type { Masking } from './diagnostics-masking.ts'

/** Bytes read per file, which is more than the requested lines need. */
const MAX_BYTES = 2 << 20

/**
 * Fields of a log entry whose text comes from the program itself (`platform/log.ts` serializeError,
 * `gateway.ts`). Any other field may contain input.
 */
const PROGRAM_TEXT_FIELDS = new Set([
  'level',
  'msg',
  'route',
  'error',
  'at',
  'outcome',
  'detail',
  'http',
  'dimse',
  'fault',
  'code',
])
/** Fields that are copied unchanged if they have the expected format. */
const PROGRAM_FIELD_FORMATS: Readonly<Record<string, RegExp>> = {
  time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  requestId: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  reference: /^[\da-f]{8}$/,
}

/**
 * The last `limit` lines of a log that is written to files, masked for support, oldest first.
 * @param file as given to `--log-file`
 */
export async function logTail(
  file: string,
  limit: number,
  masking: Masking,
): Promise<readonly string[]> {
  let lines: string[] = []
  for (const { path } of logFilesOf(file)) {
    lines = [...(await linesOf(path)), ...lines]
    if (lines.length >= limit) break
  }
  return lines.slice(-limit).map((line) => maskedLine(line, masking))
}

async function linesOf(path: string): Promise<string[]> {
  const handle = await open(path, 'r').catch(() => undefined)
  if (!handle) return []
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - MAX_BYTES)
    const bytes = Buffer.alloc(size - from)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
    const lines = bytes.subarray(0, bytesRead).toString('utf8').split('\n')
    // The first line is incomplete.
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== '')
  } finally {
    await handle.close()
  }
}

/**
 * Masks every field of a log entry that does not come from the program itself. A line that is not
 * an entry is replaced by its length.
 */
export function maskedLine(line: string, masking: Masking): string {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry))
      return JSON.stringify(maskedEntry(entry, masking))
  } catch {
    // The line is not an entry.
  }
  return `(${line.length} characters that are no entry of the log)`
}

const maskedEntry = (entry: object, masking: Masking): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'number' || typeof value === 'boolean' || value === null)
        return [name, value]
      if (name === 'err' && typeof value === 'object') return [name, maskedEntry(value, masking)]
      if (typeof value === 'string' && PROGRAM_FIELD_FORMATS[name]?.test(value))
        return [name, value]
      return [
        name,
        typeof value === 'string' && PROGRAM_TEXT_FIELDS.has(name)
          ? masking.text(value)
          : '(masked)',
      ]
    }),
  )
