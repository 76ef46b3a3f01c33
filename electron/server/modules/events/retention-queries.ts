import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { EventType } from '#shared/contract/webhooks.ts'

// Retention of the tables events and eventAttempts.

// Must match the condition of the partial index eventsWithBody literally.
const HAS_BODY = sql<boolean>`state = 'done' and sealedRequest is not null`

/**
 * Deletes requests and responses of at most `limit` accepted events of a type that were created
 * before the given time; returns the number of events.
 */
export const deleteEventBodies = (
  database: Database,
  type: EventType,
  before: string,
  limit: number,
): number =>
  database.transaction(() => {
    const seqs = database
      .all(
        database.sql
          .selectFrom('events')
          .select('seq')
          .where(HAS_BODY)
          .where(sql<boolean>`+type = ${type}`)
          .where('createdAt', '<', before)
          .orderBy('createdAt')
          .limit(limit),
      )
      .map(({ seq }) => seq)
    if (seqs.length === 0) return 0
    const clearedColumns = { events: { sealedRequest: null }, attempts: { sealedResponse: null } }
    database.run(
      database.sql.updateTable('events').set(clearedColumns.events).where('seq', 'in', seqs),
    )
    database.run(
      database.sql
        .updateTable('eventAttempts')
        .set(clearedColumns.attempts)
        .where('seq', 'in', seqs),
    )
    return seqs.length
  })

/**
 * Deletes at most `limit` events that were created and last tried before the given time, except
 * waiting ones; returns their number.
 */
export function purgeEvents(database: Database, before: string, limit: number): number {
  const old = database.sql
    .selectFrom('events')
    .select('seq')
    .where('createdAt', '<', before)
    .where('updatedAt', '<', before)
    .where(sql<boolean>`+state <> 'waiting'`)
    .orderBy('createdAt')
    .limit(limit)
  return database.run(database.sql.deleteFrom('events').where('seq', 'in', old)).changes
}
