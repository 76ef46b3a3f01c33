import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { WITHDRAWN } from '#server/modules/corrections/correction-queries.ts'

/**
 * What MPPS or a commitment request says there is of a study. Which of it is here follows
 * `instances` by triggers.
 */
export interface AnnouncedInstances {
  /** Naming an instance again changes nothing. */
  announce(studyInstanceUid: string, items: readonly AnnouncedInstance[], at: string): void
  /**
   * `expected`: null where none were announced; `missing`: those that are neither current nor
   * quarantined.
   */
  expectedOf(studyInstanceUid: string): { expected: number | null; missing: number }
  /** Announced instances by series. */
  expectedBySeries(studyInstanceUid: string): Map<string, number>
  /** Whether each of them is here, current or quarantined. */
  allHere(sopInstanceUids: readonly string[]): boolean
  /** Forgets what was announced before the instant; the instances stay. How many there were. */
  purgeAnnounced(before: string): number
}

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

export function announcedInstances(db: Database): AnnouncedInstances {
  return {
    announce: (studyInstanceUid, items, at) =>
      db.transaction(() => {
        for (const { sopInstanceUid, seriesInstanceUid } of items)
          db.run(
            rawQuery(ANNOUNCE, [
              sopInstanceUid,
              studyInstanceUid,
              seriesInstanceUid,
              at,
              ...Array(4).fill(sopInstanceUid),
            ]),
          )
      }),
    expectedOf(studyInstanceUid) {
      const row = db.get(
        rawQuery<{ announced: number; missing: number }>(EXPECTED, [
          studyInstanceUid,
          studyInstanceUid,
        ]),
      )
      return row === undefined || row.announced === 0
        ? { expected: null, missing: 0 }
        : { expected: row.announced, missing: row.missing }
    },
    expectedBySeries: (studyInstanceUid) =>
      new Map(
        db
          .all(
            rawQuery<{ seriesInstanceUid: string; count: number }>(BY_SERIES, [studyInstanceUid]),
          )
          .map(({ seriesInstanceUid, count }) => [seriesInstanceUid, count]),
      ),
    allHere: (sopInstanceUids) =>
      db.get(rawQuery(ONE_MISSING, [JSON.stringify(sopInstanceUids)])) === undefined,
    purgeAnnounced: (before) =>
      db.run(db.sql.deleteFrom('announcedInstances').where('announcedAt', '<', before)).changes,
  }
}
