import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { IN_TIER_CONDITION } from '#server/modules/images/instance-copy-queries.ts'

// Files that were fetched from a tier. They may be removed from this PC again, the oldest first.

export const recordRecall = (database: Database, instanceId: number, bytes: number, at: string) =>
  database.run(
    rawQuery(
      'insert or replace into tierRecalls (instanceId, recalledAt, bytes) values (?, ?, ?)',
      [instanceId, at, bytes],
    ),
  )

export const sumRecalledBytes = (database: Database): number =>
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
       where n.localRemovedAt is null and ${IS_IN_TIER} and ${IS_NOT_RETAINED}
       order by r.recalledAt, r.instanceId limit ?`,
      [limit],
    ),
  )

const IS_IN_TIER = `exists (select 1 from tierCopies c join tiers t using (tierId)
  where c.instanceId = n.instanceId and ${IN_TIER_CONDITION})`
/** Nothing demands that the file stays on this PC. */
const IS_NOT_RETAINED = `n.state = 'current' and not exists (
    select 1 from legalHolds h where h.studyInstanceUid = n.studyInstanceUid and h.liftedAt is null)
  and not exists (
    select 1 from forwards f where f.instanceId = n.instanceId and f.state in ('waiting', 'failed'))`

/** Whether the file may be removed from this PC again. */
export const isRemovable = (database: Database, instanceId: number): boolean =>
  database.get(
    rawQuery(
      `select 1 from instances n where n.instanceId = ? and ${IS_IN_TIER} and ${IS_NOT_RETAINED}`,
      [instanceId],
    ),
  ) !== undefined
