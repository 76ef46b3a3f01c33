import type { PartnerFault } from '#shared/contract/worklist.ts'
import type { Message } from '#shared/messages/message.ts'

/** Facts about a request in addition to its fault. */
export interface CallFacts {
  /** HTTP status of the answer; null if there was none. */
  readonly httpStatus: number | null
  /** Milliseconds from the request to its end. */
  readonly tookMs: number
  /** Length of the answer's body as transferred. */
  readonly bytes: number
  /** The `webhook-id` sent; '' if the request ended before it had one. */
  readonly webhookId: string
  /** Milliseconds after which the partner asks to be called again (`Retry-After`), if specified. */
  readonly retryAfterMs?: number | undefined
}

const NO_FACTS: CallFacts = { httpStatus: null, tookMs: 0, bytes: 0, webhookId: '' }

/**
 * A request to the partner without a usable answer. `detail` is one clause without secrets. For a
 * refusal it is the partner's own text, which may name a patient: it may be displayed but not
 * logged. `message` is safe to log.
 */
export class WebhookError extends Error implements CallFacts {
  override name = 'WebhookError'
  readonly fault: PartnerFault
  readonly detail: Message
  readonly httpStatus: number | null
  readonly tookMs: number
  readonly bytes: number
  readonly webhookId: string
  readonly retryAfterMs: number | undefined
  constructor(
    fault: PartnerFault,
    detail: Message,
    facts: Partial<CallFacts> = {},
    cause?: unknown,
  ) {
    super(`the partner call failed: ${fault}`, cause === undefined ? undefined : { cause })
    const { httpStatus, tookMs, bytes, webhookId, retryAfterMs } = { ...NO_FACTS, ...facts }
    this.fault = fault
    this.detail = detail
    this.httpStatus = httpStatus
    this.tookMs = tookMs
    this.bytes = bytes
    this.webhookId = webhookId
    this.retryAfterMs = retryAfterMs
  }
}
