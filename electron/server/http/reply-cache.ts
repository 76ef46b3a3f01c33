import type { Operation } from '#shared/operation.ts'
import type { Caller } from './callers.ts'

export interface ReplyCacheDeps {
  /**
   * Operations whose replies depend on the caller, the URL and stored rows alone: not on the clock,
   * and nothing is made by asking.
   */
  readonly operations: readonly Operation[]
  /**
   * Another number after every change to what those replies are read from (`Database.changeCount`).
   */
  readonly version: () => number
  /** Most bytes of all that is kept. */
  readonly bytes?: number
}

/**
 * Replies as they went out, to answer the same question of the same caller again while nothing has
 * changed. Who calls is established before and anew at each call, and what that caller may do is
 * part of what a reply is kept under: only what it would be told again is told. Replies may name
 * patients, so they are in memory alone.
 */
export interface ReplyCache {
  keeps(operation: Operation): boolean
  /** To be read before the rows are. */
  version(): number
  find(caller: Caller, url: string): Buffer | undefined
  /** Keeps a reply that was read at `version`, unless something has changed since. */
  keep(caller: Caller, url: string, reply: Buffer, version: number): void
}

const MOST_BYTES = 16 * 1024 * 1024
/**
 * What an entry takes beside its reply and its name: the map's own and two headers of objects,
 * rounded up.
 */
const ENTRY_BYTES = 256

/** One for all listeners. The longest unused goes first. */
export function openReplyCache({
  operations,
  version,
  bytes: most = MOST_BYTES,
}: ReplyCacheDeps): ReplyCache {
  const known = new Set(operations.map(callOf))
  const kept = new Map<string, Buffer>()
  let keptAt = version()
  let total = 0

  function forgetChanged(): void {
    const now = version()
    if (now === keptAt) return
    kept.clear()
    total = 0
    keptAt = now
  }
  // A name is two bytes a character at most.
  const sizeOf = (name: string, reply: Buffer) => reply.length + name.length * 2 + ENTRY_BYTES

  return {
    keeps: (operation) => operation.method === 'GET' && known.has(callOf(operation)),
    version,
    find(caller, url) {
      forgetChanged()
      const name = nameOf(caller, url)
      const reply = kept.get(name)
      if (!reply) return undefined
      kept.delete(name)
      kept.set(name, reply)
      return reply
    },
    keep(caller, url, reply, readAt) {
      forgetChanged()
      const name = nameOf(caller, url)
      if (readAt !== keptAt || kept.has(name) || sizeOf(name, reply) > most) return
      kept.set(name, reply)
      total += sizeOf(name, reply)
      for (const [oldest, unused] of kept) {
        if (total <= most) break
        kept.delete(oldest)
        total -= sizeOf(oldest, unused)
      }
    },
  }
}

const callOf = ({ method, path }: Operation) => `${method} ${path}`

/** Everything about a caller that an answer can depend on; no URL of a request has a line break. */
const nameOf = (caller: Caller, url: string): string =>
  caller.kind === 'api-key'
    ? `${caller.apiKeyId} ${caller.scope} ${caller.isViewerEnabled}\n${url}`
    : `${JSON.stringify(caller.user)}\n${url}`
