import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { Operation } from '#shared/operation.ts'
import type { Caller } from './callers.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** Overhead of an entry beyond its reply and key: map entry and two object headers, rounded up. */
const ENTRY_OVERHEAD_BYTES = 256

/**
 * Caches replies until the database changes. The caller is authenticated on each request, and its
 * permissions are part of the cache key. Replies may name patients, so they are kept only in
 * memory. Shared by all listeners; the least recently used reply is evicted first.
 */
export class ReplyCache {
  readonly #database: Pick<Context['database'], 'changeCount'>
  readonly #operations: ReadonlySet<string>
  readonly #kept: LRUCache<string, Buffer>
  #keptAt: number

  /** @param bytes maximum size of all cached replies */
  constructor(
    { database }: { readonly database: Pick<Context['database'], 'changeCount'> },
    operations: readonly Operation[],
    bytes = MAX_BYTES,
  ) {
    this.#database = database
    this.#operations = new Set(operations.map(callOf))
    this.#keptAt = database.changeCount
    this.#kept = new LRUCache<string, Buffer>({
      maxSize: bytes,
      // A key uses at most two bytes per character.
      sizeCalculation: (reply, name) => reply.length + name.length * 2 + ENTRY_OVERHEAD_BYTES,
    })
  }

  covers(operation: Operation): boolean {
    return operation.method === 'GET' && this.#operations.has(callOf(operation))
  }

  /** Must be read before the rows of the reply. */
  version(): number {
    return this.#database.changeCount
  }

  find(caller: Caller, url: string): Buffer | undefined {
    this.#clearIfChanged()
    return this.#kept.get(cacheKey(caller, url))
  }

  /** Caches a reply that was read at `version`, unless something has changed since then. */
  keep(caller: Caller, url: string, reply: Buffer, version: number): void {
    this.#clearIfChanged()
    const name = cacheKey(caller, url)
    if (version === this.#keptAt && !this.#kept.has(name)) this.#kept.set(name, reply)
  }

  #clearIfChanged(): void {
    const now = this.version()
    if (now === this.#keptAt) return
    this.#kept.clear()
    this.#keptAt = now
  }
}

const callOf = ({ method, path }: Operation) => `${method} ${path}`

/**
 * Everything about a caller that a reply can depend on. The URL of a request cannot contain a line
 * break.
 */
const cacheKey = (caller: Caller, url: string): string =>
  caller.kind === 'api-key'
    ? `${caller.apiKeyId} ${caller.scope} ${caller.isViewerEnabled}\n${url}`
    : `${JSON.stringify(caller.user)}\n${url}`
