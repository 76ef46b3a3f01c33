import { createHash } from 'node:crypto'
import { ApiError } from '#shared/errors.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'

/** An answer as it goes out: its status and its JSON. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/**
 * What one `Idempotency-Key` is a key to: the same text of another caller, or on another path, is
 * another key.
 */
export interface IdempotencySlot {
  /** `callerName` of http/callers. */
  readonly caller: string
  /** Method and path without its query, e.g. `POST /v1/express`. */
  readonly call: string
  readonly key: string
}

/** Port: answers kept for 24 hours (`store/idempotency`), their bodies sealed. */
export interface KeptAnswers {
  /** `work` and what it keeps happen together or not at all. */
  transaction<T>(work: () => T): T
  /** The answer of a slot, unless it is older than 24 hours. */
  find(slot: IdempotencySlot): (Answer & { readonly bodyHash: string }) | undefined
  keep(slot: IdempotencySlot, kept: Answer & { readonly bodyHash: string }): void
}

/** A POST with an `Idempotency-Key` (the IETF draft of that name). */
export interface Idempotency {
  /**
   * The answer kept for this slot, `isReplayed`; otherwise that of `work`, kept unless it has to be
   * asked again (5xx, 429). Where `work` does not wait for anything its changes and the kept answer
   * are one transaction: a crash leaves both or neither.
   * @throws ApiError in-flight (409) while the first call is under way; refused (422) for another
   *   body under the same key
   */
  answer(
    slot: IdempotencySlot,
    body: unknown,
    work: () => Answer | Promise<Answer>,
  ): Promise<Answer & { readonly isReplayed: boolean }>
}

/** One for all listeners: a key that is under way on one is under way on the others. */
export function openIdempotency(kept: KeptAnswers): Idempotency {
  const underWay = new Set<string>()
  return {
    async answer(slot, body, work) {
      const name = JSON.stringify([slot.caller, slot.call, slot.key])
      if (underWay.has(name)) throw inFlight()
      const bodyHash = createHash('sha256')
        .update(JSON.stringify(body) ?? '')
        .digest('hex')
      const before = kept.find(slot)
      if (before) {
        if (before.bodyHash !== bodyHash) throw otherBody()
        return { status: before.status, body: before.body, isReplayed: true }
      }
      underWay.add(name)
      try {
        const keep = (answer: Answer) => kept.keep(slot, { ...answer, bodyHash })
        const { answer } = kept.transaction(() => {
          const given = work()
          if (!(given instanceof Promise)) keep(given)
          return { answer: given }
        })
        if (!(answer instanceof Promise)) return { ...answer, isReplayed: false }
        const later = await answer
        keep(later)
        return { ...later, isReplayed: false }
      } finally {
        underWay.delete(name)
      }
    },
  }
}

/** The key a request names, undefined without one. @throws ApiError malformed */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  const message = 'must be 1 to 255 visible ASCII characters'
  throw new ApiError('malformed', `headers.${IDEMPOTENCY_HEADER}: ${message}`, {
    errors: [{ path: `headers.${IDEMPOTENCY_HEADER}`, message }],
  })
}

const inFlight = () =>
  new ApiError(
    'in-flight',
    'The first call with this Idempotency-Key is still under way; ask again.',
    {
      headers: { 'x-should-retry': 'true', 'retry-after': '1' },
    },
  )
const otherBody = () =>
  new ApiError(
    'refused',
    'This Idempotency-Key was used with another body; a new call needs a new key.',
    {
      errors: [{ path: `headers.${IDEMPOTENCY_HEADER}`, message: 'was used with another body' }],
    },
  )
