import type { AnswerNote } from '#shared/contract/events.ts'
import type { EventData, EventType } from '#shared/contract/webhooks.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { admitUrl, askedOnce, type Resolve, systemResolve } from './address.ts'
import { type AnswerContext, type AnswerOf, readAnswerWithNotes } from './answer.ts'
import { openCircuits, type Passage } from './circuit.ts'
import { openExchange, type Progress } from './exchange.ts'
import { CALL_LIMITS, type CallLimits } from './limits.ts'
import type { IsOwnListener } from './own-listeners.ts'
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
  note(path: string, sentence: string): void
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
  /** Told how this call ended, after `RequesterDependencies.onOutcome`. Must not throw. */
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
  /** As `WebhookError.detail`; '' for success. */
  readonly detail: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The body as it was sent; null where nothing was. */
  readonly request: Buffer | null
  /** The first 64 KiB of the body that came, decompressed; null where none did. */
  readonly response: Buffer | null
  /** Parts of the answer that were left out. */
  readonly notes: readonly AnswerNote[]
}

export interface RequesterDependencies {
  /** Which endpoint gets an event; `undefined` where none does. */
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
  /** The gateway's own listeners, which are never called. */
  readonly isOwn?: IsOwnListener
  /** Other limits than those of `CALL_LIMITS`. */
  readonly limits?: Partial<Readonly<Record<EventType, CallLimits>>>
  /** Told of every call but the aborted ones. Must not throw. */
  readonly onOutcome?: (outcome: PartnerOutcome) => void
}

export interface Requester extends AsyncDisposable {
  /**
   * Sends one event, signed, and reads its answer within its budget. Resolves to what `accept`
   * makes of the reply, or to the reply. Rejects with `WebhookError`, or with the reason of
   * `signal`.
   */
  request<E extends EventType, T = PartnerReply>(
    type: E,
    data: EventData<E>,
    options?: RequestOptions<T>,
  ): Promise<T>
}

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

/**
 * The only way out to the partner: address rules, signature, time and size limits, circuit breaker.
 */
export function openRequester(dependencies: RequesterDependencies): Requester {
  const { endpointFor, plaintextHosts, clock, eventId, onOutcome, isOwn, authorities } =
    dependencies
  const elapsed = dependencies.elapsed ?? (() => performance.now())
  const limitsOf = (type: EventType) => dependencies.limits?.[type] ?? CALL_LIMITS[type]
  const circuits = openCircuits({ elapsed })
  const exchange = openExchange({
    resolve: askedOnce(dependencies.resolve ?? systemResolve),
    authorities,
    isOwn,
    clock,
  })

  async function request<E extends EventType, T = PartnerReply>(
    type: E,
    data: EventData<E>,
    options: RequestOptions<T> = {},
  ): Promise<T> {
    const { signal, accept } = options
    signal?.throwIfAborted()
    const began = elapsed()
    const webhookId = options.id ?? eventId()
    const progress: Progress = { httpStatus: null, bytes: 0, refusal: null }
    const facts = (): CallFacts => {
      const { httpStatus, bytes } = progress
      return { httpStatus, bytes, tookMs: elapsed() - began, webhookId }
    }
    const apiKeyId = options.apiKeyId ?? null
    const endpoint = options.endpoint ?? endpointFor(type, apiKeyId)
    const notes: AnswerNote[] = []
    let sent: Buffer | null = null
    let body: Buffer | null = null
    const tell = (fault: PartnerFault | null, detail: string, known: CallFacts) => {
      if (!onOutcome && !options.onOutcome) return
      const { httpStatus, tookMs, bytes } = known
      const outcome: PartnerOutcome = {
        ...{
          type,
          endpointId: endpoint?.endpointId ?? null,
          apiKeyId,
          about: options.about ?? aboutOf(data),
        },
        ...{ fault, detail, httpStatus, tookMs, bytes, webhookId, at: clock() },
        ...{ request: sent, response: kept(body ?? progress.refusal), notes },
      }
      onOutcome?.(outcome)
      options.onOutcome?.(outcome)
    }

    let passage: Passage | undefined
    try {
      if (!endpoint) throw new WebhookError('no-endpoint', 'no partner is set up for this event')
      const to = admitUrl(endpoint.url, plaintextHosts(), isOwn)
      passage = circuits.enter(`${endpoint.endpointId} ${to.url.href} ${type}`, options.evenIfOpen)
      const envelope = Buffer.from(JSON.stringify({ id: webhookId, type, data }))
      sent = envelope
      const limits = limitsFor(type, endpoint, options.budgetMs)
      const headers = () =>
        signatureHeaders({ id: webhookId, at: clock(), body: envelope, secrets: endpoint.secrets })
      using answer = await exchange.post({ to, body: envelope, headers, limits, signal, progress })
      body = answer.body
      const reply: PartnerReply = {
        ...facts(),
        httpStatus: progress.httpStatus ?? 200,
        body,
        answeredAt: clock(),
      }
      const note = (path: string, sentence: string) => void notes.push({ path, sentence })
      const value = accept ? accept({ ...reply, note }) : (reply as T)
      passage.succeeded()
      tell(null, '', reply)
      return value
    } catch (cause) {
      if (!(cause instanceof WebhookError) || cause === signal?.reason) {
        passage?.abandoned()
        throw cause
      }
      const error = new WebhookError(
        cause.fault,
        cause.detail,
        { ...facts(), retryAfterMs: cause.retryAfterMs },
        cause.cause,
      )
      passage?.[VERDICTS[error.fault]](error.detail)
      tell(error.fault, error.detail, error)
      throw error
    }
  }

  /**
   * The endpoint's own budget stands before the usual one; a caller that cannot wait so long has
   * the last word.
   */
  function limitsFor(
    type: EventType,
    { budgets }: PartnerEndpoint,
    budgetMs = Number.POSITIVE_INFINITY,
  ): CallLimits {
    const usual = limitsOf(type)
    const own = budgets?.[type] ?? (Number.isFinite(budgetMs) ? budgetMs : usual.budgetMs)
    return { ...usual, budgetMs: Math.min(own, budgetMs) }
  }

  return { request, [Symbol.asyncDispose]: () => exchange[Symbol.asyncDispose]() }
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
