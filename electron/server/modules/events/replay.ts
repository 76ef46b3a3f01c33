import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { type Actor, note } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import { type dashboardEvents, kindOf } from '#shared/contract/events.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import {
  type EventRow,
  eventsInState,
  findEvent,
  lastAcceptedBeforeFailure,
  setEventState,
} from './queries.ts'

type Calls = typeof dashboardEvents
export type ReplayWhich = CallOf<Calls['replay']>['body']
export type EventReplay = ReturnType<typeof openEventReplay>

/** Why an event cannot be sent again; '' where it can. */
export function whyNotAgain(
  { reports, studies, imageStudies }: Context,
  { type, subject, isTest }: EventRow,
): string {
  if (isTest) return 'It was a test; send another one with the test button.'
  if (kindOf(type) === 'synchronous')
    return 'Whoever needed the answer has gone on without it; it is asked for anew when it is needed.'
  const isHere = {
    'report.delivered': () => reports.get(subject)?.status === 'completed',
    'patient_study.enrichment_requested': () => imageStudies.get(subject) !== undefined,
    'clinical_context.enrichment_requested': () => studies.get(subject) !== undefined,
  }[type as string]
  return isHere?.()
    ? ''
    : `The ${type === 'report.delivered' ? 'report' : 'study'} it is about is not here any more.`
}

const MOST_OF_A_SPAN = 1000
const MOST_OF_AN_OUTAGE = 10_000
const EVER = { from: '', to: '9999' }
const UNDELIVERED = ['waiting', 'failed'] as const
const ANY_STATE = ['waiting', 'done', 'failed', 'dropped'] as const

/**
 * Events sent again, or given up, by a person. `wake` lets what waits go out; `ask` asks again for
 * what a soft event of the subject was for, and rejects with ApiError where there is nothing to ask
 * for; `onError`: a soft event could not be asked for again.
 */
export function openEventReplay(
  context: Context,
  wake: () => void,
  ask: Partial<Record<EventType, (subject: string) => Promise<void>>>,
  onError: (error: unknown) => void,
) {
  const { database, clock, outbox } = context
  let isClosed = false
  let asking: Promise<void> = Promise.resolve()

  function askAgain(rows: readonly EventRow[]): void {
    for (const { type, subject } of rows) {
      asking = asking.then(async () => {
        if (isClosed) return
        try {
          await ask[type]?.(subject)
        } catch (error) {
          // Meanwhile there is nothing to ask for: the question was answered, or another runs.
          if (!(error instanceof ApiError) && !isClosed) onError(error)
        }
      })
    }
  }

  return {
    /**
     * Asynchronous events go out again under their own id, at once where they wait anyway; soft
     * ones are asked for again, one after the other, under a new one. @throws ApiError refused: a
     * span of events that nobody waits for, or of too many
     */
    replay(which: ReplayWhich, actor: Actor): ReplyOf<Calls['replay']> {
      const { rows, skipped } = chosen(database, which)
      const judged = rows.map((event) => ({ event, why: whyNotAgain(context, event) }))
      // In the order they were made, which is that of the reports of a study; of soft ones, one for
      // each study.
      const again = judged
        .filter(({ why }) => why === '')
        .map(({ event }) => event)
        .toSorted((a, b) => a.seq - b.seq)
      const soft = [
        ...new Map(
          again.filter(isSoft).map((event) => [`${event.type} ${event.subject}`, event]),
        ).values(),
      ]
      const sent = again.filter((event) => !isSoft(event))
      const not = judged.filter(({ why }) => why !== '')
      const reply = {
        queued: sent.length + soft.length,
        skipped: [...skipped, ...not.map(({ event, why }) => ({ eventId: event.eventId, why }))],
      }
      if (which.isTrial || reply.queued === 0) return reply

      database.transaction(() => {
        const at = instantOf(clock())
        for (const event of sent) sendAgain(context, event, at)
        const eventIds = [...sent, ...soft].map(({ eventId }) => eventId)
        note(context, actor, 'event.replay', which.which, {
          queued: reply.queued,
          eventIds: eventIds.slice(0, MOST_OF_A_SPAN),
        })
      })
      if (sent.length > 0) wake()
      askAgain(soft)
      return reply
    },

    /** @throws ApiError not-found */
    drop(eventId: string, reason: string, actor: Actor): Outcome {
      const event = findEvent(database, eventId)
      if (!event) throw new ApiError('not-found', 'This event is not kept any more.')
      const { type, subject, state } = event
      if (state !== 'waiting')
        return { success: false, message: `This event does not wait any more: it is ${state}.` }
      database.transaction(() => {
        const at = instantOf(clock())
        outbox.drop(type, subject, at)
        setEventState(database, eventId, 'dropped', at)
        note(context, actor, 'event.drop', eventId, { type, subject, reason })
      })
      // What waited behind it, of the same study, goes on.
      wake()
      return { success: true }
    },

    /** Resolves when every soft event was asked for. */
    settled: () => asking,

    async [Symbol.asyncDispose]() {
      isClosed = true
      await asking
    },
  }
}

/** Into the outbox again where it is not there, else now. */
function sendAgain({ database, outbox, reports }: Context, event: EventRow, at: string): void {
  const { eventId, type, subject } = event
  const queued = outbox.latest(type, subject)
  if (queued?.state === 'waiting') {
    outbox.hasten(type, at, [queued.outboxId])
    return
  }
  const lane = reports.get(subject)?.studyId
  outbox.append({
    ...{ kind: type, subject, payload: { eventId, reportId: subject }, at },
    ...(lane !== undefined && { lane }),
  })
  setEventState(database, eventId, 'waiting', at)
}

interface Chosen {
  readonly rows: readonly EventRow[]
  readonly skipped: readonly { readonly eventId: WebhookEventId; readonly why: string }[]
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
      .map(({ eventId }) => ({ eventId, why: 'It is not kept any more.' })),
  }
}

function eventsOfSpan(
  database: Database,
  { from, to, type, only }: Extract<ReplayWhich, { which: 'span' }>,
): EventRow[] {
  if (type !== undefined && kindOf(type) === 'synchronous') {
    const message =
      'Events of this kind are never sent again: whoever needed the answer has gone on without it.'
    throw new ApiError('refused', message, { errors: [{ path: 'body.type', message }] })
  }
  const types =
    type === undefined ? EVENT_TYPES.filter((one) => kindOf(one) !== 'synchronous') : [type]
  const states = only === 'failed' ? UNDELIVERED : ANY_STATE
  const rows = types.flatMap((one) =>
    eventsInState(database, one, states, { from, to: after(to) }, MOST_OF_A_SPAN + 1),
  )
  if (rows.length > MOST_OF_A_SPAN) {
    const message = `More than ${MOST_OF_A_SPAN} events are in this span; choose a shorter one.`
    throw new ApiError('refused', message, { errors: [{ path: 'body.from', message }] })
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
