import type { PartnerFault } from '#shared/contract/worklist.ts'
import type { Message } from '#shared/messages/message.ts'

/** What is known of a call besides its fault. */
export interface CallFacts {
  /** HTTP status of the answer, null where none came. */
  readonly httpStatus: number | null
  /** Milliseconds from the call to its end. */
  readonly tookMs: number
  /** Bytes of the answer's body as they came over the wire. */
  readonly bytes: number
  /** The `webhook-id` sent, '' where the call ended before it had one. */
  readonly webhookId: string
  /**
   * Milliseconds after which the partner wants to be asked again (`Retry-After`), where it said so.
   */
  readonly retryAfterMs?: number | undefined
}

const NOTHING: CallFacts = { httpStatus: null, tookMs: 0, bytes: 0, webhookId: '' }

/**
 * A call to the partner that gave nothing usable. `detail` is one clause in plain words, without
 * secrets; of a refusal it is the partner's own text, which may name a patient: it belongs on the
 * screen, never in a log. `message` is safe to log.
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
    const { httpStatus, tookMs, bytes, webhookId, retryAfterMs } = { ...NOTHING, ...facts }
    this.fault = fault
    this.detail = detail
    this.httpStatus = httpStatus
    this.tookMs = tookMs
    this.bytes = bytes
    this.webhookId = webhookId
    this.retryAfterMs = retryAfterMs
  }
}
