import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { type StoredImageStudy, storedHeaderOf } from './image-study-row.ts'
import { patientKeyOf, retrievalWordsOf } from './retrieval-words.ts'

// Writes the index of C-FIND and QIDO-RS (decision 0054), within the transaction that changes a
// study.

/** JSON: the modalities of the series of the study `s` that have current instances. */
export const MODALITIES_OF_STUDY = `(select json_group_array(modality) from (
  select distinct modality from imageSeries e
  where e.studyInstanceUid = s.studyInstanceUid and e.instances > 0 and modality <> '' order by modality))`
const SELECT_STUDY = `select n.number, s.studyInstanceUid, s.sealedHeader, s.sealedHandedOut, ${MODALITIES_OF_STUDY} as modalities
  from imageStudies s cross join imageStudyNumbers n using (studyInstanceUid) where s.studyInstanceUid = ?`
const WRITE_STUDY = `insert into retrievalStudies (number, patientKey, studyDate, modalities) values (?, ?, ?, ?)
  on conflict do update set (patientKey, studyDate, modalities) = (excluded.patientKey, excluded.studyDate, excluded.modalities)`
const WRITE_WORDS = 'replace into retrievalWords (rowid, words) values (?, ?)'
// With the number in a subquery: an update from a join reads all of `retrievalStudies`.
const WRITE_MODALITIES = `update retrievalStudies
  set modalities = (select ${MODALITIES_OF_STUDY} from imageStudies s where s.studyInstanceUid = ?)
  where number = (select number from imageStudyNumbers where studyInstanceUid = ?)`

/** Adds a study to the index, or updates its entry. Does nothing if the study does not exist. */
export function indexForRetrieval(database: Database, studyInstanceUid: string): void {
  type Row = Pick<StoredImageStudy, 'studyInstanceUid' | 'sealedHeader' | 'sealedHandedOut'> & {
    readonly number: number
    readonly modalities: string
  }
  const row = database.get(rawQuery<Row>(SELECT_STUDY, [studyInstanceUid]))
  if (!row) return
  const header = storedHeaderOf(database.seal, row)
  const number = BigInt(row.number)
  const entry = [patientKeyOf(database, header), plainDate(header.studyDate), row.modalities]
  database.run(rawQuery(WRITE_STUDY, [number, ...entry]))
  database.run(rawQuery(WRITE_WORDS, [number, retrievalWordsOf(database, header)]))
}

/** Updates the modalities of a study in the index after those of its series have changed. */
export const indexModalities = (database: Database, studyInstanceUid: string): void => {
  database.run(rawQuery(WRITE_MODALITIES, [studyInstanceUid, studyInstanceUid]))
}

/** A DA as `YYYYMMDD`; '' if it is none. The form of ACR-NEMA, `2026.11.20`, is accepted. */
export const plainDate = (text: string): string =>
  /^\d{4}\.?\d\d\.?\d\d$/.test(text) ? text.replaceAll('.', '') : ''
