import { CALL_LIMITS, CONNECT_MS } from './limits.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import type { EventData, EventType } from '#shared/contract/webhooks.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { Agent, type Dispatcher } from 'undici'
import { admitUrl, pinnedLookup, type Resolve, type Route, systemResolve } from './address.ts'
import { openCircuits, type Passage } from './circuit.ts'
import { ACCEPT_ENCODING, type BodyReading, discard, readBody } from './response-body.ts'
import { signatureHeaders } from './signature.ts'
import { networkFault } from './network-fault.ts'
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
  readonly webhookId: WebhookEventId
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

/** How a call ended, for the partner's status. */
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
  /** `host:port` entries that may be called by plain http or at a private address (`partner.plaintextHosts`), as they are now. */
  readonly plaintextHosts: () => readonly string[]
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly eventId: () => WebhookEventId
  /** Milliseconds on a clock that never goes back. */
  readonly elapsed?: () => number
  readonly resolve?: Resolve
  /** Trusted certificate authorities in PEM, in place of the built-in ones. */
  readonly authorities?: readonly string[]
  /** Told of every call but the aborted ones. */
  readonly onOutcome?: (outcome: PartnerOutcome) => void
}

export interface Requester extends AsyncDisposable {
  /**
   * Sends one event, signed, and reads its answer within its budget. Resolves to what `accept` makes of the reply, or to the reply.
   * Rejects with `WebhookError`, or with the reason of `signal`.
   */
  request<E extends EventType, T = PartnerReply>(type: E, data: EventData<E>, options?: RequestOptions<T>): Promise<T>
}

/** The only way out to the partner: address rules, signature, time and size limits, circuit breaker (interface-choices §3, §6 rows 29-32). */
export function openRequester(dependencies: RequesterDependencies): Requester {
  const { endpointFor, plaintextHosts, clock, eventId, onOutcome } = dependencies
  const elapsed = dependencies.elapsed ?? (() => performance.now())
  const circuits = openCircuits({ elapsed })
  const agents = openAgents(dependencies.resolve ?? systemResolve, dependencies.authorities)

  async function request<E extends EventType, T = PartnerReply>(
    type: E,
    data: EventData<E>,
    options: RequestOptions<T> = {},
  ): Promise<T> {
    const { signal, accept } = options
    signal?.throwIfAborted()
    const began = elapsed()
    const webhookId = options.id ?? eventId()
    const reading: Reading = { httpStatus: null, bytes: 0 }
    const facts = (): CallFacts => ({ ...reading, tookMs: elapsed() - began, webhookId })
    const endpoint = endpointFor(type, options.apiKeyId ?? null)
    const tell = (fault: PartnerFault | null, detail: string, known: CallFacts) =>
      onOutcome?.({ ...known, type, endpointId: endpoint?.endpointId ?? null, fault, detail, at: clock() })

    let passage: Passage | undefined
    try {
      if (!endpoint) throw new WebhookError('no-endpoint', 'no partner is set up for this event')
      const { url, route } = admitUrl(endpoint.url, plaintextHosts())
      passage = circuits.enter(`${endpoint.endpointId} ${url.href} ${type}`, options.evenIfOpen)
      const body = Buffer.from(JSON.stringify({ id: webhookId, type, data }))
      const limits = { ...CALL_LIMITS[type], ...(options.budgetMs !== undefined && { budgetMs: options.budgetMs }) }
      const answer = await withinBudget(limits.budgetMs, signal, async (budget) => {
        const send = () =>
          agents[route].request({
            origin: url.origin,
            path: url.pathname + url.search,
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              accept: 'application/json',
              'accept-encoding': ACCEPT_ENCODING,
              'user-agent': 'Isthmus',
              ...signatureHeaders({ id: webhookId, at: clock(), body, secrets: endpoint.secrets }),
            },
            body,
            signal: budget,
          })
        const response = await connected(send, limits.retries, budget)
        reading.httpStatus = response.statusCode
        if (response.statusCode < 200 || response.statusCode > 299) throw discard(response, statusError(response.statusCode))
        return await readBody(response, limits.answerBytes, reading)
      })
      const reply: PartnerReply = { ...facts(), httpStatus: reading.httpStatus ?? 200, webhookId, body: answer, answeredAt: clock() }
      const value = accept ? accept(reply) : (reply as T)
      passage.succeeded()
      tell(null, '', reply)
      return value
    } catch (cause) {
      const error = failure(cause, facts())
      if (!error) {
        passage?.abandoned()
        throw cause
      }
      settle(passage, error)
      tell(error.fault, error.detail, error)
      throw error
    }
  }

  return {
    request,
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()))
    },
  }
}
