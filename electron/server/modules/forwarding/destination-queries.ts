import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/flag.ts'
import type { Destination } from '#shared/contract/destinations.ts'

/**
 * A DICOM node as it was set up, and how the last attempt there went; its queue is counted by
 * `forwards`.
 */
export type DestinationRecord = Omit<Destination, 'queue' | 'nextAttemptAt'>

export interface DestinationsStore {
  /** By name. */
  list(): DestinationRecord[]
  get(destinationId: string): DestinationRecord | undefined
  insert(destination: DestinationRecord): void
  /** Everything but the id, `createdAt` and what the `note`s write. */
  update(destination: DestinationRecord): void
  /** With its forwards. */
  remove(destinationId: string): boolean
  /** An instance got there. */
  noteSent(destinationId: string, at: string): void
  /** An attempt failed. */
  noteError(destinationId: string, lastError: string): void
}

export function destinationsStore(db: Database): DestinationsStore {
  const every = db.sql.selectFrom('destinations').selectAll()
  return {
    list: () => db.all(every.orderBy('name').orderBy('destinationId')).map(recordOf),
    get(destinationId) {
      const row = db.get(every.where('destinationId', '=', destinationId))
      return row && recordOf(row)
    },
    insert: (destination) =>
      void db.run(db.sql.insertInto('destinations').values(rowOf(destination))),
    update(destination) {
      const {
        destinationId,
        createdAt: _,
        lastSentAt: __,
        lastError: ___,
        ...changed
      } = rowOf(destination)
      db.run(
        db.sql.updateTable('destinations').set(changed).where('destinationId', '=', destinationId),
      )
    },
    remove: (destinationId) =>
      db.run(db.sql.deleteFrom('destinations').where('destinationId', '=', destinationId)).changes >
      0,
    noteSent: (destinationId, at) =>
      void db.run(
        db.sql
          .updateTable('destinations')
          .set({ lastSentAt: at, lastError: '' })
          .where('destinationId', '=', destinationId),
      ),
    noteError: (destinationId, lastError) =>
      void db.run(
        db.sql
          .updateTable('destinations')
          .set({ lastError })
          .where('destinationId', '=', destinationId),
      ),
  }
}

const rowOf = (destination: DestinationRecord) => ({
  ...destination,
  isTls: flag(destination.isTls),
  isEnabled: flag(destination.isEnabled),
  isAutomatic: flag(destination.isAutomatic),
  hasPriors: flag(destination.hasPriors),
  modalities: JSON.stringify(destination.modalities),
})

const recordOf = (row: { [K in keyof DestinationRecord]: unknown }): DestinationRecord =>
  ({
    ...row,
    isTls: row.isTls === 1,
    isEnabled: row.isEnabled === 1,
    isAutomatic: row.isAutomatic === 1,
    hasPriors: row.hasPriors === 1,
    modalities: JSON.parse(String(row.modalities)),
  }) as DestinationRecord
