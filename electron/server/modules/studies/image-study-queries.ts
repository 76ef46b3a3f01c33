import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { type ImageStudyRecord, imageStudyOf, type StoredImageStudy } from './image-study-row.ts'
import { identityOf } from './study-identity.ts'
import { findStudyByUid } from './study-queries.ts'

/*
 * Studies with images, with what was announced of them, and whether their identity is a mismatch.
 * Module `images` writes them.
 */

/**
 * Whether images of the study `s` were corrected; of one correction that was undone nothing is
 * left.
 */
const IS_CORRECTED = `(
  exists (select 1 from corrections c where c.fromStudyInstanceUid = s.studyInstanceUid and c.undoneAt is null)
  or exists (select 1 from corrections c where c.toStudyInstanceUid = s.studyInstanceUid and c.undoneAt is null))`
/**
 * Of the study `s`: a version of one of its current images that was found and set aside, about
 * which nobody has decided; null where there is none.
 */
const IN_DOUBT = `(
  select json_object('instanceId', q.instanceId, 'studyInstanceUid', q.studyInstanceUid, 'header', hex(f.sealedHeader))
  from foundVersions f
    cross join instances q on q.instanceId = f.instanceId and q.state = 'quarantined'
    cross join instances n on n.sopInstanceUid = f.otherUid and n.state = 'current' and n.studyInstanceUid = s.studyInstanceUid
  limit 1)`
const SELECT = `
  select s.*,
    (select count(*) from announcedInstances a where a.studyInstanceUid = s.studyInstanceUid) as announced,
    (select count(*) from announcedInstances a where a.studyInstanceUid = s.studyInstanceUid and a.isHere = 0) as missing,
    ${IS_CORRECTED} as isCorrected,
    ${IN_DOUBT} as inDoubt,
    (select json_group_array(modality) from (
      select distinct modality from imageSeries r
      where r.studyInstanceUid = s.studyInstanceUid and r.instances > 0 and modality <> '' order by modality)) as modalities
  from imageStudies s`
const SET_MISMATCHED =
  'update imageStudies set isMismatched = ? where studyInstanceUid = ? and isMismatched is not ?'
const UNCOMPARED = 'select studyInstanceUid from imageStudies where isMismatched is null limit ?'

/** `clause`: conditions on the row `s`, and the order. */
export const readImageStudies = (
  database: Database,
  clause: string,
  ...parameters: string[]
): ImageStudyRecord[] =>
  database
    .all(rawQuery<StoredImageStudy>(`${SELECT} ${clause}`, parameters))
    .map((row) => imageStudyOf(database.seal, row))

export const findImageStudy = (
  database: Database,
  studyInstanceUid: string,
): ImageStudyRecord | undefined =>
  readImageStudies(database, 'where s.studyInstanceUid = ?', studyInstanceUid)[0]

/** `isFetched` of the record, for every instance that is sent again. */
export const isStudyFetched = (database: Database, studyInstanceUid: string): boolean =>
  isStudyWith(database, 'isFetched', studyInstanceUid)

/** Whether the state is `mismatch` by `identityOf`. */
export const isStudyMismatched = (database: Database, studyInstanceUid: string): boolean =>
  isStudyWith(database, 'isMismatched', studyInstanceUid)

const isStudyWith = (database: Database, flag: 'isFetched' | 'isMismatched', uid: string) =>
  database.get(
    rawQuery(`select 1 from imageStudies where studyInstanceUid = ? and ${flag} = 1`, [uid]),
  ) !== undefined

/** After the study of the interface was created or changed: `isMismatched` is computed anew. */
export function compareIdentity(database: Database, studyInstanceUid: string): void {
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) return
  const isNow =
    identityOf(study, findStudyByUid(database, 'scribe', studyInstanceUid)).state === 'mismatch'
  const was = isStudyMismatched(database, studyInstanceUid)
  database.run(rawQuery(SET_MISMATCHED, [Number(isNow), studyInstanceUid, Number(isNow)]))
  if (was && !isNow) database.notify('mismatches')
}

/** Whether there are studies of which `isMismatched` was never computed. */
export const isAnyUncompared = (database: Database): boolean =>
  database.get(rawQuery(UNCOMPARED, [1])) !== undefined

/** Computes `isMismatched` of so many studies of which it never was. Whether there are more. */
export const compareUncompared = (database: Database, count: number): boolean =>
  database.transaction(() => {
    const uncompared = database.all(rawQuery<{ studyInstanceUid: string }>(UNCOMPARED, [count]))
    for (const { studyInstanceUid } of uncompared) compareIdentity(database, studyInstanceUid)
    return uncompared.length === count
  })
