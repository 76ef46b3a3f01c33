/**
 * Why a disk operation failed.
 *
 * - full: no space left, quota exceeded, or the file system's maximum file size reached
 * - read-only: read-only file system, or no write permission for this account
 * - failed: the write failed for another reason, or SQLite gave no reason
 * - busy: another connection has locked the database
 * - damaged: the contents cannot be read
 */
export type DiskFaultKind = 'full' | 'read-only' | 'failed' | 'busy' | 'damaged'

/** SQLite result codes and system error codes; the first match counts. */
const KINDS: readonly (readonly [RegExp, DiskFaultKind])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/, 'full'],
  [/^(SQLITE_READONLY.*|EROFS|EACCES|EPERM)$/, 'read-only'],
  [/^SQLITE_IOERR_(READ|SHORT_READ|CORRUPTFS|DATA)$/, 'damaged'],
  [/^(SQLITE_IOERR.*|EIO)$/, 'failed'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'busy'],
  [/^SQLITE_(CORRUPT|NOTADB|CANTOPEN)/, 'damaged'],
]
/** EACCES and EPERM from these system calls do not concern the disk. */
const OTHER_CALLS = /^(listen|bind|connect|kill|spawn)/

/** Classifies an error of the database or of a file; undefined if the disk is not the cause. */
export function diskFaultKind(error: unknown): DiskFaultKind | undefined {
  if (error instanceof StorageFault) return error.kind
  if (!(error instanceof Error)) return undefined
  const { code, syscall = '' } = error as NodeJS.ErrnoException
  if (typeof code !== 'string' || OTHER_CALLS.test(syscall)) return undefined
  return KINDS.find(([pattern]) => pattern.test(code))?.[1]
}

/** A file could not be written. The message names the call and the code, never a path. */
export class StorageFault extends Error {
  readonly kind: 'full' | 'read-only' | 'failed'

  constructor(kind: StorageFault['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageFault'
    this.kind = kind
  }
}

const MESSAGES = {
  full: 'The disk for images is full',
  'read-only': 'The folder for images cannot be written to',
  failed: 'The disk for images failed',
} as const satisfies Record<StorageFault['kind'], string>

/** Wraps a file system error; a `StorageFault` is returned unchanged. */
export function storageFault(call: string, error: unknown): StorageFault {
  if (error instanceof StorageFault) return error
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  const found = diskFaultKind(error)
  const kind = found === 'full' || found === 'read-only' ? found : 'failed'
  return new StorageFault(kind, `${MESSAGES[kind]} (${call}: ${code}).`, error)
}
