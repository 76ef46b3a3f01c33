import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type EventOutcome, kindOf } from '#shared/contract/events.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'

/** Calls since a given time, of one endpoint or of all. */
export interface CallsSince {
  readonly since: string
  readonly endpointId?: string | undefined
}

/** Number of calls of an event type with the same outcome and duration (whole milliseconds). */
export interface CallCount {
  readonly type: EventType
  readonly outcome: EventOutcome
  readonly tookMs: number
  readonly count: number
  /** Number of them whose response has notes. */
  readonly withNotes: number
}

// Must match the condition of the partial index eventsWithNotes literally.
export const HAS_NOTES = sql<boolean>`notes > 0`

/** Events that may be sent several times; their calls are counted by attempt. */
const ASYNCHRONOUS_TYPES = EVENT_TYPES.filter((type) => kindOf(type) === 'asynchronous')
const ROUNDED_MS = sql<number>`cast(round(tookMs) as integer)`

/** A time span; `to` is excluded. */
export interface Span {
  readonly from: string
  readonly to: string
}

/** Calls of event types that are sent only once, without tests. */
export const countCalls = (
  database: Database,
  { from, to }: Span,
  endpointId?: string,
): CallCount[] =>
  database.all(
    database.sql
      .selectFrom('events')
      .select(({ fn }) => [
        'type',
        'outcome',
        ROUNDED_MS.as('tookMs'),
        fn.countAll<number>().as('count'),
        sql<number>`sum(notes > 0)`.as('withNotes'),
      ])
      .where('createdAt', '>=', from)
      .where('createdAt', '<', to)
      .where('isTest', '=', 0)
      .where('type', 'not in', ASYNCHRONOUS_TYPES)
      .$if(endpointId !== undefined, (query) =>
        query.where(sql<boolean>`+endpointId = ${endpointId}`),
      )
      .groupBy(['type', 'outcome', sql`3`]),
  ) as CallCount[]

/** Attempts of event types that are sent until they are accepted, without tests. */
export const countAttempts = (
  database: Database,
  { from, to }: Span,
  endpointId?: string,
): CallCount[] =>
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
      .where('events.type', 'in', ASYNCHRONOUS_TYPES)
      .where('events.updatedAt', '>=', from)
      .where('events.isTest', '=', 0)
      .where('eventAttempts.at', '>=', from)
      .where('eventAttempts.at', '<', to)
      .$if(endpointId !== undefined, (query) =>
        query.where(sql<boolean>`+events.endpointId = ${endpointId}`),
      )
      .groupBy(['events.type', 'eventAttempts.outcome', sql`3`]),
  ) as CallCount[]

/**
 * Attempts in the span, as `countAttempts`, of the events from this sequence number on. Older
 * events are not read.
 */
export const countRecentAttempts = (
  database: Database,
  { from, to }: Span,
  fromSeq: number,
): Omit<CallCount, 'type' | 'withNotes'>[] =>
  database.all(
    database.sql
      .selectFrom('events')
      .innerJoin('eventAttempts', 'eventAttempts.seq', 'events.seq')
      .select(({ fn }) => [
        'eventAttempts.outcome',
        sql<number>`cast(round(eventAttempts.tookMs) as integer)`.as('tookMs'),
        fn.countAll<number>().as('count'),
      ])
      .where('events.type', 'in', ASYNCHRONOUS_TYPES)
      .where('events.seq', '>=', fromSeq)
      .where('events.isTest', '=', 0)
      .where('eventAttempts.at', '>=', from)
      .where('eventAttempts.at', '<', to)
      .groupBy(['eventAttempts.outcome', sql`2`]),
  ) as Omit<CallCount, 'type' | 'withNotes'>[]

/** The sequence number of the first event created at or after the instant, if there is one. */
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

/** The last attempts of the latest events of a type whose response has notes. */
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
      .where(HAS_NOTES)
      .where(sql<boolean>`+events.type = ${type}`)
      .where(sql<boolean>`+events.createdAt >= ${since}`)
      .where('events.isTest', '=', 0)
      .$if(endpointId !== undefined, (query) =>
        query.where(sql<boolean>`+events.endpointId = ${endpointId}`),
      )
      .orderBy('events.seq', 'desc')
      .limit(limit),
  )
