import { open } from 'node:fs/promises'
import { logFilesOf } from '#server/platform/log-file.ts'
import type { Masking } from './diagnostics-masking.ts'

/** Bytes read of one file: more lines than are wanted fit in it. */
const MOST_BYTES = 2 << 20

/**
 * Texts of a log entry that the program itself made (`platform/log.ts` serializeError, `gateway.ts`);
 * any other may hold what somebody sent.
 */
const OWN_TEXTS = new Set([
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
/** Told as they are where they have their form. */
const OWN_FORMS: Readonly<Record<string, RegExp>> = {
  time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  requestId: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  reference: /^[\da-f]{8}$/,
}

/**
 * The last `most` lines of a log that is kept in files, as they may leave the clinic, oldest first.
 * @param file as given to `--log-file`
 */
export async function logTail(
  file: string,
  most: number,
  masking: Masking,
): Promise<readonly string[]> {
  let lines: string[] = []
  for (const { path } of logFilesOf(file)) {
    lines = [...(await linesOf(path)), ...lines]
    if (lines.length >= most) break
  }
  return lines.slice(-most).map((line) => maskedLine(line, masking))
}

async function linesOf(path: string): Promise<string[]> {
  const handle = await open(path, 'r').catch(() => undefined)
  if (!handle) return []
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - MOST_BYTES)
    const bytes = Buffer.alloc(size - from)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
    const lines = bytes.subarray(0, bytesRead).toString('utf8').split('\n')
    // The first one begins somewhere before.
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== '')
  } finally {
    await handle.close()
  }
}

/**
 * A log entry with what the program did not write itself left out. What is no entry is told by its
 * length.
 */
export function maskedLine(line: string, masking: Masking): string {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry))
      return JSON.stringify(maskedEntry(entry, masking))
  } catch {
    // It is no entry.
  }
  return `(${line.length} characters that are no entry of the log)`
}

const maskedEntry = (entry: object, masking: Masking): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'number' || typeof value === 'boolean' || value === null)
        return [name, value]
      if (name === 'err' && typeof value === 'object') return [name, maskedEntry(value, masking)]
      if (typeof value === 'string' && OWN_FORMS[name]?.test(value)) return [name, value]
      return [
        name,
        typeof value === 'string' && OWN_TEXTS.has(name) ? masking.text(value) : '(masked)',
      ]
    }),
  )
