import type { EventData, EventType } from '#shared/contract/webhooks.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { admitUrl, askedOnce, type Resolve, systemResolve } from './address.ts'
import { openCircuits, type Passage } from './circuit.ts'
import { openExchange, type Progress } from './exchange.ts'
import { CALL_LIMITS, type CallLimits } from './limits.ts'
import { signatureHeaders } from './signature.ts'
import { type CallFacts, WebhookError } from './webhook-error.ts'

export { readAnswer } from './answer.ts'
export { type CallFacts, WebhookError } from './webhook-error.ts'

export interface PartnerEndpoint {
  readonly endpointId: string
  readonly url: string
  /** `whsec_…`; all of them sign, the newest first. */
  readonly secrets: readonly string[]
}

/** A 2xx answer, its body raw and decompressed. */
export interface PartnerReply {
  readonly body: Buffer
  readonly httpStatus: number
  /** Milliseconds from the call to the last byte of the answer. */
  readonly tookMs: number
  /** Bytes of the body as they came over the wire. */
  readonly bytes: number
  readonly webhookId: string
  /** When the last byte came, milliseconds since 1970. */
  readonly answeredAt: number
}

export interface RequestOptions<T> {
  /** The caller's: its abort rejects with its reason and is no failure of the partner. */
  readonly signal?: AbortSignal
  /** Milliseconds for the whole call; else that of `CALL_LIMITS`. */
  readonly budgetMs?: number
  /** The event's id where it is sent again (row 32); else a new one. */
  readonly id?: WebhookEventId
  /** The API key whose endpoint gets the event (row 50). */
  readonly apiKeyId?: string
  /** Asks even while the circuit is open: a person pressed "test". */
  readonly evenIfOpen?: boolean
  /** Reads the reply. A `WebhookError` it throws is the partner's failure; any other error passes through and is not. */
  readonly accept?: (reply: PartnerReply) => T
}

/** How a call ended, for the partner's status. `detail` may name a patient where the fault is `refused`: never log it. */
export interface PartnerOutcome extends CallFacts {
  readonly type: EventType
  readonly endpointId: string | null
  /** null: answered and accepted. */
  readonly fault: PartnerFault | null
  /** As `WebhookError.detail`; '' for success. */
  readonly detail: string
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface RequesterDependencies {
  /** Which endpoint gets an event (row 50); `undefined` where none does. */
  readonly endpointFor: (type: EventType, apiKeyId: string | null) => PartnerEndpoint | undefined
  /** The `host:port` entries of `partner.plaintextHosts` as they are now. */
  readonly plaintextHosts: () => readonly string[]
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly eventId: () => WebhookEventId
  /** Milliseconds on a clock that never goes back. */
  readonly elapsed?: () => number
  readonly resolve?: Resolve
  /** Trusted certificate authorities in PEM, in place of the built-in ones. */
  readonly authorities?: readonly string[]
  /** Other limits than those of `CALL_LIMITS`. */
  readonly limits?: Partial<Readonly<Record<EventType, CallLimits>>>
  /** Told of every call but the aborted ones. Must not throw. */
  readonly onOutcome?: (outcome: PartnerOutcome) => void
}

export interface Requester extends AsyncDisposable {
  /**
   * Sends one event, signed, and reads its answer within its budget. Resolves to what `accept` makes of the reply, or to the reply.
   * Rejects with `WebhookError`, or with the reason of `signal`.
   */
  request<E extends EventType, T = PartnerReply>(type: E, data: EventData<E>, options?: RequestOptions<T>): Promise<T>
}

/** What a fault says of the partner. One that refuses is alive; where nothing was sent, nothing is known. */
const VERDICTS = {
  unreachable: 'failed',
  timeout: 'failed',
  status: 'failed',
  oversize: 'failed',
  invalid: 'failed',
  refused: 'succeeded',
  'no-endpoint': 'abandoned',
  'forbidden-address': 'abandoned',
  'circuit-open': 'abandoned',
} as const satisfies Record<PartnerFault, keyof Passage>

/** The only way out to the partner: address rules, signature, time and size limits, circuit breaker (interface-choices §3, §6 rows 29-32). */
export function openRequester(dependencies: RequesterDependencies): Requester {
  const { endpointFor, plaintextHosts, clock, eventId, onOutcome } = dependencies
  const elapsed = dependencies.elapsed ?? (() => performance.now())
  const limitsOf = (type: EventType) => dependencies.limits?.[type] ?? CALL_LIMITS[type]
  const circuits = openCircuits({ elapsed })
  const exchange = openExchange(askedOnce(dependencies.resolve ?? systemResolve), dependencies.authorities)

  async function request<E extends EventType, T = PartnerReply>(type: E, data: EventData<E>, options: RequestOptions<T> = {}): Promise<T> {
    const { signal, accept } = options
    signal?.throwIfAborted()
    const began = elapsed()
    const webhookId = options.id ?? eventId()
    const progress: Progress = { httpStatus: null, bytes: 0 }
    const facts = (): CallFacts => ({ ...progress, tookMs: elapsed() - began, webhookId })
    const endpoint = endpointFor(type, options.apiKeyId ?? null)
    const tell = (fault: PartnerFault | null, detail: string, known: CallFacts) => {
      const { httpStatus, tookMs, bytes } = known
      onOutcome?.({ type, endpointId: endpoint?.endpointId ?? null, fault, detail, httpStatus, tookMs, bytes, webhookId, at: clock() })
    }

    let passage: Passage | undefined
    try {
      if (!endpoint) throw new WebhookError('no-endpoint', 'no partner is set up for this event')
      const to = admitUrl(endpoint.url, plaintextHosts())
      passage = circuits.enter(`${endpoint.endpointId} ${to.url.href} ${type}`, options.evenIfOpen)
      const sent = Buffer.from(JSON.stringify({ id: webhookId, type, data }))
      const limits = { ...limitsOf(type), ...(options.budgetMs !== undefined && { budgetMs: options.budgetMs }) }
      const headers = () => signatureHeaders({ id: webhookId, at: clock(), body: sent, secrets: endpoint.secrets })
      using answer = await exchange.post({ to, body: sent, headers, limits, signal, progress })
      const reply: PartnerReply = { ...facts(), httpStatus: progress.httpStatus ?? 200, body: answer.body, answeredAt: clock() }
      const value = accept ? accept(reply) : (reply as T)
      passage.succeeded()
      tell(null, '', reply)
      return value
    } catch (cause) {
      if (!(cause instanceof WebhookError) || cause === signal?.reason) {
        passage?.abandoned()
        throw cause
      }
      const error = new WebhookError(cause.fault, cause.detail, facts(), cause.cause)
      passage?.[VERDICTS[error.fault]](error.detail)
      tell(error.fault, error.detail, error)
      throw error
    }
  }

  return { request, [Symbol.asyncDispose]: () => exchange[Symbol.asyncDispose]() }
}
