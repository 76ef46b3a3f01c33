import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import {
  type InstanceRecord,
  IS_NO_REJECTION_NOTE,
} from '#server/modules/images/instance-queries.ts'

/** An instance that a retrieval selected. */
export type SelectedInstance = Pick<
  InstanceRecord,
  'instanceId' | 'sopInstanceUid' | 'studyInstanceUid'
>

/** UIDs of the instances to select. An empty list matches everything; not all may be empty. */
export interface SelectedUids {
  readonly studyInstanceUids: readonly string[]
  readonly seriesInstanceUids: readonly string[]
  readonly sopInstanceUids: readonly string[]
}

/**
 * Lists current instances by their UIDs, without rejection notes, in the order of study, series and
 * reception; at most `limit`.
 */
export function listSelectedInstances(
  database: Database,
  { studyInstanceUids, seriesInstanceUids, sopInstanceUids }: SelectedUids,
  limit: number,
): SelectedInstance[] {
  // A unary plus keeps a condition from choosing the index: a SOP Instance UID finds one row, a
  // study all of its rows.
  const ofStudy = sopInstanceUids.length > 0 ? '+studyInstanceUid' : 'studyInstanceUid'
  const conditions = (
    [
      ['sopInstanceUid', sopInstanceUids],
      [ofStudy, studyInstanceUids],
      ['+seriesInstanceUid', seriesInstanceUids],
    ] as const
  ).filter(([, uids]) => uids.length > 0)
  const where = conditions.map(([column]) => `${column} in (select value from json_each(?))`)
  const text = `select instanceId, sopInstanceUid, studyInstanceUid from instances
    where ${[...where, `state = 'current'`, IS_NO_REJECTION_NOTE].join(' and ')}
    order by studyInstanceUid, seriesInstanceUid, instanceId limit ?`
  const lists = conditions.map(([, uids]) => JSON.stringify(uids))
  return database.all(rawQuery<SelectedInstance>(text, [...lists, limit]))
}

/** The file of a selected instance. */
export type StoredFile = Pick<
  InstanceRecord,
  | 'instanceId'
  | 'sopInstanceUid'
  | 'sopClassUid'
  | 'transferSyntaxUid'
  | 'file'
  | 'dataSetOffset'
  | 'bytes'
  | 'localRemovedAt'
>

/** The files of those instances that are still current, by instance id. */
export function readStoredFiles(
  database: Database,
  instanceIds: readonly number[],
): ReadonlyMap<number, StoredFile> {
  const text = `select instanceId, sopInstanceUid, sopClassUid, transferSyntaxUid, file, dataSetOffset, bytes,
      localRemovedAt
    from instances where instanceId in (select value from json_each(?)) and state = 'current'`
  const rows = database.all(rawQuery<StoredFile>(text, [JSON.stringify(instanceIds)]))
  return new Map(rows.map((row) => [row.instanceId, row]))
}
