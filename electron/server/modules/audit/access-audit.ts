import { LRUCache } from 'lru-cache'
import type { Actor } from '#server/audit-log/audit.ts'
import type { AuditDetail } from '#server/audit-log/audit-entry.ts'
import type { Context } from '#server/context.ts'
import { reportError } from '#server/platform/log.ts'

/** One read of patient data: by whom, of what kind, and of what. */
export interface Access {
  readonly actor: Actor
  readonly action:
    | 'read.list'
    | 'read.study'
    | 'read.images'
    | 'read.report'
    | 'read.interface'
    | 'read.query'
  /**
   * An id or the name of a list; for an API key, the operation. By Query/Retrieve and DICOMweb: the
   * Study Instance UID of images (`read.images`), the service of a search (`read.query`: `C-FIND`
   * or `QIDO-RS`).
   */
  readonly target: string
  /** What else distinguishes the read, such as the service and the destination of a retrieval. */
  readonly detail?: AuditDetail
}

/** Records in the audit trail who read patient data, without delaying the response. */
export interface AccessAudit extends AsyncDisposable {
  /** Records a read. The same read within `WINDOW_MS` is recorded once. */
  note(access: Access): void
}

/** Screens reload every few seconds. A user who returns after this time is recorded again. */
const DEDUPLICATION_WINDOW_MS = 15 * 60_000
/** Delay before a write. A crash loses at most the reads of this period. */
const WRITE_DELAY_MS = 1000
/** Entries per transaction, which blocks the event loop, and the pause before the next one. */
const BATCH_SIZE = 50
const BATCH_PAUSE_MS = 20
/** Reads that are remembered. When one is evicted, it may be recorded twice. */
const MAX_REMEMBERED = 20_000

export function openAccessAudit(context: Context): AccessAudit {
  const { clock } = context
  /** When each read was recorded, by its key (ms). */
  const recordedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED })
  const pending: Access[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<unknown> = Promise.resolve()

  function write(): void {
    timer = undefined
    const batch = pending.splice(0, BATCH_SIZE)
    if (pending.length > 0) timer = setTimeout(write, BATCH_PAUSE_MS)
    writing = context.database
      .commitSoon(() => context.audit.appendAll(batch.map((access) => ({ detail: {}, ...access }))))
      .catch((error: unknown) => {
        // The write failed, so the next identical read must be recorded.
        for (const access of batch) recordedAt.delete(keyOf(access))
        reportError(context, error)
      })
  }

  return {
    note(access) {
      const key = keyOf(access)
      const now = clock()
      const before = recordedAt.peek(key)
      if (before !== undefined && Math.abs(now - before) < DEDUPLICATION_WINDOW_MS) return
      recordedAt.set(key, now)
      pending.push(access)
      timer ??= setTimeout(write, WRITE_DELAY_MS)
    },
    async [Symbol.asyncDispose]() {
      while (timer) {
        clearTimeout(timer)
        write()
        await writing
      }
      await writing
    },
  }
}

const keyOf = ({ actor, action, target, detail = {} }: Access): string =>
  `${actor} ${action} ${target} ${JSON.stringify(detail)}`
