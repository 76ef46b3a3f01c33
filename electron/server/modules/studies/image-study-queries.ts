import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { type ImageStudyRecord, imageStudyOf, type StoredImageStudy } from './image-study-row.ts'
import { identityOf } from './study-identity.ts'
import { findStudyByUid } from './study-queries.ts'

/*
 * Studies with images, their announced instances, and whether their identity is a mismatch. They
 * are written by the module `images`.
 */

/** Whether images of the study `s` were corrected. Corrections that were undone do not count. */
const IS_CORRECTED = `(
  exists (select 1 from corrections c where c.fromStudyInstanceUid = s.studyInstanceUid and c.undoneAt is null)
  or exists (select 1 from corrections c where c.toStudyInstanceUid = s.studyInstanceUid and c.undoneAt is null))`
/**
 * For the study `s`: a quarantined version of one of its current images that has not been decided
 * on; null if there is none.
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
const WITHOUT_MISMATCH =
  'select studyInstanceUid from imageStudies where isMismatched is null limit ?'

/**
 * Reads studies with images.
 * @param clause the conditions on the row `s`, and the order
 */
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

/**
 * Whether the study was retrieved as a prior study. A cheap lookup, because it is needed for every
 * received instance.
 */
export const isStudyFetched = (database: Database, studyInstanceUid: string): boolean =>
  hasStudyFlag(database, 'isFetched', studyInstanceUid)

/** Whether the identity state of the study is `mismatch`, see `identityOf`. */
export const isStudyMismatched = (database: Database, studyInstanceUid: string): boolean =>
  hasStudyFlag(database, 'isMismatched', studyInstanceUid)

const hasStudyFlag = (database: Database, flag: 'isFetched' | 'isMismatched', uid: string) =>
  database.get(
    rawQuery(`select 1 from imageStudies where studyInstanceUid = ? and ${flag} = 1`, [uid]),
  ) !== undefined

/** Recomputes `isMismatched` after the images or the study of the interface have changed. */
export function updateMismatch(database: Database, studyInstanceUid: string): void {
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) return
  const isMismatch =
    identityOf(study, findStudyByUid(database, 'scribe', studyInstanceUid)).state === 'mismatch'
  const wasMismatch = isStudyMismatched(database, studyInstanceUid)
  database.run(rawQuery(SET_MISMATCHED, [Number(isMismatch), studyInstanceUid, Number(isMismatch)]))
  if (wasMismatch && !isMismatch) database.notify('mismatches')
}

/** Whether there are studies for which `isMismatched` has not been computed. */
export const hasUncomputedMismatch = (database: Database): boolean =>
  database.get(rawQuery(WITHOUT_MISMATCH, [1])) !== undefined

/**
 * Computes `isMismatched` for at most `count` studies for which it has not been computed. Returns
 * whether there are more.
 */
export const computeMissingMismatches = (database: Database, count: number): boolean =>
  database.transaction(() => {
    const studies = database.all(rawQuery<{ studyInstanceUid: string }>(WITHOUT_MISMATCH, [count]))
    for (const { studyInstanceUid } of studies) updateMismatch(database, studyInstanceUid)
    return studies.length === count
  })
