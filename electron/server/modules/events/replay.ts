import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import {
  addOutboxJob,
  dropOutboxJobs,
  expediteOutboxJobs,
  findLatestOutboxJob,
} from '#server/jobs/outbox-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import { type dashboardEvents, EVENT_STATES, kindOf } from '#shared/contract/events.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import { type EventRow, findEvent, setEventState } from './queries.ts'
import { eventsInState, findReportState, lastAcceptedBeforeFailure } from './replay-queries.ts'

type Calls = typeof dashboardEvents
export type ReplaySelection = CallOf<Calls['replay']>['body']
/** Repeats the requests behind soft events, by event type; the argument is the event's subject. */
export type RequestRepeaters = Partial<Record<EventType, (subject: string) => Promise<void>>>

/** Returns why an event cannot be sent again; null if it can. */
export function replayObstacle(
  { database }: Context,
  { type, subject, isTest }: EventRow,
): Message | null {
  if (isTest) return message('events.was-test')
  if (kindOf(type) === 'synchronous') return message('events.answer-needed-no-more')
  const SUBJECT_CHECKS = {
    'report.delivered': () => findReportState(database, subject)?.status === 'completed',
    'patient_study.enrichment_requested': () => findImageStudy(database, subject) !== undefined,
    'clinical_context.enrichment_requested': () => findStudy(database, subject) !== undefined,
  }[type as string]
  if (SUBJECT_CHECKS?.()) return null
  return message(type === 'report.delivered' ? 'events.report-gone' : 'events.study-gone')
}

const MAX_EVENTS_IN_SPAN = 1000
const MAX_EVENTS_IN_OUTAGE = 10_000
const ALL_TIME = { from: '', to: '9999' }
const UNDELIVERED_STATES = ['waiting', 'failed'] as const

/** Sends events again, or drops them, at a user's request. */
export class EventReplay implements AsyncDisposable {
  readonly #context: Context
  readonly #wake: () => void
  readonly #repeaters: RequestRepeaters
  #isClosed = false
  #requests: Promise<void> = Promise.resolve()

  /**
   * @param wake starts sending waiting events
   * @param ask rejects with ApiError if the request is no longer needed
   */
  constructor(context: Context, wake: () => void, ask: RequestRepeaters) {
    this.#context = context
    this.#wake = wake
    this.#repeaters = ask
  }

  /**
   * Sends events again. Asynchronous events keep their id, and are sent immediately if they are
   * still waiting. Soft events are requested again, one after the other, with new ids.
   * @throws ApiError refused if the span selects synchronous events or too many events
   */
  replay(which: ReplaySelection, actor: Actor): ReplyOf<Calls['replay']> {
    const context = this.#context
    const { rows, skipped } = selectEvents(context.database, which)
    const checked = rows.map((event) => ({ event, why: replayObstacle(context, event) }))
    const { sent, soft } = sortForSending(
      checked.flatMap(({ event, why }) => (why === null ? event : [])),
    )
    const reply = {
      queued: sent.length + soft.length,
      skipped: [
        ...skipped,
        ...checked.flatMap(({ event: { eventId }, why }) => (why === null ? [] : { eventId, why })),
      ],
    }
    if (which.isTrial || reply.queued === 0) return reply

    context.database.transaction(() => {
      const at = instantOf(context.clock())
      for (const event of sent) requeue(context, event, at)
      const eventIds = [...sent, ...soft].map(({ eventId }) => eventId)
      note(context, actor, 'event.replay', which.which, {
        queued: reply.queued,
        eventIds: eventIds.slice(0, MAX_EVENTS_IN_SPAN),
      })
    })
    if (sent.length > 0) this.#wake()
    this.#repeatRequests(soft)
    return reply
  }

  /**
   * Drops a waiting event.
   * @throws ApiError not-found
   */
  drop(eventId: string, reason: string, actor: Actor): WindowOutcome {
    const { database, clock } = this.#context
    const event = findEvent(database, eventId)
    if (!event) throw new ApiError('not-found', message('events.not-kept'))
    const { type, subject, state } = event
    if (state !== 'waiting')
      return { success: false, message: message('events.not-waiting', { state }) }
    database.transaction(() => {
      const at = instantOf(clock())
      dropOutboxJobs(database, type, subject, at)
      setEventState(database, eventId, 'dropped', at)
      note(this.#context, actor, 'event.drop', eventId, { type, subject, reason })
    })
    // Events of the same study that waited for this one can be sent now.
    this.#wake()
    return { success: true }
  }

  /** Resolves when every soft event has been requested. */
  settled(): Promise<void> {
    return this.#requests
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#requests
  }

  #repeatRequests(rows: readonly EventRow[]): void {
    for (const { type, subject } of rows) {
      this.#requests = this.#requests.then(async () => {
        if (this.#isClosed) return
        try {
          await this.#repeaters[type]?.(subject)
        } catch (error) {
          // The request is no longer needed: it was answered in the meantime, or another one is
          // running.
          if (!(error instanceof ApiError) && !this.#isClosed) reportError(this.#context, error)
        }
      })
    }
  }
}

/**
 * Sorts the events by creation, as the reports of a study must be sent in this order. Of the soft
 * events, each subject occurs once.
 */
function sortForSending(events: readonly EventRow[]) {
  const sorted = events.toSorted((a, b) => a.seq - b.seq)
  const soft = new Map(
    sorted.filter(isSoft).map((event) => [`${event.type} ${event.subject}`, event]),
  )
  return { sent: sorted.filter((event) => !isSoft(event)), soft: [...soft.values()] }
}

/** Queues the event again, or makes its waiting job due now. */
function requeue({ database }: Context, event: EventRow, at: string): void {
  const { eventId, type, subject } = event
  const queued = findLatestOutboxJob(database, type, subject)
  if (queued?.state === 'waiting') {
    expediteOutboxJobs(database, type, at, [queued.outboxId])
    return
  }
  const lane = findReportState(database, subject)?.studyId
  addOutboxJob(database, {
    ...{ kind: type, subject, payload: { eventId, reportId: subject }, at },
    ...(lane !== undefined && { lane }),
  })
  setEventState(database, eventId, 'waiting', at)
}

interface EventSelection {
  readonly rows: readonly EventRow[]
  readonly skipped: readonly { readonly eventId: WebhookEventId; readonly why: Message }[]
}

/**
 * Finds the selected events.
 * @throws ApiError refused
 */
function selectEvents(database: Database, which: ReplaySelection): EventSelection {
  if (which.which === 'these') return eventsById(database, which.eventIds)
  return which.which === 'span'
    ? { rows: eventsOfSpan(database, which), skipped: [] }
    : { rows: sinceOutage(database), skipped: [] }
}

function eventsById(database: Database, eventIds: readonly WebhookEventId[]): EventSelection {
  const known = [...new Set(eventIds)].map((eventId) => ({
    eventId,
    event: findEvent(database, eventId),
  }))
  return {
    rows: known.flatMap(({ event }) => event ?? []),
    skipped: known
      .filter(({ event }) => !event)
      .map(({ eventId }) => ({ eventId, why: message('events.it-is-not-kept') })),
  }
}

function eventsOfSpan(
  database: Database,
  { from, to, type, only }: Extract<ReplaySelection, { which: 'span' }>,
): EventRow[] {
  if (type !== undefined && kindOf(type) === 'synchronous') {
    const neverSentAgain = message('events.kind-never-sent-again')
    throw new ApiError('refused', neverSentAgain, {
      errors: [{ path: 'body.type', message: neverSentAgain }],
    })
  }
  const types =
    type === undefined ? EVENT_TYPES.filter((one) => kindOf(one) !== 'synchronous') : [type]
  const states = only === 'failed' ? UNDELIVERED_STATES : EVENT_STATES
  const rows = types.flatMap((one) =>
    eventsInState(database, one, states, { from, to: nextMillisecond(to) }, MAX_EVENTS_IN_SPAN + 1),
  )
  if (rows.length > MAX_EVENTS_IN_SPAN) {
    const tooManyMessage = message('events.too-many-in-span', { most: MAX_EVENTS_IN_SPAN })
    throw new ApiError('refused', tooManyMessage, {
      errors: [{ path: 'body.from', message: tooManyMessage }],
    })
  }
  return rows
}

function sinceOutage(database: Database): EventRow[] {
  const rows = EVENT_TYPES.filter((type) => kindOf(type) === 'asynchronous').flatMap((type) =>
    eventsInState(database, type, UNDELIVERED_STATES, ALL_TIME, MAX_EVENTS_IN_OUTAGE),
  )
  const endpointIds = new Set(rows.map((row) => row.endpointId))
  const since = new Map(
    [...endpointIds].map((id) => [id, lastAcceptedBeforeFailure(database, id) ?? '']),
  )
  // A waiting event is undelivered, regardless of its age.
  return rows.filter(
    (row) => row.state === 'waiting' || row.updatedAt >= (since.get(row.endpointId) ?? ''),
  )
}

const isSoft = ({ type }: EventRow) => kindOf(type) === 'soft'

/** The next millisecond, so that the span includes its end. */
const nextMillisecond = (instant: string) => instantOf(Date.parse(instant) + 1)
