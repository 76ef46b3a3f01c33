import type { Context } from '#server/context.ts'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import { type dashboardEvents, kindOf } from '#shared/contract/events.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { EventRow } from './event-queries.ts'

type Calls = typeof dashboardEvents
export type ReplayWhich = CallOf<Calls['replay']>['body']
export type Replayed = ReplyOf<Calls['replay']>

/** The way out, filled by the composition root. */
export interface ReplayPorts {
  /** Looks again at what waits to go out. */
  readonly wake: () => void
  /** Asks for the enrichment of a study. @throws ApiError refused: there is nothing to ask for */
  readonly askEnrichment: (studyInstanceUid: string) => Promise<void>
  /** Asks for the clinical context of a study. @throws ApiError */
  readonly askContext: (studyId: string) => Promise<void>
}

export interface EventReplayDeps extends Pick<DomainDeps, 'store' | 'clock'> {
  readonly ports: ReplayPorts
  /** A soft event could not be asked for again. */
  readonly onError: (error: unknown) => void
}

/** Events sent again, or given up, by a person. */
export interface EventReplay extends AsyncDisposable {
  /**
   * Asynchronous events go out again under their own id, at once where they wait anyway; soft ones
   * are asked for again, one after the other, under a new one. @throws ApiError refused: a span of
   * events that nobody waits for, or of too many
   */
  replay(which: ReplayWhich, actor: Actor): Replayed
  /** @throws ApiError not-found */
  drop(eventId: string, reason: string, actor: Actor): Outcome
  /** Resolves when every soft event was asked for. */
  settled(): Promise<void>
}

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

export function openEventReplay({ store, clock, ports, onError }: EventReplayDeps): EventReplay {
  const { database, events, outbox } = store
  let isClosed = false
  let asking: Promise<void> = Promise.resolve()

  const CHOSEN: {
    readonly [W in ReplayWhich['which']]: (which: Extract<ReplayWhich, { which: W }>) => Chosen
  } = {
    these({ eventIds }) {
      const known = [...new Set(eventIds)].map((eventId) => ({
        eventId,
        event: events.get(eventId),
      }))
      return {
        rows: known.flatMap(({ event }) => event ?? []),
        skipped: known
          .filter(({ event }) => !event)
          .map(({ eventId }) => ({ eventId, why: 'It is not kept any more.' })),
      }
    },
    span({ from, to, type, only }) {
      if (type !== undefined && kindOf(type) === 'synchronous') {
        const message =
          'Events of this kind are never sent again: whoever needed the answer has gone on without it.'
        throw new ApiError('refused', message, { errors: [{ path: 'body.type', message }] })
      }
      const types =
        type === undefined ? EVENT_TYPES.filter((one) => kindOf(one) !== 'synchronous') : [type]
      const states = only === 'failed' ? UNDELIVERED : ANY_STATE
      const rows = types.flatMap((one) =>
        events.standing(one, states, { from, to: after(to) }, MOST_OF_A_SPAN + 1),
      )
      if (rows.length > MOST_OF_A_SPAN) {
        const message = `More than ${MOST_OF_A_SPAN} events are in this span; choose a shorter one.`
        throw new ApiError('refused', message, { errors: [{ path: 'body.from', message }] })
      }
      return { rows, skipped: [] }
    },
    'since-outage'() {
      const types = EVENT_TYPES.filter((type) => kindOf(type) === 'asynchronous')
      const rows = types.flatMap((type) =>
        events.standing(type, UNDELIVERED, EVER, MOST_OF_AN_OUTAGE),
      )
      const since = new Map(
        [...new Set(rows.map((row) => row.endpointId))].map((id) => [
          id,
          events.lastAcceptedBeforeFailure(id) ?? '',
        ]),
      )
      // What waits is not delivered, however old it is.
      return {
        rows: rows.filter(
          (row) => row.state === 'waiting' || row.updatedAt >= (since.get(row.endpointId) ?? ''),
        ),
        skipped: [],
      }
    },
  }

  /** Into the outbox again where it is not there, else now. */
  function sendAgain(event: EventRow, at: string): void {
    const { eventId, type, subject } = event
    const queued = outbox.latest(type, subject)
    if (queued?.state === 'waiting') {
      outbox.hasten(type, at, [queued.outboxId])
      return
    }
    const lane = store.reports.get(subject)?.studyId
    outbox.append({
      kind: type,
      subject,
      payload: { eventId, reportId: subject },
      at,
      ...(lane !== undefined && { lane }),
    })
    events.setState(eventId, 'waiting', at)
  }

  function askAgain(rows: readonly EventRow[]): void {
    const ask: Partial<Record<EventType, (subject: string) => Promise<void>>> = {
      'patient_study.enrichment_requested': ports.askEnrichment,
      'clinical_context.enrichment_requested': ports.askContext,
    }
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
    replay: (which, actor) => {
      const { rows, skipped } = (CHOSEN[which.which] as (given: ReplayWhich) => Chosen)(which)
      const judged = rows.map((event) => ({ event, why: whyNotAgain(store, event) }))
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
      const reply = {
        queued: sent.length + soft.length,
        skipped: [
          ...skipped,
          ...judged
            .filter(({ why }) => why !== '')
            .map(({ event, why }) => ({ eventId: event.eventId, why })),
        ],
      }
      if (which.isTrial || reply.queued === 0) return reply

      database.transaction(() => {
        const at = instantOf(clock())
        for (const event of sent) sendAgain(event, at)
        const eventIds = [...sent, ...soft].map(({ eventId }) => eventId)
        note(store, actor, 'event.replay', which.which, {
          queued: reply.queued,
          eventIds: eventIds.slice(0, MOST_OF_A_SPAN),
        })
      })
      if (sent.length > 0) ports.wake()
      askAgain(soft)
      return reply
    },

    drop(eventId, reason, actor) {
      const event = events.get(eventId)
      if (!event) throw new ApiError('not-found', 'This event is not kept any more.')
      if (event.state !== 'waiting')
        return {
          success: false,
          message: `This event does not wait any more: it is ${event.state}.`,
        }
      database.transaction(() => {
        const at = instantOf(clock())
        outbox.drop(event.type, event.subject, at)
        events.setState(eventId, 'dropped', at)
        note(store, actor, 'event.drop', eventId, {
          type: event.type,
          subject: event.subject,
          reason,
        })
      })
      // What waited behind it, of the same study, goes on.
      ports.wake()
      return { success: true }
    },

    settled: () => asking,

    async [Symbol.asyncDispose]() {
      isClosed = true
      await asking
    },
  }
}

interface Chosen {
  readonly rows: readonly EventRow[]
  readonly skipped: readonly { readonly eventId: WebhookEventId; readonly why: string }[]
}

const isSoft = ({ type }: EventRow) => kindOf(type) === 'soft'

/** The instant after, so that a span holds its end. */
const after = (instant: string) => instantOf(Date.parse(instant) + 1)
