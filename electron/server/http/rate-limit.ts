import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'

/**
 * The remaining quota of a caller, as sent in the RateLimit fields
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export interface RateState {
  readonly isAllowed: boolean
  /** Header names and values for every response to a key; `retry-after` only with a refusal. */
  readonly headers: Readonly<Record<string, string>>
}

const MAX_RETRY_SECONDS = 60
/** Callers that are remembered. A forgotten caller starts again with a full bucket. */
const MAX_CALLERS = 10_000

/**
 * A token bucket for each key, or for each host without a valid key. Shared by all listeners.
 * Follows the settings `ratePerSecond` and `rateBurst` of its group.
 */
export class RateLimit {
  readonly #context: Pick<Context, 'clock' | 'settings'>
  readonly #group: 'http' | 'dicomweb'
  readonly #buckets = new LRUCache<string, { tokens: number; at: number }>({ max: MAX_CALLERS })

  constructor(context: Pick<Context, 'clock' | 'settings'>, group: 'http' | 'dicomweb' = 'http') {
    this.#context = context
    this.#group = group
  }

  /** Counts one request of the caller. */
  take(caller: string): RateState {
    const { clock, settings } = this.#context
    const [now, rate] = [clock(), settings.get(`${this.#group}.ratePerSecond`)]
    const burst = settings.get(`${this.#group}.rateBurst`)
    const before = this.#buckets.get(caller) ?? { tokens: burst, at: now }
    // If the clock was set back, no tokens are added or removed.
    const refilledTokens = Math.min(
      burst,
      before.tokens + (Math.max(0, now - before.at) / 1000) * rate,
    )
    const isAllowed = refilledTokens >= 1
    const tokens = isAllowed ? refilledTokens - 1 : refilledTokens
    this.#buckets.set(caller, { tokens, at: now })
    const wait = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil((1 - tokens) / rate)))
    return {
      isAllowed,
      headers: {
        'ratelimit-limit': String(burst),
        'ratelimit-remaining': String(Math.floor(tokens)),
        'ratelimit-reset': String(Math.ceil((burst - tokens) / rate)),
        ...(!isAllowed && { 'retry-after': String(wait) }),
      },
    }
  }
}
