import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/query.ts'
import type { Destination } from '#shared/contract/destinations.ts'
import { type Message, storedMessage, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

/**
 * A DICOM node as it was set up, and how the last attempt there went; its queue is counted by
 * `forward-queries`.
 */
export type DestinationRecord = Omit<Destination, 'queue' | 'nextAttemptAt'>

/** By name. */
export const listDestinations = (database: Database): DestinationRecord[] =>
  database
    .all(
      database.sql.selectFrom('destinations').selectAll().orderBy('name').orderBy('destinationId'),
    )
    .map(recordOf)

export function findDestination(
  database: Database,
  destinationId: string,
): DestinationRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('destinations').selectAll().where('destinationId', '=', destinationId),
  )
  return row && recordOf(row)
}

export const insertDestination = (database: Database, destination: DestinationRecord) =>
  database.run(database.sql.insertInto('destinations').values(rowOf(destination)))

/** Everything but the id, `createdAt` and what `noteSent` and `noteError` write. */
export function updateDestination(database: Database, destination: DestinationRecord): void {
  const {
    destinationId,
    createdAt: _,
    lastSentAt: __,
    lastError: ___,
    ...changed
  } = rowOf(destination)
  database.run(
    database.sql
      .updateTable('destinations')
      .set(changed)
      .where('destinationId', '=', destinationId),
  )
}

/** With its forwards. */
export const deleteDestination = (database: Database, destinationId: string) =>
  database.run(database.sql.deleteFrom('destinations').where('destinationId', '=', destinationId))

/** An instance got there. */
export const noteSent = (database: Database, destinationId: string, at: string) =>
  database.run(
    database.sql
      .updateTable('destinations')
      .set({ lastSentAt: at, lastError: '' })
      .where('destinationId', '=', destinationId),
  )

/** An attempt failed. */
export const noteError = (database: Database, destinationId: string, lastError: Message) =>
  database.run(
    database.sql
      .updateTable('destinations')
      .set({ lastError: storedMessage(lastError) })
      .where('destinationId', '=', destinationId),
  )

const rowOf = (destination: DestinationRecord) => ({
  ...destination,
  isTls: flag(destination.isTls),
  isEnabled: flag(destination.isEnabled),
  isAutomatic: flag(destination.isAutomatic),
  hasPriors: flag(destination.hasPriors),
  modalities: JSON.stringify(destination.modalities),
  lastError: storedOrEmpty(destination.lastError),
})

const recordOf = (row: { [K in keyof DestinationRecord]: unknown }): DestinationRecord =>
  ({
    ...row,
    isTls: row.isTls === 1,
    isEnabled: row.isEnabled === 1,
    isAutomatic: row.isAutomatic === 1,
    hasPriors: row.hasPriors === 1,
    modalities: JSON.parse(String(row.modalities)),
    lastError: messageOrNull(String(row.lastError)),
  }) as DestinationRecord
