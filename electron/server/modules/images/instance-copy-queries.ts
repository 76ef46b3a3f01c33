import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

// Copies of instances that other systems have confirmed (decision 0061). Only these permit removing
// a local file.

/** commitment: by storage commitment; read-back: retrieved from there and compared. */
export type CopyKind = 'commitment' | 'read-back'

/** A confirmed copy of an instance. */
export interface InstanceCopy {
  readonly instanceId: number
  readonly destinationId: string
  readonly destinationName: string
  readonly kind: CopyKind
  readonly confirmedAt: string
}

/** When a place became another node or server; '' if it never did. @param placeId an SQL expression */
const movedAtOf = (placeId: string) =>
  `ifnull((select movedAt from movedPlaces where placeId = ${placeId}), '')`

/**
 * Condition on the copy `c` in the tier `t`: it was read back from the present server, and its
 * checksum compared.
 */
export const IN_TIER_CONDITION = `c.state = 'stored' and t.isEnabled = 1
  and c.verifiedAt > ${movedAtOf('c.tierId')}`

/** Condition on the copy `o` in another tier, which may be off: the present server has it. */
export const OTHER_TIER_CONDITION = `o.state = 'stored' and o.verifiedAt > ${movedAtOf('o.tierId')}`

/** Condition on the row `c` of `instanceCopies`: the present node has confirmed it. */
export const BY_PRESENT_NODE_CONDITION = `c.confirmedAt > ${movedAtOf('c.destinationId')}`

/** Records that a destination or tier is now another node or server. */
export const markMoved = (database: Database, placeId: string, movedAt: string) =>
  database.run(rawQuery('insert or replace into movedPlaces values (?, ?)', [placeId, movedAt]))

/** Lets all confirmations of the place count again. */
export const unmarkMoved = (database: Database, placeId: string) =>
  database.run(rawQuery('delete from movedPlaces where placeId = ?', [placeId]))

export const findMovedAt = (database: Database, placeId: string): string | undefined =>
  database.get(
    rawQuery<{ movedAt: string }>('select movedAt from movedPlaces where placeId = ?', [placeId]),
  )?.movedAt

/** Records that a destination has confirmed the instances. */
export function recordCopies(
  database: Database,
  instanceIds: readonly number[],
  copy: Omit<InstanceCopy, 'instanceId'>,
): void {
  const { destinationId, kind, destinationName, confirmedAt } = copy
  for (const instanceId of instanceIds)
    database.run(
      rawQuery(
        `insert into instanceCopies (instanceId, destinationId, kind, destinationName, confirmedAt)
          values (?, ?, ?, ?, ?)
          on conflict (instanceId, destinationId, kind) do update set confirmedAt = excluded.confirmedAt`,
        [instanceId, destinationId, kind, destinationName, confirmedAt],
      ),
    )
}

/**
 * The places where a copy of each instance is confirmed today: those whose destination still
 * exists, and tiers that are in use. An instance without one is not in the map.
 */
export function listConfirmedPlaces(
  database: Database,
  instanceIds: readonly number[],
): Map<number, ReadonlySet<string>> {
  const rows = database.all(
    rawQuery<{ instanceId: number; place: string }>(
      `with wanted as (select value as instanceId from json_each(?))
        select c.instanceId, 'destination ' || c.destinationId as place
        from wanted join instanceCopies c using (instanceId) join destinations using (destinationId)
        where ${BY_PRESENT_NODE_CONDITION}
        union all
        select c.instanceId, 'tier ' || c.tierId
        from wanted join tierCopies c using (instanceId) join tiers t using (tierId)
        where ${IN_TIER_CONDITION}`,
      [JSON.stringify(instanceIds)],
    ),
  )
  const places = new Map<number, Set<string>>()
  for (const { instanceId, place } of rows) {
    const known = places.get(instanceId) ?? new Set()
    places.set(instanceId, known.add(place))
  }
  return places
}

/** Whether another system has confirmed a copy of the instance, at any time. */
export const wasCopied = (database: Database, instanceId: number): boolean =>
  database.get(
    rawQuery(
      `select 1 from instanceCopies where instanceId = ?
        union all select 1 from tierCopies where instanceId = ? and state in ('stored', 'lost')`,
      [instanceId, instanceId],
    ),
  ) !== undefined

/** An instance of which another system has confirmed a copy. */
export interface CopiedInstance {
  readonly instanceId: number
  readonly file: string
  readonly bytes: number
  readonly localRemovedAt: string | null
}

/** Returns up to `limit` of them with an id greater than `after`, ordered by id. */
export const listCopiedInstances = (database: Database, after: number, limit: number) =>
  database.all(
    rawQuery<CopiedInstance>(
      `select instanceId, file, bytes, localRemovedAt from instances n where instanceId > ? and (
         exists (select 1 from instanceCopies c where c.instanceId = n.instanceId)
         or exists (select 1 from tierCopies c where c.instanceId = n.instanceId and c.state = 'stored'))
       order by instanceId limit ?`,
      [after, limit],
    ),
  )

/** A place that holds confirmed copies of a study. */
export interface StudyCopy {
  readonly destinationId: string
  readonly destinationName: string
  readonly kind: CopyKind | 'tier'
  readonly instances: number
  readonly confirmedAt: string
}

/** The places that hold confirmed copies of the study's current instances. */
export const listStudyCopies = (database: Database, studyInstanceUid: string): StudyCopy[] =>
  database.all(
    rawQuery<StudyCopy>(
      `select c.destinationId, max(c.destinationName) as destinationName, c.kind,
          count(*) as instances, max(c.confirmedAt) as confirmedAt
        from instances n join instanceCopies c using (instanceId)
        where n.studyInstanceUid = ? and n.state = 'current'
        group by c.destinationId, c.kind
      union all
      select c.tierId, t.name, 'tier', count(*), max(c.verifiedAt)
        from instances n join tierCopies c using (instanceId) join tiers t using (tierId)
        where n.studyInstanceUid = ? and n.state = 'current' and ${IN_TIER_CONDITION}
        group by c.tierId order by 2, 3`,
      [studyInstanceUid, studyInstanceUid],
    ),
  )

/**
 * Withdraws the confirmations of a destination that is now another node. Those of instances whose
 * file was removed stay, because they say where the images were kept; they no longer permit removing
 * a file that has returned. A result that the former node sends later belongs to no request.
 */
export function withdrawConfirmations(database: Database, destinationId: string, at: string): void {
  database.run(
    rawQuery(
      `delete from instanceCopies where destinationId = ? and instanceId not in
        (select instanceId from instances where localRemovedAt is not null)`,
      [destinationId],
    ),
  )
  const isLeft = database.get(
    rawQuery('select 1 from instanceCopies where destinationId = ? limit 1', [destinationId]),
  )
  if (isLeft) markMoved(database, destinationId, at)
  database.run(
    rawQuery(
      `update confirmations set state = 'given-up', transactionUid = null, attempts = 0,
         nextAt = null, lastError = '', updatedAt = ? where destinationId = ?`,
      [at, destinationId],
    ),
  )
}

/**
 * Requests confirmations of all studies that were sent to the destination, except those that have
 * been requested already.
 */
export function requestConfirmations(database: Database, destinationId: string, at: string): void {
  database.run(
    rawQuery(
      `insert into confirmations (destinationId, studyInstanceUid, state, nextAt, updatedAt)
       select destinationId, studyInstanceUid, 'waiting', ?, ? from forwardedStudies
       where destinationId = ? and sent > 0
       on conflict (destinationId, studyInstanceUid) do update set state = 'waiting',
         attempts = 0, nextAt = excluded.nextAt, lastError = '', updatedAt = excluded.updatedAt
         where state = 'given-up'`,
      [at, at, destinationId],
    ),
  )
  database.notify('confirmations')
}

const OTHER_MOVED_AT = movedAtOf('o.destinationId')

/** Number of instances without a local file that only this destination holds. */
export const countHeldOnlyBy = (database: Database, destinationId: string): number =>
  database.get(
    rawQuery<{ count: number }>(
      `select count(*) as count from instanceCopies c join instances n using (instanceId)
        where c.destinationId = ? and n.localRemovedAt is not null and not exists (
          select 1 from instanceCopies o join destinations d on d.destinationId = o.destinationId
          where o.instanceId = c.instanceId and o.destinationId <> c.destinationId
            and o.confirmedAt > ${OTHER_MOVED_AT})
          and not exists (
            select 1 from tierCopies o where o.instanceId = c.instanceId and ${OTHER_TIER_CONDITION})`,
      [destinationId],
    ),
  )?.count ?? 0
