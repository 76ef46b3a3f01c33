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
import { type dashboardEvents, kindOf } from '#shared/contract/events.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import {
  type EventRow,
  eventsInState,
  findEvent,
  findReportState,
  lastAcceptedBeforeFailure,
  setEventState,
} from './queries.ts'

type Calls = typeof dashboardEvents
export type ReplayWhich = CallOf<Calls['replay']>['body']
/** Asks again for what soft events of a subject were for. */
export type AskAgain = Partial<Record<EventType, (subject: string) => Promise<void>>>

/** Why an event cannot be sent again; null where it can. */
export function whyNotAgain(
  { database }: Context,
  { type, subject, isTest }: EventRow,
): Message | null {
  if (isTest) return message('events.was-test')
  if (kindOf(type) === 'synchronous') return message('events.answer-needed-no-more')
  const isHere = {
    'report.delivered': () => findReportState(database, subject)?.status === 'completed',
    'patient_study.enrichment_requested': () => findImageStudy(database, subject) !== undefined,
    'clinical_context.enrichment_requested': () => findStudy(database, subject) !== undefined,
  }[type as string]
  if (isHere?.()) return null
  return message(type === 'report.delivered' ? 'events.report-gone' : 'events.study-gone')
}

const MOST_OF_A_SPAN = 1000
const MOST_OF_AN_OUTAGE = 10_000
const EVER = { from: '', to: '9999' }
const UNDELIVERED = ['waiting', 'failed'] as const
const ANY_STATE = ['waiting', 'done', 'failed', 'dropped'] as const

/** Events sent again, or given up, by a person. */
export class EventReplay implements AsyncDisposable {
  readonly #context: Context
  readonly #wake: () => void
  readonly #ask: AskAgain
  #isClosed = false
  #asking: Promise<void> = Promise.resolve()

  /**
   * @param wake lets what waits go out
   * @param ask rejects with ApiError where there is nothing to ask for
   */
  constructor(context: Context, wake: () => void, ask: AskAgain) {
    this.#context = context
    this.#wake = wake
    this.#ask = ask
  }

  /**
   * Asynchronous events go out again under their own id, at once where they wait anyway; soft ones
   * are asked for again, one after the other, under a new one. @throws ApiError refused: a span of
   * events that nobody waits for, or of too many
   */
  replay(which: ReplayWhich, actor: Actor): ReplyOf<Calls['replay']> {
    const context = this.#context
    const { rows, skipped } = chosen(context.database, which)
    const judged = rows.map((event) => ({ event, why: whyNotAgain(context, event) }))
    const { sent, soft } = inOrder(judged.flatMap(({ event, why }) => (why === null ? event : [])))
    const reply = {
      queued: sent.length + soft.length,
      skipped: [
        ...skipped,
        ...judged.flatMap(({ event: { eventId }, why }) => (why === null ? [] : { eventId, why })),
      ],
    }
    if (which.isTrial || reply.queued === 0) return reply

    context.database.transaction(() => {
      const at = instantOf(context.clock())
      for (const event of sent) sendAgain(context, event, at)
      const eventIds = [...sent, ...soft].map(({ eventId }) => eventId)
      note(context, actor, 'event.replay', which.which, {
        queued: reply.queued,
        eventIds: eventIds.slice(0, MOST_OF_A_SPAN),
      })
    })
    if (sent.length > 0) this.#wake()
    this.#askAgain(soft)
    return reply
  }

  /** @throws ApiError not-found */
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
    // What waited behind it, of the same study, goes on.
    this.#wake()
    return { success: true }
  }

  /** Resolves when every soft event was asked for. */
  settled(): Promise<void> {
    return this.#asking
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#asking
  }

  #askAgain(rows: readonly EventRow[]): void {
    for (const { type, subject } of rows) {
      this.#asking = this.#asking.then(async () => {
        if (this.#isClosed) return
        try {
          await this.#ask[type]?.(subject)
        } catch (error) {
          // Meanwhile there is nothing to ask for: the question was answered, or another runs.
          if (!(error instanceof ApiError) && !this.#isClosed) reportError(this.#context, error)
        }
      })
    }
  }
}

/** In the order they were made, which is that of the reports of a study; soft ones once a study. */
function inOrder(events: readonly EventRow[]) {
  const again = events.toSorted((a, b) => a.seq - b.seq)
  const soft = new Map(
    again.filter(isSoft).map((event) => [`${event.type} ${event.subject}`, event]),
  )
  return { sent: again.filter((event) => !isSoft(event)), soft: [...soft.values()] }
}

/** Into the outbox again where it is not there, else now. */
function sendAgain({ database }: Context, event: EventRow, at: string): void {
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

interface Chosen {
  readonly rows: readonly EventRow[]
  readonly skipped: readonly { readonly eventId: WebhookEventId; readonly why: Message }[]
}

/** The events that were asked for. @throws ApiError refused */
function chosen(database: Database, which: ReplayWhich): Chosen {
  if (which.which === 'these') return theseEvents(database, which.eventIds)
  return which.which === 'span'
    ? { rows: eventsOfSpan(database, which), skipped: [] }
    : { rows: sinceOutage(database), skipped: [] }
}

function theseEvents(database: Database, eventIds: readonly WebhookEventId[]): Chosen {
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
  { from, to, type, only }: Extract<ReplayWhich, { which: 'span' }>,
): EventRow[] {
  if (type !== undefined && kindOf(type) === 'synchronous') {
    const never = message('events.kind-never-sent-again')
    throw new ApiError('refused', never, { errors: [{ path: 'body.type', message: never }] })
  }
  const types =
    type === undefined ? EVENT_TYPES.filter((one) => kindOf(one) !== 'synchronous') : [type]
  const states = only === 'failed' ? UNDELIVERED : ANY_STATE
  const rows = types.flatMap((one) =>
    eventsInState(database, one, states, { from, to: after(to) }, MOST_OF_A_SPAN + 1),
  )
  if (rows.length > MOST_OF_A_SPAN) {
    const tooMany = message('events.too-many-in-span', { most: MOST_OF_A_SPAN })
    throw new ApiError('refused', tooMany, { errors: [{ path: 'body.from', message: tooMany }] })
  }
  return rows
}

function sinceOutage(database: Database): EventRow[] {
  const rows = EVENT_TYPES.filter((type) => kindOf(type) === 'asynchronous').flatMap((type) =>
    eventsInState(database, type, UNDELIVERED, EVER, MOST_OF_AN_OUTAGE),
  )
  const endpointIds = new Set(rows.map((row) => row.endpointId))
  const since = new Map(
    [...endpointIds].map((id) => [id, lastAcceptedBeforeFailure(database, id) ?? '']),
  )
  // What waits is not delivered, however old it is.
  return rows.filter(
    (row) => row.state === 'waiting' || row.updatedAt >= (since.get(row.endpointId) ?? ''),
  )
}

const isSoft = ({ type }: EventRow) => kindOf(type) === 'soft'

/** The instant after, so that a span holds its end. */
const after = (instant: string) => instantOf(Date.parse(instant) + 1)
