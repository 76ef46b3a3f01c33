import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { WITHDRAWN } from './instance-queries.ts'

/*
 * What MPPS or a commitment request says there is of a study. Which of it is here follows
 * `instances` by triggers.
 */

export interface AnnouncedInstance {
  readonly sopInstanceUid: string
  readonly seriesInstanceUid: string
}

// Its corrected copy is here (decision 0031), which was announced in its place.
const CORRECTED = (uid: string) =>
  `exists (select 1 from instances n where n.sopInstanceUid = ${uid} and n.state <> 'current' and n.state = 'superseded' and ${WITHDRAWN})`
const HERE = (
  uid: string,
) => `(exists (select 1 from instances where sopInstanceUid = ${uid} and state = 'current')
  or exists (select 1 from instances where sopInstanceUid = ${uid} and state <> 'current' and state = 'quarantined')
  or ${CORRECTED(uid)})`
const ANNOUNCE = `
  insert into announcedInstances (sopInstanceUid, studyInstanceUid, seriesInstanceUid, announcedAt, isHere)
  select ?, ?, ?, ?, ${HERE('?')} where not ${CORRECTED('?')}
  on conflict (sopInstanceUid) do nothing`
const EXPECTED = `
  select (select count(*) from announcedInstances where studyInstanceUid = ?) as announced,
    (select count(*) from announcedInstances where studyInstanceUid = ? and isHere = 0) as missing`
const BY_SERIES =
  'select seriesInstanceUid, count(*) as count from announcedInstances where studyInstanceUid = ? group by seriesInstanceUid'
const ONE_MISSING = `select 1 from json_each(?) where not ${HERE('value')} limit 1`

/** Naming an instance again changes nothing. */
export const announceInstances = (
  database: Database,
  studyInstanceUid: string,
  items: readonly AnnouncedInstance[],
  at: string,
): void =>
  database.transaction(() => {
    for (const { sopInstanceUid, seriesInstanceUid } of items)
      database.run(
        rawQuery(ANNOUNCE, [
          sopInstanceUid,
          studyInstanceUid,
          seriesInstanceUid,
          at,
          ...Array(4).fill(sopInstanceUid),
        ]),
      )
  })

/**
 * `expected`: null where none were announced; `missing`: those that are neither current nor
 * quarantined.
 */
export function countExpected(
  database: Database,
  studyInstanceUid: string,
): { expected: number | null; missing: number } {
  const row = database.get(
    rawQuery<{ announced: number; missing: number }>(EXPECTED, [
      studyInstanceUid,
      studyInstanceUid,
    ]),
  )
  return row === undefined || row.announced === 0
    ? { expected: null, missing: 0 }
    : { expected: row.announced, missing: row.missing }
}

/** Announced instances by series. */
export const countExpectedBySeries = (
  database: Database,
  studyInstanceUid: string,
): Map<string, number> =>
  new Map(
    database
      .all(rawQuery<{ seriesInstanceUid: string; count: number }>(BY_SERIES, [studyInstanceUid]))
      .map(({ seriesInstanceUid, count }) => [seriesInstanceUid, count]),
  )

/** Whether each of them is here, current or quarantined. */
export const areAllHere = (database: Database, sopInstanceUids: readonly string[]): boolean =>
  database.get(rawQuery(ONE_MISSING, [JSON.stringify(sopInstanceUids)])) === undefined

/** Forgets what was announced before the instant; the instances stay. How many there were. */
export const purgeAnnouncedInstances = (database: Database, before: string): number =>
  database.run(database.sql.deleteFrom('announcedInstances').where('announcedAt', '<', before))
    .changes
