import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { EventType } from '#shared/contract/webhooks.ts'

// What is forgotten of the tables events and eventAttempts.

// Word for word the condition of the partial index eventsWithBody.
const HAS_BODY = sql<boolean>`state = 'done' and sealedRequest is not null`

/**
 * Forgets what was sent and answered in at most `limit` accepted events of a type that were made
 * before the instant; how many.
 */
export const forgetEventBodies = (
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
    const forgotten = { events: { sealedRequest: null }, attempts: { sealedResponse: null } }
    database.run(database.sql.updateTable('events').set(forgotten.events).where('seq', 'in', seqs))
    database.run(
      database.sql.updateTable('eventAttempts').set(forgotten.attempts).where('seq', 'in', seqs),
    )
    return seqs.length
  })

/**
 * Forgets at most `limit` events that were made and last tried before the instant, and none that
 * waits; how many.
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
