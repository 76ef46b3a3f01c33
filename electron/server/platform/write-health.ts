import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, message } from '#shared/messages/message.ts'
import type { Clock } from './clock.ts'
import { type DiskFaultKind, diskFaultKind } from './disk-fault.ts'

/**
 * Why the database cannot be written to. full: no space left or quota exceeded; read-only:
 * read-only file system, or no write permission.
 */
export type WriteFaultKind = 'full' | 'read-only' | 'failed'

export interface WriteFault {
  readonly kind: WriteFaultKind
  /** Time of the first failed write, in milliseconds since 1970. */
  readonly since: number
}

/** Whether the database can be written to, judged by the outcome of actual writes. */
export interface WriteHealth {
  /** Undefined if the database can be written to. */
  fault(): WriteFault | undefined
  /**
   * Calls the listener with the fault when it begins, and with undefined when it ends. The listener
   * must not throw. Returns a function that unsubscribes.
   */
  onChange(listener: (fault: WriteFault | undefined) => void): () => void
  /**
   * Records that a write was committed (undefined) or failed. Errors that do not come from the disk
   * are ignored.
   */
  note(error: unknown): void
}

const WRITE_FAULTS: Readonly<Record<DiskFaultKind, WriteFaultKind>> = {
  full: 'full',
  'read-only': 'read-only',
  failed: 'failed',
  busy: 'failed',
  damaged: 'failed',
}

const MESSAGES: Readonly<Record<WriteFaultKind, Message>> = {
  full: message('database.not-writable-full'),
  'read-only': message('database.not-writable-read-only'),
  failed: message('database.not-writable-failed'),
}

/** Explains the fault to staff. */
export const writeFaultMessage = ({ kind }: Pick<WriteFault, 'kind'>): Message => MESSAGES[kind]

/** Runs an optional write; returns false if the disk refused it. @throws any other error */
export function tryWrite(write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    if (diskFaultKind(error) === undefined) throw error
    return false
  }
}

/**
 * A full disk still accepts an occasional small write, because SQLite reuses space in its
 * write-ahead log. The fault ends after a commit and this long without a failed write.
 */
const RECOVERY_MS = 60_000

export function openWriteHealth(folder: string, clock: Clock): WriteHealth {
  const listeners = new Set<(fault: WriteFault | undefined) => void>()
  let fault: WriteFault | undefined
  let failedAt = 0

  function change(next: WriteFault | undefined): void {
    fault = next
    for (const listener of listeners) listener(next)
  }

  /** SQLite reports a file system that has become read-only as a failed write. */
  function isReadOnly(): boolean {
    const probe = join(folder, '.write-probe')
    try {
      writeFileSync(probe, '')
      rmSync(probe)
      return false
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EROFS'
    }
  }

  return {
    fault: () => fault,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    note(error) {
      const found = diskFaultKind(error)
      const kind = found && WRITE_FAULTS[found]
      if (kind !== undefined) {
        failedAt = clock()
        if (!fault)
          change({ kind: kind === 'failed' && isReadOnly() ? 'read-only' : kind, since: failedAt })
      } else if (error === undefined && fault && Math.abs(clock() - failedAt) >= RECOVERY_MS)
        change(undefined)
    },
  }
}
