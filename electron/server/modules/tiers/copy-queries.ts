import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import type { ObjectEncryption } from './object-store.ts'

/** A copy of an instance in a tier. */
export interface CopyRecord {
  readonly copyId: number
  readonly tierId: string
  readonly instanceId: number
  readonly migrationId: number | null
  readonly objectKey: string
  readonly encryption: ObjectEncryption
  readonly bytes: number
  readonly sha256: Buffer | null
  readonly attempts: number
}

/** What is due for a tier: copying an instance, or deleting the object of a deleted one. */
export interface DueCopy extends CopyRecord {
  readonly state: 'waiting' | 'deleting'
}

const COLUMNS =
  'copyId, tierId, instanceId, migrationId, objectKey, encryption, bytes, sha256, attempts'
/** Copies of a paused migration wait. */
const IS_NOT_PAUSED = `(migrationId is null or state = 'deleting' or not exists (
  select 1 from tierMigrations m where m.migrationId = tierCopies.migrationId and m.state = 'paused'))`

/** Queues an instance for a tier; nothing happens if it is queued or stored already. */
export const queueCopy = (
  database: Database,
  copy: {
    readonly tierId: string
    readonly instanceId: number
    readonly migrationId: number | null
    readonly objectKey: string
    readonly at: string
  },
): boolean =>
  database.run(
    rawQuery(
      `insert into tierCopies (tierId, instanceId, migrationId, state, objectKey, nextAt)
       values (?, ?, ?, 'waiting', ?, ?) on conflict (tierId, instanceId) do nothing`,
      [copy.tierId, copy.instanceId, copy.migrationId, copy.objectKey, copy.at],
    ),
  ).changes > 0

export const listDueCopies = (
  database: Database,
  tierId: string,
  now: string,
  limit: number,
): DueCopy[] =>
  database.all(
    rawQuery<DueCopy>(
      `select ${COLUMNS}, state from tierCopies where tierId = ? and nextAt <= ? and ${IS_NOT_PAUSED}
       order by nextAt, copyId limit ?`,
      [tierId, now, limit],
    ),
  )

/** When the next copy of a tier is due. */
export const nextCopyDueAt = (database: Database, tierId: string): string | undefined =>
  database.get(
    rawQuery<{ nextAt: string }>(
      `select nextAt from tierCopies where tierId = ? and nextAt is not null
       and ${IS_NOT_PAUSED} order by nextAt limit 1`,
      [tierId],
    ),
  )?.nextAt

/**
 * Records a copy that the store has confirmed and that was read back. False if the instance was
 * deleted meanwhile, so that the object is to be deleted.
 */
export function recordCopyStored(
  database: Database,
  copyId: number,
  stored: {
    readonly bytes: number
    readonly sha256: Buffer
    readonly encryption: ObjectEncryption
    readonly at: string
  },
): boolean {
  const { bytes, sha256, encryption, at } = stored
  return (
    database.run(
      rawQuery(
        `update tierCopies set state = 'stored', bytes = ?, sha256 = ?, encryption = ?,
         copiedAt = ?, verifiedAt = ?, nextAt = null, lastError = ''
         where copyId = ? and state = 'waiting'`,
        [bytes, sha256, encryption, at, at, copyId],
      ),
    ).changes > 0
  )
}

/** Postpones a copy; with `isFailed` it is not tried again until someone asks for it. */
export function postponeCopy(
  database: Database,
  copyId: number,
  { nextAt, error, isCounted }: PostponedCopy,
): void {
  database.run(
    rawQuery(
      `update tierCopies set state = iif(? is null, 'failed', state),
       nextAt = ?, lastError = ?, attempts = attempts + ?
       where copyId = ? and state in ('waiting', 'deleting')`,
      [nextAt, nextAt, storedMessage(error), isCounted ? 1 : 0, copyId],
    ),
  )
}

export interface PostponedCopy {
  /** Null: it has failed. */
  readonly nextAt: string | null
  readonly error: Message
  readonly isCounted: boolean
}

export const deleteCopy = (database: Database, copyId: number) =>
  database.run(rawQuery('delete from tierCopies where copyId = ?', [copyId]))

/** Makes the failed and the waiting copies of a tier due now. */
export const retryCopies = (database: Database, tierId: string, at: string): number =>
  database.run(
    rawQuery(
      `update tierCopies set state = 'waiting', nextAt = ?, attempts = 0
       where tierId = ? and state <> 'stored' and state in ('waiting', 'failed')`,
      [at, tierId],
    ),
  ).changes

/**
 * Takes the copies that are still to be made out of a migration that was cancelled. Those of an
 * automatic tier stay queued, because received images are among them.
 */
export function dropQueuedCopies(
  database: Database,
  { tierId, migrationId }: { readonly tierId: string; readonly migrationId: number },
  isAutomatic: boolean,
): void {
  // With `<>`, SQLite uses the index of the copies that are not stored.
  const condition = `where tierId = ? and state <> 'stored' and state in ('waiting', 'failed')
    and migrationId = ?`
  const change = isAutomatic ? 'update tierCopies set migrationId = null' : 'delete from tierCopies'
  database.run(rawQuery(`${change} ${condition}`, [tierId, migrationId]))
}

/** Whether the instance is queued for the tier, or was copied to it. */
export const hasCopy = (database: Database, tierId: string, instanceId: number): boolean =>
  database.get(
    rawQuery('select 1 from tierCopies where tierId = ? and instanceId = ?', [tierId, instanceId]),
  ) !== undefined

/** Number of objects that are still to be deleted from the tier. */
export const countDeletions = (database: Database, tierId: string): number =>
  database.get(
    rawQuery<{ count: number }>(
      `select count(*) as count from tierCopies
       where tierId = ? and state <> 'stored' and state = 'deleting'`,
      [tierId],
    ),
  )?.count ?? 0

export const countCopies = (
  database: Database,
  tierId: string,
): Readonly<Record<'waiting' | 'failed' | 'lost', number>> => {
  const rows = database.all(
    rawQuery<{ state: string; count: number }>(
      `select state, count(*) as count from tierCopies where tierId = ? and state <> 'stored'
       group by state`,
      [tierId],
    ),
  )
  const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0
  return { waiting: of('waiting'), failed: of('failed'), lost: of('lost') }
}

/** Copies of an instance that a tier has confirmed, the most recently verified first. */
export const listStoredCopies = (database: Database, instanceId: number): CopyRecord[] =>
  database.all(
    rawQuery<CopyRecord>(
      `select ${COLUMNS} from tierCopies where instanceId = ? and state = 'stored'
       order by verifiedAt desc, copyId`,
      [instanceId],
    ),
  )

/**
 * Copies that were stored at some time, in the order of their keys, after one of them. The store may
 * have the object of a lost one again, or of one that could not be copied again.
 */
export const listCopiesByKey = (
  database: Database,
  tierId: string,
  after: string,
  limit: number,
): CopyRecord[] =>
  database.all(
    rawQuery<CopyRecord>(
      `select ${COLUMNS} from tierCopies where tierId = ? and objectKey > ?
       and (state in ('stored', 'lost') or (state = 'failed' and sha256 is not null))
       order by objectKey limit ?`,
      [tierId, after, limit],
    ),
  )

/** Records that the content of a copy was compared and is the recorded one. */
export const recordCopyVerified = (database: Database, copyId: number, at: string) =>
  database.run(
    rawQuery(
      `update tierCopies set state = 'stored', verifiedAt = ?, lastError = '' where copyId = ?
       and state in ('stored', 'lost', 'failed')`,
      [at, copyId],
    ),
  )

/**
 * Records that a copy is missing or changed; `nextAt` if it is to be copied again, which counts for
 * no migration.
 */
export const recordCopyLost = (
  database: Database,
  copyId: number,
  error: Message,
  nextAt: string | null,
) =>
  database.run(
    rawQuery(
      `update tierCopies set state = ?, nextAt = ?, lastError = ?, attempts = 0, migrationId = null
       where copyId = ? and state in ('stored', 'lost', 'failed')`,
      [nextAt === null ? 'lost' : 'waiting', nextAt, storedMessage(error), copyId],
    ),
  )
