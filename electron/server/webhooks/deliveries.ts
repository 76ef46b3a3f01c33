import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import {
  listWaitingOutboxJobs,
  type OutboxRecord,
  type OutboxRow,
} from '#server/jobs/outbox-queries.ts'
import { type Held, OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { reportError } from '#server/platform/log.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { WebhookEventId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type PartnerOutcome, type Requester, readAnswer, WebhookError } from './request.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Outbox kind of a signed report on its way to the partner; its subject is the report, its lane the
 * study.
 */
export const REPORT_DELIVERED = 'report.delivered'
const JITTER = 0.1
/** How long a row waits that has nowhere to go; a change of the endpoints ends it. */
const HELD_MS = HOUR_MS
/**
 * Answers of an endpoint hasten its rows at most so often, deliveries too: a report it always
 * refuses is not tried with each that it takes.
 */
const HASTEN_EVERY_MS = 5 * MINUTE_MS
/** Rows hastened before the event loop is let through. */
const HASTENED_AT_A_TIME = 200
/** Calls at once to one endpoint. */
const AT_ONCE = 4

/** What is sent, made anew for each attempt: the link in it is good for an hour. */
export interface DeliveryData {
  readonly data: EventData<'report.delivered'>
  /** The key whose endpoint gets it. */
  readonly apiKeyId: string | null
}

/** Where an event goes: an endpoint, or why there is none now. */
export type Destination = { readonly endpointId: string } | { readonly whyNot: Message }

/** What became of an attempt; `outcome` is undefined where nothing could be sent. */
export interface DeliveryAttempt {
  readonly eventId: string
  readonly reportId: string
  readonly state: 'done' | 'waiting' | 'failed' | 'dropped'
  readonly outcome: PartnerOutcome | undefined
  readonly fault: Message | null
  /** Attempts so far, this one included. */
  readonly attempts: number
}

/**
 * The way of signed reports to their partners: each until it is accepted, in the order of its
 * study, past every outage. What a report and an endpoint are is known to the subclass.
 */
export abstract class Deliveries implements AsyncDisposable {
  protected readonly context: Context
  readonly #requester: Requester
  /** 0 to 1. */
  readonly #random: () => number
  readonly #worker: OutboxWorker
  /**
   * How each endpoint took the last delivery. After a start it is not known, and the first answer
   * is worth a try.
   */
  readonly #health = new Map<string, 'fine' | 'no-answer' | 'wrong-answer'>()
  /** When the rows of an endpoint were hastened last, by deliveries and by other answers. */
  readonly #hastenedAt = new Map<string, number>()
  #isClosed = false

  constructor(context: Context, requester: Requester, random = Math.random) {
    this.context = context
    this.#requester = requester
    this.#random = random
    this.#worker = new OutboxWorker(
      context,
      REPORT_DELIVERED,
      (row, signal) => this.#deliver(row, signal),
      AT_ONCE,
      (row) => this.#groupOf(row),
      () => this.isIdle(),
    )
  }

  /** Undefined: there is no such signed report. */
  protected abstract dataOf(reportId: string): DeliveryData | undefined
  /** Where the report's event goes; asked often. */
  protected abstract destinationOf(reportId: string): Destination
  /** Within the transaction that settles the row. */
  protected abstract attempted(attempt: DeliveryAttempt): void
  /** The endpoint answered 410; within the same transaction. */
  protected abstract endpointGone(endpointId: string): void
  /** Nothing goes out while it says so; `wake` ends the wait. */
  protected abstract isIdle(): boolean

  #groupOf({ subject }: OutboxRecord): string | Held {
    const to = this.destinationOf(subject)
    return 'endpointId' in to
      ? to.endpointId
      : { until: this.context.clock() + HELD_MS, fault: to.whyNot }
  }

  async #deliver(row: OutboxRow<unknown>, signal: AbortSignal): Promise<Settlement> {
    const { subject: reportId, attempts: before } = row
    const attempts = before + 1
    const eventId = eventIdOf(row.payload)
    // It waits on, so that staff are informed of it.
    if (eventId === undefined) return this.#postponed(before, message('webhooks.event-unreadable'))
    const made = this.dataOf(reportId)
    if (!made) {
      const fault = message('webhooks.no-signed-report')
      const attempt = { eventId, reportId, outcome: undefined, fault, attempts }
      return { outcome: 'failed', fault, within: this.#attempted({ ...attempt, state: 'failed' }) }
    }
    let outcome: PartnerOutcome | undefined
    try {
      await this.#requester.request('report.delivered', made.data, {
        signal,
        id: eventId,
        apiKeyId: made.apiKeyId,
        // Each row keeps its own times, and the circuit would only use up its attempts.
        evenIfOpen: true,
        accept({ body }) {
          if (!readAnswer('report.delivered', body).success)
            throw new WebhookError('refused', message('webhooks.success-false'))
        },
        onOutcome(ended) {
          outcome = ended
        },
      })
      const attempt = { eventId, reportId, outcome, fault: null, attempts }
      return { outcome: 'sent', within: this.#attempted({ ...attempt, state: 'done' }) }
    } catch (error) {
      if (signal.aborted || !(error instanceof WebhookError)) throw error
      const endpointId = outcome?.endpointId ?? undefined
      if (endpointId !== undefined)
        this.#health.set(endpointId, isSilence(error) ? 'no-answer' : 'wrong-answer')
      const fault = faultOf(error)
      const attempt = { eventId, reportId, outcome, fault, attempts }
      const gone = error.httpStatus === 410 ? endpointId : undefined
      return {
        ...this.#postponed(before, fault, error.retryAfterMs),
        within: this.#attempted({ ...attempt, state: 'waiting' }, gone),
      }
    }
  }

  #attempted(attempt: DeliveryAttempt, gone?: string): (stillWaited: boolean) => void {
    return (stillWaited) => {
      // A person gave it up while it was under way.
      const isDropped = attempt.state === 'waiting' && !stillWaited
      this.attempted(isDropped ? { ...attempt, state: 'dropped' } : attempt)
      if (gone !== undefined) this.endpointGone(gone)
      this.context.database.afterCommit(() => this.context.feed.noteStatus())
    }
  }

  #postponed(attempts: number, fault: Message, retryAfterMs = 0) {
    const usual = waitAfter(RETRY_SCHEDULES.reportDelivery, attempts + 1)
    const varied = Math.round(usual * (1 - JITTER + 2 * JITTER * this.#random()))
    const until = this.context.clock() + Math.max(retryAfterMs, varied)
    return { outcome: 'postponed' as const, until, fault }
  }

  /** Looks again at what is due. */
  wake(): void {
    this.#worker.wake()
  }

  /** Lets everything that waits go out now: endpoints were changed, or a person asked. */
  retry(): void {
    this.#worker.retry()
  }

  /** Called at the end of every call: an endpoint that answers again gets what waits for it. */
  noteOutcome({
    type,
    endpointId,
    fault,
  }: Pick<PartnerOutcome, 'type' | 'endpointId' | 'fault'>): void {
    if (fault !== null || endpointId === null) return
    const { clock } = this.context
    const health = this.#health.get(endpointId) ?? 'no-answer'
    const isDelivery = type === 'report.delivered'
    // Who answers other questions may still be wrong about reports: only silence is over.
    if (health === 'fine' || (!isDelivery && health !== 'no-answer')) return
    const cause = `${isDelivery ? 'delivery' : 'other'} ${endpointId}`
    const since = clock() - (this.#hastenedAt.get(cause) ?? 0)
    if (since >= 0 && since < HASTEN_EVERY_MS) return
    this.#health.set(endpointId, 'fine')
    this.#hastenedAt.set(cause, clock())
    // Not in the turn of whoever asked: a worklist does not wait for it.
    setImmediate(() => {
      this.#hasten(endpointId).catch((error: unknown) => reportError(this.context, error))
    })
  }

  async #hasten(endpointId: string): Promise<void> {
    if (this.#isClosed) return
    const rows = listWaitingOutboxJobs(this.context.database, REPORT_DELIVERED)
    for (let from = 0; from < rows.length && !this.#isClosed; from += HASTENED_AT_A_TIME) {
      const own = rows.slice(from, from + HASTENED_AT_A_TIME).filter(({ subject }) => {
        const to = this.destinationOf(subject)
        return 'endpointId' in to && to.endpointId === endpointId
      })
      if (own.length > 0) this.#worker.retry(own.map(({ outboxId }) => outboxId))
      await nextTurn()
    }
  }

  settled(): Promise<void> {
    return this.#worker.settled()
  }

  [Symbol.asyncDispose]() {
    this.#isClosed = true
    return this.#worker[Symbol.asyncDispose]()
  }
}

const isSilence = ({ fault }: WebhookError) => fault === 'unreachable' || fault === 'timeout'

/**
 * What a partner writes beside a refusal may name a patient: it stays in the record of the event,
 * which is sealed.
 */
const faultOf = ({ fault, detail }: WebhookError) =>
  fault === 'refused' ? message('webhooks.not-taken') : detail

function eventIdOf(payload: unknown): WebhookEventId | undefined {
  const { eventId } = (payload ?? {}) as { readonly eventId?: unknown }
  return WebhookEventId.safeParse(eventId).data
}
