import type { Database } from '#server/database/database.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import type { Destination } from '#shared/contract/destinations.ts'
import { type Message, storedMessage, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

/**
 * A DICOM node and the result of the last attempt to send to it. Its queue is counted by
 * `forward-queries`.
 */
export type DestinationRecord = Omit<Destination, 'queue' | 'nextAttemptAt'>

// Not built with kysely, because this is read for every image.
const SELECT_DESTINATIONS = rawQuery<{ [K in keyof DestinationRecord]: unknown }>(
  'select * from destinations order by name, destinationId',
  [],
)

/** Lists all destinations, ordered by name. */
export const listDestinations = (database: Database): DestinationRecord[] =>
  database.all(SELECT_DESTINATIONS).map(recordOf)

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

/** Updates everything except the id, `createdAt` and the columns of `recordSent` and `recordError`. */
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

/** Deletes the destination and its forwards. */
export const deleteDestination = (database: Database, destinationId: string) =>
  database.run(database.sql.deleteFrom('destinations').where('destinationId', '=', destinationId))

/** Records that an instance was sent. */
export const recordSent = (database: Database, destinationId: string, at: string) =>
  database.run(
    database.sql
      .updateTable('destinations')
      .set({ lastSentAt: at, lastError: '' })
      .where('destinationId', '=', destinationId),
  )

/** Records that an attempt failed. */
export const recordError = (database: Database, destinationId: string, lastError: Message) =>
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
  confirmsStorage: flag(destination.confirmsStorage),
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
    confirmsStorage: row.confirmsStorage === 1,
    modalities: JSON.parse(String(row.modalities)),
    lastError: messageOrNull(String(row.lastError)),
  }) as DestinationRecord
