import type { Context } from '#server/context.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import type { Operation } from '#shared/operation.ts'
import { ApiKeyCache, type ValidKey } from './api-key-cache.ts'
import { Idempotency } from './idempotency.ts'
import { cursorCodec } from './pagination.ts'
import { RateLimit } from './rate-limit.ts'
import { ReplyCache } from './reply-cache.ts'

/** The state of the partner interface, shared by all listeners. */
export class PartnerInterface {
  readonly keys: ApiKeyCache
  /** Returns the customers that the user is linked to. */
  readonly customerIdsOf: (userId: UserId) => readonly ExpressCustomerId[]
  readonly rateLimit: RateLimit
  /**
   * Limits requests without a valid key, per host. Separate from the limit of keys, so that a
   * partner at the same address, e.g. behind the same proxy, is not affected.
   */
  readonly badKeyLimit: RateLimit
  /** Limits the DICOMweb requests of a key: a viewer sends one for each image. */
  readonly dicomwebLimit: RateLimit
  /** Whether DICOMweb is switched on. */
  readonly isDicomwebEnabled: () => boolean
  readonly idempotency: Idempotency
  readonly cursors: ReturnType<typeof cursorCodec>
  readonly replies: ReplyCache

  /**
   * @param authenticate looks up the secret of a key and records its use
   * @param cacheable operations whose replies depend only on the caller, the URL and stored rows:
   * not on the time, and without side effects
   */
  constructor(
    context: Context,
    authenticate: (key: string) => ValidKey | undefined,
    customerIdsOf: (userId: UserId) => readonly ExpressCustomerId[],
    cacheable: readonly Operation[],
  ) {
    this.keys = new ApiKeyCache(context, authenticate)
    this.customerIdsOf = customerIdsOf
    this.rateLimit = new RateLimit(context)
    this.badKeyLimit = new RateLimit(context)
    this.dicomwebLimit = new RateLimit(context, 'dicomweb')
    this.isDicomwebEnabled = () => context.settings.get('dicomweb.isOn')
    this.idempotency = new Idempotency(context)
    this.cursors = cursorCodec(context.database.seal.keyFor('list cursors'))
    this.replies = new ReplyCache(context, cacheable)
  }
}
