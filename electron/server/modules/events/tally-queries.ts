import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type EventOutcome, kindOf } from '#shared/contract/events.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'

/** Calls since an instant, of all endpoints where none is given. */
export interface CallsSince {
  readonly since: string
  readonly endpointId?: string | undefined
}

/** How many calls of an event ended so, each within so many whole milliseconds. */
export interface CallTally {
  readonly type: EventType
  readonly outcome: EventOutcome
  readonly tookMs: number
  readonly count: number
  /** Of them, those with parts of the answer left out. */
  readonly withNotes: number
}

// Word for word the condition of the partial index eventsWithNotes.
export const WITH_NOTES = sql<boolean>`notes > 0`

/** Events that are tried more than once: their calls are their attempts. */
const ASYNCHRONOUS = EVENT_TYPES.filter((type) => kindOf(type) === 'asynchronous')
const WHOLE_MS = sql<number>`cast(round(tookMs) as integer)`

/** `to` excluded. */
export interface Span {
  readonly from: string
  readonly to: string
}

/** Of events that are sent once, in the span; tests left out. */
export const tallyCalls = (
  database: Database,
  { from, to }: Span,
  endpointId?: string,
): CallTally[] =>
  database.all(
    database.sql
      .selectFrom('events')
      .select(({ fn }) => [
        'type',
        'outcome',
        WHOLE_MS.as('tookMs'),
        fn.countAll<number>().as('count'),
        sql<number>`sum(notes > 0)`.as('withNotes'),
      ])
      .where('createdAt', '>=', from)
      .where('createdAt', '<', to)
      .where('isTest', '=', 0)
      .where('type', 'not in', ASYNCHRONOUS)
      .$if(endpointId !== undefined, (query) =>
        query.where(sql<boolean>`+endpointId = ${endpointId}`),
      )
      .groupBy(['type', 'outcome', sql`3`]),
  ) as CallTally[]

/** Attempts in the span of events that are sent until they are accepted; tests left out. */
export const tallyAttempts = (
  database: Database,
  { from, to }: Span,
  endpointId?: string,
): CallTally[] =>
  database.all(
    database.sql
      .selectFrom('events')
      .innerJoin('eventAttempts', 'eventAttempts.seq', 'events.seq')
      .select(({ fn }) => [
        'events.type',
        'eventAttempts.outcome',
        sql<number>`cast(round(eventAttempts.tookMs) as integer)`.as('tookMs'),
        fn.countAll<number>().as('count'),
        sql<number>`sum(events.notes > 0 and eventAttempts.attempt = events.attempts)`.as(
          'withNotes',
        ),
      ])
      .where('events.type', 'in', ASYNCHRONOUS)
      .where('events.updatedAt', '>=', from)
      .where('events.isTest', '=', 0)
      .where('eventAttempts.at', '>=', from)
      .where('eventAttempts.at', '<', to)
      .$if(endpointId !== undefined, (query) =>
        query.where(sql<boolean>`+events.endpointId = ${endpointId}`),
      )
      .groupBy(['events.type', 'eventAttempts.outcome', sql`3`]),
  ) as CallTally[]

/**
 * Attempts in the span, as `tallyAttempts`, of the events from this sequence number on: it reads no
 * older event, however many are kept.
 */
export const tallyRecentAttempts = (
  database: Database,
  { from, to }: Span,
  fromSeq: number,
): Omit<CallTally, 'type' | 'withNotes'>[] =>
  database.all(
    database.sql
      .selectFrom('events')
      .innerJoin('eventAttempts', 'eventAttempts.seq', 'events.seq')
      .select(({ fn }) => [
        'eventAttempts.outcome',
        sql<number>`cast(round(eventAttempts.tookMs) as integer)`.as('tookMs'),
        fn.countAll<number>().as('count'),
      ])
      .where('events.type', 'in', ASYNCHRONOUS)
      .where('events.seq', '>=', fromSeq)
      .where('events.isTest', '=', 0)
      .where('eventAttempts.at', '>=', from)
      .where('eventAttempts.at', '<', to)
      .groupBy(['eventAttempts.outcome', sql`2`]),
  ) as Omit<CallTally, 'type' | 'withNotes'>[]

/** The sequence number of the first event made at the instant or later; undefined without one. */
export const firstEventSince = (database: Database, instant: string): number | undefined =>
  database.get(
    database.sql
      .selectFrom('events')
      .select('seq')
      .where('createdAt', '>=', instant)
      .orderBy('createdAt')
      .orderBy('seq')
      .limit(1),
  )?.seq

/** The newest attempts of the newest events of a type whose last answer had parts left out. */
export const newestWithNotes = (
  database: Database,
  type: EventType,
  { since, endpointId }: CallsSince,
  limit: number,
) =>
  database.all(
    database.sql
      .selectFrom('events')
      .innerJoin('eventAttempts', (join) =>
        join
          .onRef('eventAttempts.seq', '=', 'events.seq')
          .onRef('eventAttempts.attempt', '=', 'events.attempts'),
      )
      .select(['events.eventId', 'eventAttempts.attempt', 'eventAttempts.sealedDetail'])
      .where(WITH_NOTES)
      .where(sql<boolean>`+events.type = ${type}`)
      .where(sql<boolean>`+events.createdAt >= ${since}`)
      .where('events.isTest', '=', 0)
      .$if(endpointId !== undefined, (query) =>
        query.where(sql<boolean>`+events.endpointId = ${endpointId}`),
      )
      .orderBy('events.seq', 'desc')
      .limit(limit),
  )
