/**
 * A file could not be written. full: no space, no quota, or as large as the file system takes; read-only: the file system, or the rights of
 * the folder. The message names the call and the code, never a path.
 */
export class StorageFault extends Error {
  readonly kind: 'full' | 'read-only' | 'failed'

  constructor(kind: StorageFault['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageFault'
    this.kind = kind
  }
}

const KINDS: Readonly<Record<string, StorageFault['kind']>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EROFS: 'read-only',
  EACCES: 'read-only',
  EPERM: 'read-only',
}
const WORDS = {
  full: 'The disk for images is full',
  'read-only': 'The folder for images cannot be written to',
  failed: 'The disk for images failed',
} as const satisfies Record<StorageFault['kind'], string>

/** The fault of a call to the file system; one that is told already stays as it is. */
export function storageFault(call: string, error: unknown): StorageFault {
  if (error instanceof StorageFault) return error
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  const kind = KINDS[code] ?? 'failed'
  return new StorageFault(kind, `${WORDS[kind]} (${call}: ${code}).`, error)
}
