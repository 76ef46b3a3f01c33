import { LRUCache } from 'lru-cache'
import type { Actor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { reportError } from '#server/platform/log.ts'

/** A look at patient data: which kind, and at what. */
export interface Access {
  readonly actor: Actor
  readonly action: 'read.list' | 'read.study' | 'read.images' | 'read.report' | 'read.interface'
  /** An id, or the name of a list; for a partner's key the operation. */
  readonly target: string
}

/** Who looked at patient data, written to the audit trail without holding up the reply. */
export interface AccessAudit extends AsyncDisposable {
  /** The same look within `WINDOW_MS` is one entry. */
  note(access: Access): void
}

/** Screens are asked for again every few seconds; a person who comes back later is another look. */
const WINDOW_MS = 15 * 60_000
/** What a crash may lose: looks of so long before it. */
const WRITE_MS = 1000
/** Entries of one transaction, which holds the event loop, and the pause until the next. */
const PORTION = 50
const PORTION_MS = 20
/** Looks that are remembered; of the oldest a second entry may be written. */
const MOST_REMEMBERED = 20_000

export function openAccessAudit(context: Context): AccessAudit {
  const { clock } = context
  /** When each look was noted. */
  const seen = new LRUCache<string, number>({ max: MOST_REMEMBERED })
  const pending: Access[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<unknown> = Promise.resolve()

  function write(): void {
    timer = undefined
    const looks = pending.splice(0, PORTION)
    if (pending.length > 0) timer = setTimeout(write, PORTION_MS)
    writing = context.database
      .commitSoon(() => context.audit.appendAll(looks.map((look) => ({ ...look, detail: {} }))))
      .catch((error: unknown) => {
        // Where nothing can be written the next look is noted again.
        for (const look of looks) seen.delete(keyOf(look))
        reportError(context, error)
      })
  }

  return {
    note(look) {
      const key = keyOf(look)
      const now = clock()
      const before = seen.peek(key)
      if (before !== undefined && Math.abs(now - before) < WINDOW_MS) return
      seen.set(key, now)
      pending.push(look)
      timer ??= setTimeout(write, WRITE_MS)
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

const keyOf = ({ actor, action, target }: Access): string => `${actor} ${action} ${target}`
