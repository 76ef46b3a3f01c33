/**
 * What a disk did not do. full: no space, no quota, or as large as the file system takes;
 * read-only: the file system, or the rights of this account; failed: a write that the disk did not
 * take, for another reason or for one that SQLite does not give; busy: another connection has the
 * database; damaged: what is there cannot be read.
 */
export type DiskFaultKind = 'full' | 'read-only' | 'failed' | 'busy' | 'damaged'

/** SQLite result codes and codes of the file system, the first that fits. */
const KINDS: readonly (readonly [RegExp, DiskFaultKind])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/, 'full'],
  [/^(SQLITE_READONLY.*|EROFS|EACCES|EPERM)$/, 'read-only'],
  [/^SQLITE_IOERR_(READ|SHORT_READ|CORRUPTFS|DATA)$/, 'damaged'],
  [/^(SQLITE_IOERR.*|EIO)$/, 'failed'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'busy'],
  [/^SQLITE_(CORRUPT|NOTADB|CANTOPEN)/, 'damaged'],
]
/** EACCES and EPERM are also answers to these. */
const OTHER_CALLS = /^(listen|bind|connect|kill|spawn)/

/**
 * Which fault of the disk an error is: of the database, of a file, or of nothing that concerns the
 * disk (undefined).
 */
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

const WORDS = {
  full: 'The disk for images is full',
  'read-only': 'The folder for images cannot be written to',
  failed: 'The disk for images failed',
} as const satisfies Record<StorageFault['kind'], string>

/** The fault of a call to the file system; a `StorageFault` is returned as it is. */
export function storageFault(call: string, error: unknown): StorageFault {
  if (error instanceof StorageFault) return error
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  const found = diskFaultKind(error)
  const kind = found === 'full' || found === 'read-only' ? found : 'failed'
  return new StorageFault(kind, `${WORDS[kind]} (${call}: ${code}).`, error)
}
