import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, message } from '#shared/messages/message.ts'
import type { Clock } from './clock.ts'
import { type DiskFaultKind, diskFaultKind } from './disk-fault.ts'

/**
 * Why the database cannot be written to. full: no space or no quota; read-only: the file system, or
 * its rights.
 */
export type WriteFaultKind = 'full' | 'read-only' | 'failed'

export interface WriteFault {
  readonly kind: WriteFaultKind
  /** Milliseconds since 1970, of the first write that failed. */
  readonly since: number
}

/** Whether the database can be written to, by what became of the writes that were tried. */
export interface WriteHealth {
  /** Undefined where it can. */
  fault(): WriteFault | undefined
  /**
   * Calls the listener when the fault begins, and with undefined when it is over. It must not
   * throw. Returns what stops it.
   */
  onChange(listener: (fault: WriteFault | undefined) => void): () => void
  /**
   * A write was committed (undefined), or failed. Other errors than those of the disk say nothing
   * of it.
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

const SENTENCES: Readonly<Record<WriteFaultKind, Message>> = {
  full: message('database.not-writable-full'),
  'read-only': message('database.not-writable-read-only'),
  failed: message('database.not-writable-failed'),
}

/** What it means, for staff. */
export const writeFaultSentence = ({ kind }: Pick<WriteFault, 'kind'>): Message => SENTENCES[kind]

/**
 * Runs a write that its caller can do without; false where the disk did not take it. @throws any
 * other error
 */
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
 * A full disk takes small writes now and then: SQLite uses the space of its log again. The fault is
 * over when a write was committed and none has failed for so long.
 */
const CALM_MS = 60_000

export function openWriteHealth(folder: string, clock: Clock): WriteHealth {
  const listeners = new Set<(fault: WriteFault | undefined) => void>()
  let fault: WriteFault | undefined
  let failedAt = 0

  function change(next: WriteFault | undefined): void {
    fault = next
    for (const listener of listeners) listener(next)
  }

  /** SQLite reports a file system that became read-only as a failed write. */
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
      } else if (error === undefined && fault && Math.abs(clock() - failedAt) >= CALM_MS)
        change(undefined)
    },
  }
}
