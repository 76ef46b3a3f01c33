import type { Context } from '#server/context.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import type { EventData, EventType } from '#shared/contract/webhooks.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { idFromUuid, type WebhookEventId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type AdmittedUrl, admitUrl } from './address.ts'
import type { Agents } from './agents.ts'
import { type AnswerContext, type AnswerOf, readAnswerWithNotes } from './answer.ts'
import { type CallPermit, openCircuitBreakers } from './circuit-breaker.ts'
import { CALL_LIMITS, type CallLimits, Exchange, type Progress } from './exchange.ts'
import { MAX_STORED_BYTES } from './response-body.ts'
import { signatureHeaders } from './signature.ts'
import { type CallFacts, WebhookError } from './webhook-error.ts'

export { readAnswer } from './answer.ts'
export { type CallFacts, WebhookError } from './webhook-error.ts'

export interface PartnerEndpoint {
  readonly endpointId: string
  readonly url: string
  /** `whsec_…`; each secret adds a signature, the newest first. */
  readonly secrets: readonly string[]
  /** Time limits in milliseconds by event, where they differ from `CALL_LIMITS`. */
  readonly budgets?: Readonly<Partial<Record<EventType, number>>>
}

/** The subject of an event for its record, without patient data. */
export interface EventSubject {
  /** A study id, a report id or a device's AE title. */
  readonly subject: string
  readonly studyInstanceUid: string | null
  readonly isTest?: boolean
}

/** A 2xx answer with its raw, decompressed body. */
export interface PartnerReply {
  readonly body: Buffer
  readonly httpStatus: number
  /** Milliseconds from the request to the last byte of the answer. */
  readonly tookMs: number
  /** Length of the body as transferred. */
  readonly bytes: number
  readonly webhookId: string
  /** When the last byte arrived, in milliseconds since 1970. */
  readonly answeredAt: number
}

/** A reply being read, which collects notes about ignored parts. */
export interface ReadableReply extends PartnerReply {
  /** @param path location in the answer @param sentence what is wrong with it, without the value */
  note(path: string, sentence: Message): void
}

export interface RequestOptions<T> {
  /**
   * The caller's signal. An abort rejects with its reason and does not count as a failure of the
   * partner.
   */
  readonly signal?: AbortSignal
  /**
   * Time limit in milliseconds for the whole request; by default that of the endpoint or of
   * `CALL_LIMITS`.
   */
  readonly budgetMs?: number
  /** The id of an event that is sent again; a new one by default. */
  readonly id?: WebhookEventId
  /** The API key whose endpoint receives the event. */
  readonly apiKeyId?: string | null
  /** Overrides the event's endpoint, for tests. */
  readonly endpoint?: PartnerEndpoint
  /** The subject, if it does not follow from the data: see `aboutOf`. */
  readonly about?: EventSubject
  /** Sends even while the circuit is open, because a person requested a test. */
  readonly ignoresOpenCircuit?: boolean
  /**
   * Reads the reply. A thrown `WebhookError` counts as a failure of the partner; any other error is
   * passed through and does not.
   */
  readonly accept?: (reply: ReadableReply) => T
  /** Called at the end of this request. Must not throw. */
  readonly onOutcome?: (outcome: PartnerOutcome) => void
}

/**
 * How a request ended, for the partner's status and the event record. `request`, `response`, and
 * `detail` if the fault is `refused`, may contain patient data and must not be logged.
 */
export interface PartnerOutcome extends CallFacts {
  readonly type: EventType
  readonly endpointId: string | null
  readonly apiKeyId: string | null
  readonly about: EventSubject
  /** null if it was answered and accepted. */
  readonly fault: PartnerFault | null
  /** As `WebhookError.detail`; null for success. */
  readonly detail: Message | null
  /** Milliseconds since 1970. */
  readonly at: number
  /** The body as sent; null if nothing was sent. */
  readonly request: Buffer | null
  /** The first 64 KiB of the received body, decompressed; null if none was received. */
  readonly response: Buffer | null
  /** Ignored parts of the answer. */
  readonly notes: readonly AnswerNote[]
}

type EndpointFor = (type: EventType, apiKeyId: string | null) => PartnerEndpoint | undefined

/**
 * What a fault says about the partner. A partner that refuses is reachable; if nothing was sent,
 * its state is unknown.
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
} as const satisfies Record<PartnerFault, keyof CallPermit>

type OnOutcome = (outcome: PartnerOutcome) => void

/** A request in progress. */
interface Call {
  readonly type: EventType
  readonly webhookId: WebhookEventId
  readonly startedAt: number
  readonly endpoint: PartnerEndpoint | undefined
  readonly apiKeyId: string | null
  readonly about: EventSubject
  readonly progress: Progress
  readonly notes: AnswerNote[]
  sent: Buffer | null
  body: Buffer | null
}

/**
 * Sends all events to partners: address rules, signatures, time and size limits, and circuit
 * breaker.
 */
export class Requester implements AsyncDisposable {
  readonly #context: Pick<Context, 'clock' | 'uuid' | 'settings'>
  readonly #agents: Agents
  readonly #endpointFor: EndpointFor
  readonly #onOutcome: OnOutcome
  readonly #limits: Partial<Readonly<Record<EventType, CallLimits>>>
  readonly #elapsed: () => number
  readonly #circuits: ReturnType<typeof openCircuitBreakers>
  readonly #exchange: Exchange

  /**
   * @param endpointFor returns the endpoint of an event; undefined if there is none
   * @param onOutcome called at the end of every request except aborted ones; must not throw
   * @param elapsed a monotonic clock in milliseconds
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
    this.#circuits = openCircuitBreakers(elapsed)
    this.#exchange = new Exchange(agents, context.clock)
  }

  /**
   * Sends a signed event and reads its answer within the time limit. Resolves to the result of
   * `accept`, or to the reply. Rejects with `WebhookError` or with the reason of `signal`.
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
      startedAt: this.#elapsed(),
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
    let permit: CallPermit | undefined
    try {
      const [endpoint, to] = this.#admitted(call)
      const key = `${endpoint.endpointId} ${to.url.href} ${type}`
      permit = this.#circuits.enter(key, options.ignoresOpenCircuit)
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
      permit.succeeded()
      finish(null, null, reply)
      return value
    } catch (cause) {
      if (!(cause instanceof WebhookError) || cause === signal?.reason) {
        permit?.abandoned()
        throw cause
      }
      const { fault, detail, retryAfterMs } = cause
      const facts = { ...this.#factsOf(call), retryAfterMs }
      const error = new WebhookError(fault, detail, facts, cause.cause)
      permit?.[VERDICTS[fault]](detail)
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

  /** The endpoint's limit replaces the default; the caller's limit is the maximum. */
  #limitsFor(
    type: EventType,
    { budgets }: PartnerEndpoint,
    budgetMs = Number.POSITIVE_INFINITY,
  ): CallLimits {
    const usual = this.#limits[type] ?? CALL_LIMITS[type]
    const own = budgets?.[type] ?? (Number.isFinite(budgetMs) ? budgetMs : usual.budgetMs)
    return { ...usual, budgetMs: Math.min(own, budgetMs) }
  }

  #factsOf({ progress: { httpStatus, bytes }, startedAt, webhookId }: Call): CallFacts {
    return { httpStatus, bytes, tookMs: this.#elapsed() - startedAt, webhookId }
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
      response: storedPart(body ?? progress.refusal),
      notes,
    }
  }

  [Symbol.asyncDispose]() {
    return this.#agents[Symbol.asyncDispose]()
  }
}

/** An `accept` that parses the answer by the event's schema and notes ignored parts. */
export const acceptAnswer =
  <E extends EventType>(type: E, context?: AnswerContext) =>
  (reply: ReadableReply): AnswerOf<E> => {
    const { answer, notes } = readAnswerWithNotes(type, reply.body, context)
    for (const { path, sentence } of notes) reply.note(path, sentence)
    return answer
  }

/** The first 64 KiB. Copied from a large body, so that the rest can be freed. */
const storedPart = (body: Buffer | null) =>
  body !== null && body.length > MAX_STORED_BYTES
    ? Buffer.from(body.subarray(0, MAX_STORED_BYTES))
    : body

/** The subject as given by the data: the report, the study or the device. */
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
