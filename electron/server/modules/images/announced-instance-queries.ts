import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { WITHDRAWN_CONDITION } from './instance-queries.ts'

// Instances that MPPS or a commitment request announced. Triggers on `instances` keep track of
// which of them have been received.

export interface AnnouncedInstance {
  readonly sopInstanceUid: string
  readonly seriesInstanceUid: string
}

// The instance was replaced by a corrected copy (decision 0031), which was announced instead.
const isCorrectedCondition = (uid: string) =>
  `exists (select 1 from instances n where n.sopInstanceUid = ${uid} and n.state <> 'current' and n.state = 'superseded' and ${WITHDRAWN_CONDITION})`
const isReceivedCondition = (
  uid: string,
) => `(exists (select 1 from instances where sopInstanceUid = ${uid} and state = 'current')
  or exists (select 1 from instances where sopInstanceUid = ${uid} and state <> 'current' and state = 'quarantined')
  or ${isCorrectedCondition(uid)})`
const INSERT_ANNOUNCED = `
  insert into announcedInstances (sopInstanceUid, studyInstanceUid, seriesInstanceUid, announcedAt, isHere)
  select ?, ?, ?, ?, ${isReceivedCondition('?')} where not ${isCorrectedCondition('?')}
  on conflict (sopInstanceUid) do nothing`
const COUNT_EXPECTED = `
  select (select count(*) from announcedInstances where studyInstanceUid = ?) as announced,
    (select count(*) from announcedInstances where studyInstanceUid = ? and isHere = 0) as missing`
const COUNT_EXPECTED_BY_SERIES =
  'select seriesInstanceUid, count(*) as count from announcedInstances where studyInstanceUid = ? group by seriesInstanceUid'
const SELECT_MISSING = `select 1 from json_each(?) where not ${isReceivedCondition('value')} limit 1`

/** Records announced instances; those already announced are ignored. */
export const announceInstances = (
  database: Database,
  studyInstanceUid: string,
  items: readonly AnnouncedInstance[],
  at: string,
): void =>
  database.transaction(() => {
    for (const { sopInstanceUid, seriesInstanceUid } of items)
      database.run(
        rawQuery(INSERT_ANNOUNCED, [
          sopInstanceUid,
          studyInstanceUid,
          seriesInstanceUid,
          at,
          ...Array(4).fill(sopInstanceUid),
        ]),
      )
  })

/**
 * `expected`: number of announced instances; null if none were. `missing`: those that are neither
 * current nor quarantined.
 */
export function countExpected(
  database: Database,
  studyInstanceUid: string,
): { expected: number | null; missing: number } {
  const row = database.get(
    rawQuery<{ announced: number; missing: number }>(COUNT_EXPECTED, [
      studyInstanceUid,
      studyInstanceUid,
    ]),
  )
  return row === undefined || row.announced === 0
    ? { expected: null, missing: 0 }
    : { expected: row.announced, missing: row.missing }
}

/** Number of announced instances by series. */
export const countExpectedBySeries = (
  database: Database,
  studyInstanceUid: string,
): Map<string, number> =>
  new Map(
    database
      .all(
        rawQuery<{ seriesInstanceUid: string; count: number }>(COUNT_EXPECTED_BY_SERIES, [
          studyInstanceUid,
        ]),
      )
      .map(({ seriesInstanceUid, count }) => [seriesInstanceUid, count]),
  )

/** Whether all instances have been received, whether current or quarantined. */
export const areAllReceived = (database: Database, sopInstanceUids: readonly string[]): boolean =>
  database.get(rawQuery(SELECT_MISSING, [JSON.stringify(sopInstanceUids)])) === undefined

/**
 * Deletes announcements made before the given time, but not the instances; returns their number.
 */
export const purgeAnnouncedInstances = (database: Database, before: string): number =>
  database.run(database.sql.deleteFrom('announcedInstances').where('announcedAt', '<', before))
    .changes
