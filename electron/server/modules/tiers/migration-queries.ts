import type { Database } from '#server/database/database.ts'
import { type Flag, rawQuery } from '#server/database/query.ts'
import type { MIGRATION_STATES } from '#shared/contract/tiers.ts'

type MigrationState = (typeof MIGRATION_STATES)[number]

/** Copying all current instances up to `throughId` to a tier. */
export interface MigrationRecord {
  readonly migrationId: number
  readonly tierId: string
  readonly state: MigrationState
  readonly throughId: number
  readonly queuedId: number
  readonly totalInstances: number
  readonly totalBytes: number
  readonly doneInstances: number
  readonly doneBytes: number
  readonly failedInstances: number
  readonly startedAt: string
  readonly endedAt: string | null
}

const SELECT = 'select * from tierMigrations'

/** The last migration to a tier. */
export const findMigration = (database: Database, tierId: string): MigrationRecord | undefined =>
  database.get(
    rawQuery<MigrationRecord>(`${SELECT} where tierId = ? order by migrationId desc limit 1`, [
      tierId,
    ]),
  )

/** Starts a migration of everything that is in the archive now. */
export function insertMigration(
  database: Database,
  tierId: string,
  throughId: number,
  at: string,
): void {
  const { instances, bytes } = database.get(
    rawQuery<{ instances: number | null; bytes: number | null }>(
      'select sum(instances) as instances, sum(bytes) as bytes from imageStudies',
      [],
    ),
  ) ?? { instances: 0, bytes: 0 }
  database.run(
    rawQuery(
      `insert into tierMigrations (tierId, state, throughId, totalInstances, totalBytes, startedAt)
       values (?, 'running', ?, ?, ?, ?)`,
      [tierId, throughId, instances ?? 0, bytes ?? 0, at],
    ),
  )
}

export const setMigrationState = (
  database: Database,
  migrationId: number,
  state: MigrationState,
  endedAt: string | null,
) =>
  database.run(
    rawQuery('update tierMigrations set state = ?, endedAt = ? where migrationId = ?', [
      state,
      endedAt,
      migrationId,
    ]),
  )

/** Counts instances of a migration that were copied, or have failed. */
export const countMigrationCopies = (
  database: Database,
  migrationId: number,
  { done = 0, bytes = 0, failed = 0 }: { done?: number; bytes?: number; failed?: number },
) =>
  database.run(
    rawQuery(
      `update tierMigrations set doneInstances = doneInstances + ?, doneBytes = doneBytes + ?,
       failedInstances = failedInstances + ? where migrationId = ?`,
      [done, bytes, failed, migrationId],
    ),
  )

/** After its failed copies were made due again. */
export const resetFailures = (database: Database, migrationId: number) =>
  database.run(
    rawQuery('update tierMigrations set failedInstances = 0 where migrationId = ?', [migrationId]),
  )

export const setLastQueuedInstanceId = (
  database: Database,
  migrationId: number,
  queuedId: number,
) =>
  database.run(
    rawQuery('update tierMigrations set queuedId = ? where migrationId = ?', [
      queuedId,
      migrationId,
    ]),
  )

/**
 * The instances that a migration comes to next, with their copy in the tier if there is one.
 * `isLost` is set if the copy is lost and the image can be fetched from nowhere else. Such a copy
 * keeps its state, so that a later verification can find it again.
 */
export const listInstancesToQueue = (
  database: Database,
  { tierId, queuedId, throughId }: MigrationRecord,
  limit: number,
) =>
  database.all(
    rawQuery<{
      readonly instanceId: number
      readonly file: string
      readonly bytes: number
      readonly state: string
      readonly copyId: number | null
      readonly copyState: string | null
      readonly isLost: Flag
    }>(
      `select n.instanceId, n.file, n.bytes, n.state, c.copyId, c.state as copyState,
         c.state is 'lost' and n.localRemovedAt is not null and not exists (
           select 1 from tierCopies o join tiers t on t.tierId = o.tierId and t.isEnabled = 1
           where o.instanceId = n.instanceId and o.state = 'stored')
         and not exists (select 1 from tiers where kind <> 's3' and isEnabled = 1) as isLost
       from instances n left join tierCopies c on c.tierId = ? and c.instanceId = n.instanceId
       where n.instanceId > ? and n.instanceId <= ? order by n.instanceId limit ?`,
      [tierId, queuedId, throughId, limit],
    ),
  )

/** Lets a copy that is queued, has failed or was lost count for the migration. */
export const addCopyToMigration = (
  database: Database,
  copyId: number,
  migrationId: number,
  at: string,
) =>
  database.run(
    rawQuery(
      `update tierCopies set state = 'waiting', nextAt = ?, migrationId = ?, attempts = 0
       where copyId = ? and state in ('waiting', 'failed', 'lost')`,
      [at, migrationId, copyId],
    ),
  )

/** How many copies of a migration are still to be made. */
export const countQueuedCopies = (
  database: Database,
  migrationId: number,
  tierId: string,
): number =>
  database.get(
    rawQuery<{ count: number }>(
      `select count(*) as count from tierCopies
       where tierId = ? and nextAt is not null and state = 'waiting' and migrationId = ?`,
      [tierId, migrationId],
    ),
  )?.count ?? 0
