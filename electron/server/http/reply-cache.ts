import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { Operation } from '#shared/operation.ts'
import type { Caller } from './callers.ts'

const MOST_BYTES = 16 * 1024 * 1024
/**
 * What an entry takes beside its reply and its name: the map's own and two headers of objects,
 * rounded up.
 */
const ENTRY_BYTES = 256

/**
 * Replies as they went out, to answer the same question of the same caller again while the database
 * has not changed. Who calls is established anew at each call, and what that caller may do is part
 * of what a reply is kept under. Replies may name patients, so they are in memory alone. One for
 * all listeners; the longest unused goes first.
 */
export class ReplyCache {
  readonly #database: Pick<Context['database'], 'changeCount'>
  readonly #operations: ReadonlySet<string>
  readonly #kept: LRUCache<string, Buffer>
  #keptAt: number

  /** @param bytes most of all that is kept */
  constructor(
    { database }: { readonly database: Pick<Context['database'], 'changeCount'> },
    operations: readonly Operation[],
    bytes = MOST_BYTES,
  ) {
    this.#database = database
    this.#operations = new Set(operations.map(callOf))
    this.#keptAt = database.changeCount
    this.#kept = new LRUCache<string, Buffer>({
      maxSize: bytes,
      // A name is two bytes a character at most.
      sizeCalculation: (reply, name) => reply.length + name.length * 2 + ENTRY_BYTES,
    })
  }

  covers(operation: Operation): boolean {
    return operation.method === 'GET' && this.#operations.has(callOf(operation))
  }

  /** To be read before the rows are. */
  version(): number {
    return this.#database.changeCount
  }

  find(caller: Caller, url: string): Buffer | undefined {
    this.#forgetChanged()
    return this.#kept.get(nameOf(caller, url))
  }

  /** Keeps a reply that was read at `version`, unless something has changed since. */
  keep(caller: Caller, url: string, reply: Buffer, version: number): void {
    this.#forgetChanged()
    const name = nameOf(caller, url)
    if (version === this.#keptAt && !this.#kept.has(name)) this.#kept.set(name, reply)
  }

  #forgetChanged(): void {
    const now = this.version()
    if (now === this.#keptAt) return
    this.#kept.clear()
    this.#keptAt = now
  }
}

const callOf = ({ method, path }: Operation) => `${method} ${path}`

/** Everything about a caller that an answer can depend on; no URL of a request has a line break. */
const nameOf = (caller: Caller, url: string): string =>
  caller.kind === 'api-key'
    ? `${caller.apiKeyId} ${caller.scope} ${caller.isViewerEnabled}\n${url}`
    : `${JSON.stringify(caller.user)}\n${url}`
