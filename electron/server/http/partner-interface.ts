import type { Context } from '#server/context.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import type { Operation } from '#shared/operation.ts'
import { Idempotency } from './idempotency.ts'
import { KnownKeys, type LiveKey } from './known-keys.ts'
import { cursorCodec } from './pagination.ts'
import { RateLimit } from './rate-limit.ts'
import { ReplyCache } from './reply-cache.ts'

/** What the interface for partners keeps beside the window; one for all listeners. */
export class PartnerInterface {
  readonly keys: KnownKeys
  /** The customers that the user is linked to. */
  readonly customerIdsOf: (userId: UserId) => readonly ExpressCustomerId[]
  readonly rateLimit: RateLimit
  /**
   * Calls without a valid key, by the caller's host. A bucket of its own: a partner at the same
   * address, such as behind the same proxy, is not refused because of them.
   */
  readonly refusedLimit: RateLimit
  readonly idempotency: Idempotency
  readonly cursors: ReturnType<typeof cursorCodec>
  readonly replies: ReplyCache

  /**
   * @param authenticate looks the secret of a key up, and notes its use
   * @param cacheable operations whose replies depend on the caller, the URL and stored rows alone:
   *   not on the clock, and nothing is made by asking
   */
  constructor(
    context: Context,
    authenticate: (key: string) => LiveKey | undefined,
    customerIdsOf: (userId: UserId) => readonly ExpressCustomerId[],
    cacheable: readonly Operation[],
  ) {
    this.keys = new KnownKeys(context, authenticate)
    this.customerIdsOf = customerIdsOf
    this.rateLimit = new RateLimit(context)
    this.refusedLimit = new RateLimit(context)
    this.idempotency = new Idempotency(context)
    this.cursors = cursorCodec(context.database.seal.keyFor('list cursors'))
    this.replies = new ReplyCache(context, cacheable)
  }
}
