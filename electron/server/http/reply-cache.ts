import { LRUCache } from 'lru-cache'
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
  const kept = new LRUCache<string, Buffer>({
    maxSize: most,
    // A name is two bytes a character at most.
    sizeCalculation: (reply, name) => reply.length + name.length * 2 + ENTRY_BYTES,
  })
  let keptAt = version()

  function forgetChanged(): void {
    const now = version()
    if (now === keptAt) return
    kept.clear()
    keptAt = now
  }

  return {
    keeps: (operation) => operation.method === 'GET' && known.has(callOf(operation)),
    version,
    find(caller, url) {
      forgetChanged()
      return kept.get(nameOf(caller, url))
    },
    keep(caller, url, reply, readAt) {
      forgetChanged()
      const name = nameOf(caller, url)
      if (readAt === keptAt && !kept.has(name)) kept.set(name, reply)
    },
  }
}

const callOf = ({ method, path }: Operation) => `${method} ${path}`

/** Everything about a caller that an answer can depend on; no URL of a request has a line break. */
const nameOf = (caller: Caller, url: string): string =>
  caller.kind === 'api-key'
    ? `${caller.apiKeyId} ${caller.scope} ${caller.isViewerEnabled}\n${url}`
    : `${JSON.stringify(caller.user)}\n${url}`
