import { hash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { ApiError, malformedFields } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { findAnswer, type IdempotencySlot, storeAnswer } from './idempotency-queries.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'

/** A response as sent: its status and JSON. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/**
 * Handles POST requests with an `Idempotency-Key` (IETF draft of that name). Shared by all
 * listeners.
 */
export class Idempotency {
  readonly #context: Context
  readonly #inProgress = new Set<string>()

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Runs the work once per slot; a repeated request with the same body gets the first response. If
   * the work is synchronous, it is committed in one transaction with the stored response.
   * @throws ApiError in-flight, refused
   */
  async answer(
    slot: IdempotencySlot,
    body: unknown,
    work: () => Answer | Promise<Answer>,
  ): Promise<Answer & { readonly isReplayed: boolean }> {
    const name = JSON.stringify([slot.caller, slot.call, slot.key])
    if (this.#inProgress.has(name)) throw inFlightError()
    const bodyHash = hash('sha256', JSON.stringify(body) ?? '')
    const before = findAnswer(this.#context, slot)
    if (before) {
      if (before.bodyHash !== bodyHash) throw otherBodyError()
      return { status: before.status, body: before.body, isReplayed: true }
    }
    this.#inProgress.add(name)
    try {
      const store = (answer: Answer) => storeAnswer(this.#context, slot, { ...answer, bodyHash })
      // Wrapped in an object, because a transaction must not return a promise.
      const { answer } = this.#context.database.transaction(() => {
        const given = work()
        if (!(given instanceof Promise)) store(given)
        return { answer: given }
      })
      if (!(answer instanceof Promise)) return { ...answer, isReplayed: false }
      const settledAnswer = await answer
      store(settledAnswer)
      return { ...settledAnswer, isReplayed: false }
    } finally {
      this.#inProgress.delete(name)
    }
  }
}

/** The key of a request; undefined if it has none. @throws ApiError malformed */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw malformedFields({
    path: `headers.${IDEMPOTENCY_HEADER}`,
    message: message('http.idempotency-key'),
  })
}

const inFlightError = () =>
  new ApiError('in-flight', message('http.idempotency-in-flight'), {
    headers: { 'x-should-retry': 'true', 'retry-after': '1' },
  })
const otherBodyError = () =>
  new ApiError('refused', message('http.idempotency-other-body'), {
    errors: [
      {
        path: `headers.${IDEMPOTENCY_HEADER}`,
        message: message('http.idempotency-other-body-field'),
      },
    ],
  })
