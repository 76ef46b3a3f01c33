import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OutboxRecord, OutboxRow } from '#server/jobs/outbox-queries.ts'
import {
  type Held,
  type OutboxWorkerOptions,
  openOutboxWorker,
  type Settlement,
} from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { WebhookEventId } from '#shared/ids.ts'
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
 * Signs of life of an endpoint hasten its rows at most so often, deliveries too: a report it always
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
export type Destination = { readonly endpointId: string } | { readonly whyNot: string }

/** What became of an attempt; `outcome` is undefined where nothing could be sent. */
export interface DeliveryAttempt {
  readonly eventId: string
  readonly reportId: string
  readonly state: 'done' | 'waiting' | 'failed' | 'dropped'
  readonly outcome: PartnerOutcome | undefined
  readonly fault: string
  /** Attempts so far, this one included. */
  readonly attempts: number
}

export interface DeliveriesOptions {
  readonly store: OutboxWorkerOptions['store']
  readonly requester: Requester
  readonly clock: Clock
  /** Undefined: there is no such signed report. */
  readonly dataOf: (reportId: string) => DeliveryData | undefined
  /** Where the report's event goes; asked often. */
  readonly destinationOf: (reportId: string) => Destination
  /** Within the transaction that settles the row. */
  readonly attempted: (attempt: DeliveryAttempt) => void
  /** It answered 410; within the same transaction. */
  readonly onGone: (endpointId: string) => void
  /** After an attempt was written: something of the queue has changed. */
  readonly onChanged?: () => void
  readonly onError?: (error: unknown) => void
  /** Nothing goes out while it says so; `wake` ends the wait. */
  readonly isIdle?: () => boolean
  /** 0 to 1. */
  readonly random?: () => number
}

/**
 * The way of signed reports to their partners: each until it is accepted, in the order of its
 * study, past every outage.
 */
export interface Deliveries extends AsyncDisposable {
  /** Looks again at what is due. */
  wake(): void
  /** Lets everything that waits go out now: endpoints were changed, or a person asked. */
  retry(): void
  /** Told of every call's end: an endpoint that answers again gets what waits for it. */
  noteOutcome(outcome: Pick<PartnerOutcome, 'type' | 'endpointId' | 'fault'>): void
  settled(): Promise<void>
}

export function openDeliveries(options: DeliveriesOptions): Deliveries {
  const {
    store,
    requester,
    clock,
    dataOf,
    destinationOf,
    attempted,
    onGone,
    onChanged,
    onError,
    isIdle,
    random = Math.random,
  } = options
  const { outbox, database } = store
  /**
   * How each endpoint took the last delivery. After a start it is not known, and the first sign of
   * life is worth a try.
   */
  const health = new Map<string, 'fine' | 'no-answer' | 'wrong-answer'>()
  /** When the rows of an endpoint were hastened last, by deliveries and by other answers. */
  const hastenedAt = new Map<string, number>()
  let isClosed = false

  function groupOf({ subject }: OutboxRecord): string | Held {
    const to = destinationOf(subject)
    return 'endpointId' in to ? to.endpointId : { until: clock() + HELD_MS, fault: to.whyNot }
  }

  async function deliver(row: OutboxRow<unknown>, signal: AbortSignal): Promise<Settlement> {
    const { subject: reportId } = row
    const attempts = row.attempts + 1
    const eventId = eventIdOf(row.payload)
    // It waits on, so that somebody is told of it.
    if (eventId === undefined)
      return {
        outcome: 'postponed',
        until: clock() + nextWait(row.attempts),
        fault: 'the event can no longer be read from the database',
      }
    const made = dataOf(reportId)
    if (!made) {
      const fault = 'there is no such signed report any more'
      return {
        outcome: 'failed',
        fault,
        ...written({ eventId, reportId, state: 'failed', outcome: undefined, fault, attempts }),
      }
    }
    let outcome: PartnerOutcome | undefined
    try {
      await requester.request('report.delivered', made.data, {
        ...{ signal, id: eventId, apiKeyId: made.apiKeyId },
        // Each row keeps its own times, and the circuit would only use up its attempts.
        evenIfOpen: true,
        accept: ({ body }) => {
          if (!readAnswer('report.delivered', body).success)
            throw new WebhookError('refused', 'the partner answered success: false')
        },
        onOutcome: (told) => {
          outcome = told
        },
      })
      return {
        outcome: 'sent',
        ...written({ eventId, reportId, state: 'done', outcome, fault: '', attempts }),
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof WebhookError)) throw error
      if (outcome?.endpointId)
        health.set(outcome.endpointId, isSilence(error) ? 'no-answer' : 'wrong-answer')
      const fault = faultOf(error)
      const isGone = error.httpStatus === 410
      return {
        ...{
          outcome: 'postponed',
          until: clock() + nextWait(row.attempts, error.retryAfterMs),
          fault,
        },
        ...written(
          { eventId, reportId, state: 'waiting', outcome, fault, attempts },
          isGone ? (outcome?.endpointId ?? undefined) : undefined,
        ),
      }
    }
  }

  function written(
    attempt: DeliveryAttempt,
    gone?: string,
  ): { readonly within: (stillWaited: boolean) => void } {
    return {
      within(stillWaited) {
        // A person gave it up while it was under way.
        attempted(
          attempt.state === 'waiting' && !stillWaited ? { ...attempt, state: 'dropped' } : attempt,
        )
        if (gone !== undefined) onGone(gone)
        if (onChanged) database.afterCommit(onChanged)
      },
    }
  }

  function nextWait(attempts: number, retryAfterMs = 0): number {
    const usual = waitAfter(RETRY_SCHEDULES.reportDelivery, attempts + 1)
    return Math.max(retryAfterMs, Math.round(usual * (1 - JITTER + 2 * JITTER * random())))
  }

  const worker = openOutboxWorker({
    ...{ store, kind: REPORT_DELIVERED, clock, deliver, groupOf, atOnce: AT_ONCE },
    ...(isIdle && { isIdle }),
    ...(onError && { onError }),
  })

  async function hasten(endpointId: string): Promise<void> {
    const rows = outbox.waiting(REPORT_DELIVERED)
    for (let from = 0; from < rows.length && !isClosed; from += HASTENED_AT_A_TIME) {
      const own = rows.slice(from, from + HASTENED_AT_A_TIME).filter(({ subject }) => {
        const to = destinationOf(subject)
        return 'endpointId' in to && to.endpointId === endpointId
      })
      if (own.length > 0) worker.retry(own.map(({ outboxId }) => outboxId))
      await nextTurn()
    }
  }

  return {
    wake: worker.wake,
    retry: () => worker.retry(),
    settled: worker.settled,
    noteOutcome({ type, endpointId, fault }) {
      if (fault !== null || endpointId === null) return
      const trouble = health.get(endpointId) ?? 'no-answer'
      if (trouble === 'fine') return
      const ofDelivery = type === 'report.delivered'
      // Who answers other questions may still be wrong about reports: only silence is over.
      if (!ofDelivery && trouble !== 'no-answer') return
      const cause = `${ofDelivery ? 'delivery' : 'other'} ${endpointId}`
      const since = clock() - (hastenedAt.get(cause) ?? 0)
      if (since >= 0 && since < HASTEN_EVERY_MS) return
      health.set(endpointId, 'fine')
      hastenedAt.set(cause, clock())
      // Not in the turn of whoever asked: a worklist does not wait for it.
      setImmediate(() => {
        if (!isClosed) hasten(endpointId).catch((error: unknown) => onError?.(error))
      })
    },
    [Symbol.asyncDispose]() {
      isClosed = true
      return worker[Symbol.asyncDispose]()
    },
  }
}

const isSilence = ({ fault }: WebhookError) => fault === 'unreachable' || fault === 'timeout'

/**
 * What a partner writes beside a refusal may name a patient: it stays in the record of the event,
 * which is sealed.
 */
const faultOf = ({ fault, detail }: WebhookError) =>
  fault === 'refused' ? 'the partner answered, and did not take it' : detail

function eventIdOf(payload: unknown): WebhookEventId | undefined {
  const { eventId } = (payload ?? {}) as { readonly eventId?: unknown }
  return WebhookEventId.safeParse(eventId).data
}
