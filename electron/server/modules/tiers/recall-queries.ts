import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

// Files that were fetched from a tier. They may be removed from this PC again, the oldest first.

export const recordRecalled = (database: Database, instanceId: number, bytes: number, at: string) =>
  database.run(
    rawQuery(
      'insert or replace into tierRecalls (instanceId, recalledAt, bytes) values (?, ?, ?)',
      [instanceId, at, bytes],
    ),
  )

export const recalledBytes = (database: Database): number =>
  database.get(
    rawQuery<{ bytes: number | null }>('select sum(bytes) as bytes from tierRecalls', []),
  )?.bytes ?? 0

/** The files that were fetched first, and are kept in a tier still. */
export const listOldestRecalls = (database: Database, limit: number) =>
  database.all(
    rawQuery<{
      readonly instanceId: number
      readonly file: string
      readonly bytes: number
      readonly localRemovedAt: string | null
    }>(
      `select n.instanceId, n.file, r.bytes, n.localRemovedAt from tierRecalls r
       join instances n on n.instanceId = r.instanceId
       where n.localRemovedAt is null and ${IS_IN_TIER}
       order by r.recalledAt, r.instanceId limit ?`,
      [limit],
    ),
  )

const IS_IN_TIER = `exists (
  select 1 from tierCopies c join tiers t on t.tierId = c.tierId
  where c.instanceId = n.instanceId and c.state = 'stored' and t.isEnabled = 1)`

export const isInTier = (database: Database, instanceId: number): boolean =>
  database.get(
    rawQuery(`select 1 from instances n where n.instanceId = ? and ${IS_IN_TIER}`, [instanceId]),
  ) !== undefined
