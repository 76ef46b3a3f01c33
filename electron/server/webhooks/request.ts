import type { Context } from '#server/context.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import type { EventData, EventType } from '#shared/contract/webhooks.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { idFromUuid, type WebhookEventId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type AdmittedUrl, admitUrl } from './address.ts'
import type { Agents } from './agents.ts'
import { type AnswerContext, type AnswerOf, readAnswerWithNotes } from './answer.ts'
import { openCircuits, type Passage } from './circuit.ts'
import { CALL_LIMITS, type CallLimits, Exchange, type Progress } from './exchange.ts'
import { KEPT_BYTES } from './response-body.ts'
import { signatureHeaders } from './signature.ts'
import { type CallFacts, WebhookError } from './webhook-error.ts'

export { readAnswer } from './answer.ts'
export { type CallFacts, WebhookError } from './webhook-error.ts'

export interface PartnerEndpoint {
  readonly endpointId: string
  readonly url: string
  /** `whsec_…`; all of them sign, the newest first. */
  readonly secrets: readonly string[]
  /** Milliseconds a call may take, by event, where it is not that of `CALL_LIMITS`. */
  readonly budgets?: Readonly<Partial<Record<EventType, number>>>
}

/** What an event is about, for its record; never a patient. */
export interface EventSubject {
  /** A study, a report, a device's AE title. */
  readonly subject: string
  readonly studyInstanceUid: string | null
  readonly isTest?: boolean
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

/** A reply while it is read: what is left out of it is noted. */
export interface ReadableReply extends PartnerReply {
  /** @param path where in the answer @param sentence what is wrong with it, never the value */
  note(path: string, sentence: Message): void
}

export interface RequestOptions<T> {
  /** The caller's: its abort rejects with its reason and is no failure of the partner. */
  readonly signal?: AbortSignal
  /** Milliseconds for the whole call at most; else that of the endpoint or of `CALL_LIMITS`. */
  readonly budgetMs?: number
  /** The event's id where it is sent again; else a new one. */
  readonly id?: WebhookEventId
  /** The API key whose endpoint gets the event. */
  readonly apiKeyId?: string | null
  /** The endpoint to ask, where it is not the event's own: a test. */
  readonly endpoint?: PartnerEndpoint
  /** What it is about, where its data do not say it: see `aboutOf`. */
  readonly about?: EventSubject
  /** Asks even while the circuit is open: a person pressed "test". */
  readonly evenIfOpen?: boolean
  /**
   * Reads the reply. A `WebhookError` it throws is the partner's failure; any other error passes
   * through and is not.
   */
  readonly accept?: (reply: ReadableReply) => T
  /** Called at the end of this call. Must not throw. */
  readonly onOutcome?: (outcome: PartnerOutcome) => void
}

/**
 * How a call ended, for the partner's status and the record of events. `detail` may name a patient
 * where the fault is `refused`, and so may `request` and `response`: never log them.
 */
export interface PartnerOutcome extends CallFacts {
  readonly type: EventType
  readonly endpointId: string | null
  readonly apiKeyId: string | null
  readonly about: EventSubject
  /** null: answered and accepted. */
  readonly fault: PartnerFault | null
  /** As `WebhookError.detail`; null for success. */
  readonly detail: Message | null
  /** Milliseconds since 1970. */
  readonly at: number
  /** The body as it was sent; null where nothing was. */
  readonly request: Buffer | null
  /** The first 64 KiB of the body that came, decompressed; null where none did. */
  readonly response: Buffer | null
  /** Parts of the answer that were left out. */
  readonly notes: readonly AnswerNote[]
}

type EndpointFor = (type: EventType, apiKeyId: string | null) => PartnerEndpoint | undefined

/**
 * What a fault says of the partner. One that refuses is alive; where nothing was sent, nothing is
 * known.
 */
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

type OnOutcome = (outcome: PartnerOutcome) => void

/** One call, from its start. */
interface Call {
  readonly type: EventType
  readonly webhookId: WebhookEventId
  readonly began: number
  readonly endpoint: PartnerEndpoint | undefined
  readonly apiKeyId: string | null
  readonly about: EventSubject
  readonly progress: Progress
  readonly notes: AnswerNote[]
  sent: Buffer | null
  body: Buffer | null
}

/**
 * The only way out to the partner: address rules, signature, time and size limits, circuit breaker.
 */
export class Requester implements AsyncDisposable {
  readonly #context: Pick<Context, 'clock' | 'uuid' | 'settings'>
  readonly #agents: Agents
  readonly #endpointFor: EndpointFor
  readonly #onOutcome: OnOutcome
  readonly #limits: Partial<Readonly<Record<EventType, CallLimits>>>
  readonly #elapsed: () => number
  readonly #circuits: ReturnType<typeof openCircuits>
  readonly #exchange: Exchange

  /**
   * `endpointFor`: which endpoint gets an event; undefined where none does. `onOutcome` is called
   * at the end of every call but the aborted ones, and must not throw. `elapsed`: milliseconds on a
   * clock that never goes back.
   */
  constructor(
    context: Pick<Context, 'clock' | 'uuid' | 'settings'>,
    agents: Agents,
    endpointFor: EndpointFor,
    onOutcome: OnOutcome,
    limits: Partial<Readonly<Record<EventType, CallLimits>>> = {},
    elapsed = () => performance.now(),
  ) {
    this.#context = context
    this.#agents = agents
    this.#endpointFor = endpointFor
    this.#onOutcome = onOutcome
    this.#limits = limits
    this.#elapsed = elapsed
    this.#circuits = openCircuits(elapsed)
    this.#exchange = new Exchange(agents, context.clock)
  }

  /**
   * Sends one event, signed, and reads its answer within its budget. Resolves to what `accept`
   * makes of the reply, or to the reply. Rejects with `WebhookError`, or with the reason of
   * `signal`.
   */
  async request<E extends EventType, T = PartnerReply>(
    type: E,
    data: EventData<E>,
    options: RequestOptions<T> = {},
  ): Promise<T> {
    const { signal, accept, apiKeyId = null } = options
    signal?.throwIfAborted()
    const call: Call = {
      type,
      webhookId: options.id ?? idFromUuid('whe', this.#context.uuid()),
      began: this.#elapsed(),
      endpoint: options.endpoint ?? this.#endpointFor(type, apiKeyId),
      apiKeyId,
      about: options.about ?? aboutOf(data),
      progress: { httpStatus: null, bytes: 0, refusal: null },
      notes: [],
      sent: null,
      body: null,
    }
    const finish = (fault: PartnerFault | null, detail: Message | null, facts: CallFacts) => {
      const outcome = this.#outcomeOf(call, fault, detail, facts)
      this.#onOutcome(outcome)
      options.onOutcome?.(outcome)
    }
    let passage: Passage | undefined
    try {
      const [endpoint, to] = this.#admitted(call)
      const key = `${endpoint.endpointId} ${to.url.href} ${type}`
      passage = this.#circuits.enter(key, options.evenIfOpen)
      using answer = await this.#post(call, endpoint, to, data, options)
      call.body = answer.body
      const reply: PartnerReply = {
        ...this.#factsOf(call),
        httpStatus: call.progress.httpStatus ?? 200,
        body: answer.body,
        answeredAt: this.#context.clock(),
      }
      const note = (path: string, sentence: Message) => void call.notes.push({ path, sentence })
      const value = accept ? accept({ ...reply, note }) : (reply as T)
      passage.succeeded()
      finish(null, null, reply)
      return value
    } catch (cause) {
      if (!(cause instanceof WebhookError) || cause === signal?.reason) {
        passage?.abandoned()
        throw cause
      }
      const { fault, detail, retryAfterMs } = cause
      const facts = { ...this.#factsOf(call), retryAfterMs }
      const error = new WebhookError(fault, detail, facts, cause.cause)
      passage?.[VERDICTS[fault]](detail)
      finish(fault, detail, error)
      throw error
    }
  }

  #admitted({ endpoint }: Call): readonly [PartnerEndpoint, AdmittedUrl] {
    if (!endpoint) throw new WebhookError('no-endpoint', message('webhooks.no-endpoint'))
    const plaintextHosts = this.#context.settings.get('partner.plaintextHosts')
    return [endpoint, admitUrl(endpoint.url, plaintextHosts, this.#agents.isOwn)]
  }

  #post(
    call: Call,
    endpoint: PartnerEndpoint,
    to: AdmittedUrl,
    data: object,
    { signal, budgetMs }: Pick<RequestOptions<never>, 'signal' | 'budgetMs'>,
  ) {
    const { webhookId: id, type, progress } = call
    const body = Buffer.from(JSON.stringify({ id, type, data }))
    call.sent = body
    const headers = () =>
      signatureHeaders({ id, at: this.#context.clock(), body, secrets: endpoint.secrets })
    const limits = this.#limitsFor(type, endpoint, budgetMs)
    return this.#exchange.post({ to, body, headers, limits, signal, progress })
  }

  /**
   * The endpoint's own budget stands before the usual one; a caller that cannot wait so long has
   * the last word.
   */
  #limitsFor(
    type: EventType,
    { budgets }: PartnerEndpoint,
    budgetMs = Number.POSITIVE_INFINITY,
  ): CallLimits {
    const usual = this.#limits[type] ?? CALL_LIMITS[type]
    const own = budgets?.[type] ?? (Number.isFinite(budgetMs) ? budgetMs : usual.budgetMs)
    return { ...usual, budgetMs: Math.min(own, budgetMs) }
  }

  #factsOf({ progress: { httpStatus, bytes }, began, webhookId }: Call): CallFacts {
    return { httpStatus, bytes, tookMs: this.#elapsed() - began, webhookId }
  }

  #outcomeOf(
    { type, endpoint, apiKeyId, about, progress, notes, sent, body, webhookId }: Call,
    fault: PartnerFault | null,
    detail: Message | null,
    { httpStatus, tookMs, bytes }: CallFacts,
  ): PartnerOutcome {
    return {
      type,
      endpointId: endpoint?.endpointId ?? null,
      apiKeyId,
      about,
      fault,
      detail,
      httpStatus,
      tookMs,
      bytes,
      webhookId,
      at: this.#context.clock(),
      request: sent,
      response: kept(body ?? progress.refusal),
      notes,
    }
  }

  [Symbol.asyncDispose]() {
    return this.#agents[Symbol.asyncDispose]()
  }
}

/** An `accept` that reads the answer by its event's shape, and notes what it left out. */
export const acceptAnswer =
  <E extends EventType>(type: E, context?: AnswerContext) =>
  (reply: ReadableReply): AnswerOf<E> => {
    const { answer, notes } = readAnswerWithNotes(type, reply.body, context)
    for (const { path, sentence } of notes) reply.note(path, sentence)
    return answer
  }

/** The first 64 KiB, of a large body as a copy: the rest of it is let go. */
const kept = (body: Buffer | null) =>
  body !== null && body.length > KEPT_BYTES ? Buffer.from(body.subarray(0, KEPT_BYTES)) : body

/** What the data say themselves: the report, the study or the device they are about. */
function aboutOf(data: object): EventSubject {
  const { reportId, studyId, studyInstanceUid, callingAe } = data as Readonly<
    Record<string, unknown>
  >
  const subject = [reportId, studyId, callingAe, studyInstanceUid].find(
    (one) => typeof one === 'string',
  )
  return {
    subject: String(subject ?? ''),
    studyInstanceUid: typeof studyInstanceUid === 'string' ? studyInstanceUid : null,
  }
}
