import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { Span } from './call-count-queries.ts'
import { type EventState, eventOf, selectEvents } from './queries.ts'

// What a replay selects events by.

/** The state of a report, which determines whether its event can be sent again. */
export const findReportState = (database: Database, reportId: string) =>
  database.get(
    database.sql
      .selectFrom('reports')
      .select(['status', 'studyId'])
      .where('reportId', '=', reportId),
  )

/**
 * Events of a type in one of the states that were created in the span (`to` excluded), oldest
 * first, without tests.
 */
export const eventsInState = (
  database: Database,
  type: EventType,
  states: readonly EventState[],
  { from, to }: Span,
  limit: number,
) =>
  database
    .all(
      selectEvents(database)
        .where('type', '=', type)
        .where('state', 'in', states)
        .where('createdAt', '>=', from)
        .where('createdAt', '<', to)
        .where('isTest', '=', 0)
        .orderBy('seq')
        .limit(limit),
    )
    .map(eventOf)

/**
 * When the latest event was created that the endpoint accepted before its most recent failure;
 * `undefined` if there is none.
 */
export function lastAcceptedBeforeFailure(database: Database, endpointId: string | null) {
  const endpointEvents = database.sql
    .selectFrom('events')
    .where('endpointId', 'is', endpointId)
    .where('isTest', '=', 0)
  const newest = (state: EventState) =>
    database.get(
      endpointEvents
        .select('seq')
        .where('state', '=', state)
        .where('attempts', '>', 0)
        .orderBy('seq', 'desc')
        .limit(1),
    )?.seq ?? 0
  const failure = Math.max(newest('failed'), newest('waiting'))
  return database.get(
    endpointEvents
      .select('createdAt')
      // Does not use the index on the state, because most events are done and the endpoint's latest
      // one is close.
      .where(sql<boolean>`+state = 'done'`)
      .where('seq', '<', failure)
      .orderBy('seq', 'desc')
      .limit(1),
  )?.createdAt
}
