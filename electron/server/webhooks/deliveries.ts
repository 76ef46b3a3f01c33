import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import {
  listWaitingOutboxJobs,
  type OutboxRecord,
  type OutboxRow,
} from '#server/jobs/outbox-queries.ts'
import { type HeldJob, OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import { reportError } from '#server/platform/log.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { WebhookEventId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type PartnerOutcome, type Requester, readAnswer, WebhookError } from './request.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Outbox kind of a signed report delivered to the partner. The subject is the report, the lane is
 * the study.
 */
export const REPORT_DELIVERED = 'report.delivered'
const JITTER = 0.1
/** How long a job without a destination is held; a change of the endpoints ends the wait. */
const HELD_RETRY_DELAY_MS = HOUR_MS
/**
 * Minimum interval at which responses of an endpoint make its jobs due, deliveries included, so
 * that a report it always rejects is not retried with each one it accepts.
 */
const EXPEDITE_INTERVAL_MS = 5 * MINUTE_MS
/** Number of jobs made due before the event loop continues. */
const EXPEDITE_BATCH = 200
/** Concurrent deliveries to one endpoint. */
const CONCURRENCY = 4

/** The event data, created for each attempt because the link in it is valid for one hour. */
export interface DeliveryData {
  readonly data: EventData<'report.delivered'>
  /** The API key whose endpoint receives the event. */
  readonly apiKeyId: string | null
}

/** The endpoint of an event, or why there is none at present. */
export type Destination = { readonly endpointId: string } | { readonly whyNot: Message }

/** The result of an attempt; `outcome` is undefined if nothing could be sent. */
export interface DeliveryAttempt {
  readonly eventId: string
  readonly reportId: string
  readonly state: 'done' | 'waiting' | 'failed' | 'dropped'
  readonly outcome: PartnerOutcome | undefined
  readonly fault: Message | null
  /** Number of attempts, including this one. */
  readonly attempts: number
}

/**
 * Delivers signed reports to partners. Each report is retried until it is accepted, in the order of
 * its study and across outages. Subclasses supply the reports and endpoints.
 */
export abstract class Deliveries implements AsyncDisposable {
  protected readonly context: Context
  readonly #requester: Requester
  /** Returns a number from 0 to 1. */
  readonly #random: () => number
  readonly #worker: OutboxWorker
  /**
   * The result of the last delivery to each endpoint. It is unknown after a start, and the first
   * response then triggers an attempt.
   */
  readonly #health = new Map<string, 'fine' | 'no-answer' | 'wrong-answer'>()
  /**
   * When the jobs of an endpoint were last made due, separately for deliveries and other responses.
   */
  readonly #expeditedAt = new Map<string, number>()
  #isClosed = false

  constructor(context: Context, requester: Requester, random = Math.random) {
    this.context = context
    this.#requester = requester
    this.#random = random
    this.#worker = new OutboxWorker(
      context,
      REPORT_DELIVERED,
      (row, signal) => this.#deliver(row, signal),
      CONCURRENCY,
      (row) => this.#groupOf(row),
      () => this.isIdle(),
    )
  }

  /** Undefined if no such signed report exists. */
  protected abstract dataOf(reportId: string): DeliveryData | undefined
  /** Returns the destination of the report's event. Called frequently. */
  protected abstract destinationOf(reportId: string): Destination
  /** Called within the transaction that records the result. */
  protected abstract attempted(attempt: DeliveryAttempt): void
  /** Called within the same transaction when the endpoint responds with 410. */
  protected abstract endpointGone(endpointId: string): void
  /** Nothing is sent while this returns true; `wake` ends the pause. */
  protected abstract isIdle(): boolean

  #groupOf({ subject }: OutboxRecord): string | HeldJob {
    const to = this.destinationOf(subject)
    return 'endpointId' in to
      ? to.endpointId
      : { until: this.context.clock() + HELD_RETRY_DELAY_MS, fault: to.whyNot }
  }

  async #deliver(row: OutboxRow<unknown>, signal: AbortSignal): Promise<Settlement> {
    const { subject: reportId, attempts: before } = row
    const attempts = before + 1
    const eventId = eventIdOf(row.payload)
    // It keeps waiting, so that staff are informed of it.
    if (eventId === undefined) return this.#postponed(before, message('webhooks.event-unreadable'))
    const delivery = this.dataOf(reportId)
    if (!delivery) {
      const fault = message('webhooks.no-signed-report')
      const attempt = { eventId, reportId, outcome: undefined, fault, attempts }
      return {
        outcome: 'failed',
        fault,
        onRecorded: this.#attempted({ ...attempt, state: 'failed' }),
      }
    }
    let outcome: PartnerOutcome | undefined
    try {
      await this.#requester.request('report.delivered', delivery.data, {
        signal,
        id: eventId,
        apiKeyId: delivery.apiKeyId,
        // Each job has its own retry times, and the circuit breaker would only use up its attempts.
        ignoresOpenCircuit: true,
        accept({ body }) {
          if (!readAnswer('report.delivered', body).success)
            throw new WebhookError('refused', message('webhooks.success-false'))
        },
        onOutcome(ended) {
          outcome = ended
        },
      })
      const attempt = { eventId, reportId, outcome, fault: null, attempts }
      return { outcome: 'sent', onRecorded: this.#attempted({ ...attempt, state: 'done' }) }
    } catch (error) {
      if (signal.aborted || !(error instanceof WebhookError)) throw error
      const endpointId = outcome?.endpointId ?? undefined
      if (endpointId !== undefined)
        this.#health.set(endpointId, isUnreachable(error) ? 'no-answer' : 'wrong-answer')
      const fault = faultOf(error)
      const attempt = { eventId, reportId, outcome, fault, attempts }
      const goneEndpointId = error.httpStatus === 410 ? endpointId : undefined
      return {
        ...this.#postponed(before, fault, error.retryAfterMs),
        onRecorded: this.#attempted({ ...attempt, state: 'waiting' }, goneEndpointId),
      }
    }
  }

  #attempted(attempt: DeliveryAttempt, goneEndpointId?: string): (stillWaited: boolean) => void {
    return (stillWaited) => {
      // A person dropped it during the attempt.
      const isDropped = attempt.state === 'waiting' && !stillWaited
      this.attempted(isDropped ? { ...attempt, state: 'dropped' } : attempt)
      if (goneEndpointId !== undefined) this.endpointGone(goneEndpointId)
      this.context.database.afterCommit(() => this.context.feed.noteStatus())
    }
  }

  #postponed(attempts: number, fault: Message, retryAfterMs = 0) {
    const usualDelayMs = retryDelayMs(RETRY_SCHEDULES.reportDelivery, attempts + 1)
    const jitteredDelayMs = Math.round(usualDelayMs * (1 - JITTER + 2 * JITTER * this.#random()))
    const until = this.context.clock() + Math.max(retryAfterMs, jitteredDelayMs)
    return { outcome: 'postponed' as const, until, fault }
  }

  /** Looks for due jobs. */
  wake(): void {
    this.#worker.wake()
  }

  /** Makes all waiting jobs due now, after a change of the endpoints or at a person's request. */
  retry(): void {
    this.#worker.retry()
  }

  /**
   * Called at the end of every request. If the endpoint responds again, its waiting jobs become
   * due.
   */
  noteOutcome({
    type,
    endpointId,
    fault,
  }: Pick<PartnerOutcome, 'type' | 'endpointId' | 'fault'>): void {
    if (fault !== null || endpointId === null) return
    const { clock } = this.context
    const health = this.#health.get(endpointId) ?? 'no-answer'
    const isDelivery = type === 'report.delivered'
    // An endpoint that answers other events may still reject reports, so only unreachability is
    // considered over.
    if (health === 'fine' || (!isDelivery && health !== 'no-answer')) return
    const cause = `${isDelivery ? 'delivery' : 'other'} ${endpointId}`
    const since = clock() - (this.#expeditedAt.get(cause) ?? 0)
    if (since >= 0 && since < EXPEDITE_INTERVAL_MS) return
    this.#health.set(endpointId, 'fine')
    this.#expeditedAt.set(cause, clock())
    // Deferred, so that the request that triggered it, such as a worklist query, does not wait.
    setImmediate(() => {
      this.#expedite(endpointId).catch((error: unknown) => reportError(this.context, error))
    })
  }

  async #expedite(endpointId: string): Promise<void> {
    if (this.#isClosed) return
    const rows = listWaitingOutboxJobs(this.context.database, REPORT_DELIVERED)
    for (let from = 0; from < rows.length && !this.#isClosed; from += EXPEDITE_BATCH) {
      const own = rows.slice(from, from + EXPEDITE_BATCH).filter(({ subject }) => {
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

const isUnreachable = ({ fault }: WebhookError) => fault === 'unreachable' || fault === 'timeout'

/**
 * A partner's refusal text may name a patient, so it is kept only in the encrypted event record.
 */
const faultOf = ({ fault, detail }: WebhookError) =>
  fault === 'refused' ? message('webhooks.not-taken') : detail

function eventIdOf(payload: unknown): WebhookEventId | undefined {
  const { eventId } = (payload ?? {}) as { readonly eventId?: unknown }
  return WebhookEventId.safeParse(eventId).data
}
