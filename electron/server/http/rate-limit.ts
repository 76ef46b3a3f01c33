import { LRUCache } from 'lru-cache'

/**
 * What a caller may still do, as the RateLimit fields say it
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export interface RateState {
  readonly isAllowed: boolean
  /** Header names and values, on every answer of a key; `retry-after` only with a refusal. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A token bucket for each key, or for each host that calls without a
 * valid one.
 */
export interface RateLimit {
  /** Counts one call of this caller. */
  take(caller: string): RateState
}

export interface RateLimitDeps {
  /** Milliseconds. */
  readonly clock: () => number
  /** `http.ratePerSecond`, read at each call. */
  readonly perSecond: () => number
  /** `http.rateBurst`, read at each call. */
  readonly burst: () => number
}

const MOST_RETRY_SECONDS = 60
/** Callers that are remembered: one that was forgotten begins with a full bucket again. */
const MOST_CALLERS = 10_000

/** One for all listeners. The callers of longest ago are forgotten where there are too many. */
export function openRateLimit({ clock, perSecond, burst }: RateLimitDeps): RateLimit {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: MOST_CALLERS })
  return {
    take(caller) {
      const [now, rate, most] = [clock(), perSecond(), burst()]
      const before = buckets.get(caller) ?? { tokens: most, at: now }
      // A clock that was set back gives nothing, and takes nothing.
      const filled = Math.min(most, before.tokens + (Math.max(0, now - before.at) / 1000) * rate)
      const isAllowed = filled >= 1
      const tokens = isAllowed ? filled - 1 : filled
      buckets.set(caller, { tokens, at: now })
      return {
        isAllowed,
        headers: {
          'ratelimit-limit': String(most),
          'ratelimit-remaining': String(Math.floor(tokens)),
          'ratelimit-reset': String(Math.ceil((most - tokens) / rate)),
          ...(!isAllowed && {
            'retry-after': String(
              Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil((1 - tokens) / rate))),
            ),
          }),
        },
      }
    },
  }
}
