import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { type StoredImageStudy, storedHeaderOf } from '#server/modules/studies/image-study-row.ts'
import { MODALITIES_OF_STUDY } from '#server/modules/studies/retrieval-index-queries.ts'
import type { FoundStudy, PatientTotals } from './found.ts'

// Reads the studies that may match a query from the index (decision 0054).

/** How the studies that may match are looked up. */
export type CandidateSource =
  | { readonly by: 'uid'; readonly studyUids: readonly string[] }
  | { readonly by: 'patient'; readonly patientKeys: readonly Buffer[] }
  | {
      readonly by: 'words'
      readonly table: 'retrievalWords' | 'imageStudyWords'
      /** For FTS5. */
      readonly expression: string
    }
  | ({ readonly by: 'modality'; readonly modality: string } & DateRange)
  | ({ readonly by: 'date' } & DateRange)

/** `YYYYMMDD`, both inclusive. */
export interface DateRange {
  readonly from: string
  readonly to: string
}

/** A row of the index. */
export interface IndexedStudy {
  readonly number: number
  readonly studyDate: string
  /** JSON: strings. */
  readonly modalities: string
}

/** Rows of the index per read. */
export const INDEX_ROWS_PER_READ = 500

const SELECT_INDEXED = 'select r.number, r.studyDate, r.modalities'
const IN_DATES = 'r.studyDate between ? and ?'
const BY_DATE = `${IN_DATES} and (r.studyDate, r.number) < (?, ?)
  order by r.studyDate desc, r.number desc limit ${INDEX_ROWS_PER_READ}`
const OF_MODALITY = 'from retrievalModalities r where r.modality = ?'

/** The place after which reading continues. */
export type Position = Pick<IndexedStudy, 'studyDate' | 'number'>
export const START_POSITION: Position = { studyDate: '99999999', number: Number.MAX_SAFE_INTEGER }

/** The next rows of a source in its order, the newest first. */
export function listCandidates(
  database: Database,
  source: CandidateSource,
  { studyDate, number }: Position,
): IndexedStudy[] {
  const rows = (text: string, ...parameters: readonly unknown[]) =>
    database.all(rawQuery<IndexedStudy>(text, parameters))
  const before = BigInt(number)
  // As a bound of its own, because SQLite would otherwise begin at the end of the range each time.
  const upperBound = ({ to }: DateRange) => (studyDate < to ? studyDate : to)
  switch (source.by) {
    case 'uid':
      // A study may not be in the index yet. The plus signs keep SQLite from scanning all numbers.
      return rows(
        `select number, '' as studyDate, '[]' as modalities from imageStudyNumbers
          where studyInstanceUid in (select value from json_each(?)) and +number < ?
          order by +number desc limit ${INDEX_ROWS_PER_READ}`,
        ...[JSON.stringify(source.studyUids), before],
      )
    case 'patient':
      return rows(
        `${SELECT_INDEXED} from retrievalStudies r
          where r.patientKey in (${source.patientKeys.map(() => '?').join(', ')}) and r.number < ?
          order by r.number desc limit ${INDEX_ROWS_PER_READ}`,
        ...[...source.patientKeys, before],
      )
    case 'words':
      return rows(
        `${SELECT_INDEXED} from ${source.table} w cross join retrievalStudies r on r.number = w.rowid
          where ${source.table} match ? and w.rowid < ? order by w.rowid desc limit ${INDEX_ROWS_PER_READ}`,
        ...[source.expression, before],
      )
    case 'modality':
      return rows(
        `${SELECT_INDEXED} from (select r.number ${OF_MODALITY} and ${BY_DATE}) m
          cross join retrievalStudies r using (number)`,
        ...[source.modality, source.from, upperBound(source), studyDate, before],
      )
    case 'date':
      return rows(
        `${SELECT_INDEXED} from retrievalStudies r where ${BY_DATE}`,
        ...[source.from, upperBound(source), studyDate, before],
      )
  }
}

const COUNT_BY_MODALITY = `select count(*) as count from (select 1 ${OF_MODALITY} and ${IN_DATES} limit ?)`
const COUNT_BY_DATE = `select count(*) as count from (select 1 from retrievalStudies r where ${IN_DATES} limit ?)`

/** The number of rows of a range of dates, at most `limit`. */
export function countIndexedStudies(
  database: Database,
  source: Extract<CandidateSource, { by: 'modality' | 'date' }>,
  limit: number,
): number {
  const range = [source.from, source.to, limit]
  const [row] = database.all(
    source.by === 'modality'
      ? rawQuery<{ count: number }>(COUNT_BY_MODALITY, [source.modality, ...range])
      : rawQuery<{ count: number }>(COUNT_BY_DATE, range),
  )
  return row?.count ?? 0
}

const SELECT_CANDIDATES_SQL = `select n.number, s.studyInstanceUid, s.sealedHeader, s.sealedHandedOut, s.instances, s.series,
    ifnull(r.modalities, ${MODALITIES_OF_STUDY}) as modalities
  from json_each(?) j cross join imageStudyNumbers n on n.number = j.value
    cross join imageStudies s using (studyInstanceUid) left join retrievalStudies r on r.number = n.number
  where s.instances > 0 order by j.key`

type CandidateRow = Pick<
  StoredImageStudy,
  'studyInstanceUid' | 'sealedHeader' | 'sealedHandedOut' | 'instances' | 'series' | 'modalities'
>

/** Reads studies with current images, in the order of their numbers in the list. */
export const readCandidates = (
  database: Database,
  candidates: readonly IndexedStudy[],
): FoundStudy[] =>
  database
    .all(
      rawQuery<CandidateRow>(SELECT_CANDIDATES_SQL, [
        JSON.stringify(candidates.map(({ number }) => number)),
      ]),
    )
    .map((row) => ({
      studyInstanceUid: row.studyInstanceUid,
      header: storedHeaderOf(database.seal, row),
      instances: row.instances,
      series: row.series,
      modalities: (JSON.parse(row.modalities) as readonly string[]).join('\\'),
    }))

const SELECT_PATIENT_TOTALS = `select count(*) as studies, sum(s.series) as series, sum(s.instances) as instances
  from retrievalStudies r cross join imageStudyNumbers n using (number) cross join imageStudies s using (studyInstanceUid)
  where r.patientKey = ? and s.instances > 0`

/** The totals of the studies of a patient. */
export const patientTotals = (database: Database, patientKey: Buffer): PatientTotals =>
  database.get(rawQuery<PatientTotals>(SELECT_PATIENT_TOTALS, [patientKey])) as PatientTotals
