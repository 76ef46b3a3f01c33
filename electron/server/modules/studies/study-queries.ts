import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Slice, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { Metadata, Severity } from '#shared/contract/values.ts'
import type { StudyReportStatus, ViewerStatus } from '#shared/lifecycle.ts'
import type { Area, StudyStatus } from './study-facet.ts'
import { type StudyQuery, studySequence } from './study-list-queries.ts'

export type { Area, StudyStatus } from './study-facet.ts'

/** A report supplied by the partner about a prior study. */
export interface PriorReport {
  readonly reportText: string
  readonly externalStudyId?: string | undefined
  readonly modality?: string | undefined
  readonly studyDate?: string | undefined
  readonly studyDescription?: string | undefined
}

/**
 * Data that may identify a patient; encrypted as a whole. A missing field was never provided; null
 * was provided, or the field was cleared.
 */
export interface StudyDetail {
  readonly metadata?: Metadata | undefined
  readonly reportMetadata?: StudyReportMetadata | undefined
  readonly priorReportTexts?: readonly string[] | undefined
  readonly priorStudyIds?: readonly string[] | undefined
  readonly externalPatientId?: string | null | undefined
  readonly clinicalHistory?: string | null | undefined
  readonly clinicalIndication?: string | null | undefined
  readonly modality?: string | null | undefined
  readonly technologistTechnique?: string | null | undefined
  readonly technologistNotes?: readonly string[] | undefined
  readonly priorReports?: readonly PriorReport[] | undefined
}

interface StudyFields {
  /**
   * Order of creation, which determines the order of every list, because values of `createdAt` may
   * be equal, and decrease if the clock is set back.
   */
  readonly seq: number
  readonly studyId: string
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly severity: Severity
  /** Null unless it is cancelled. */
  readonly cancelledAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly assignedTo: string | null
  readonly expressCustomerId: string | null
  /** Both are null if the gateway created the study from images. */
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  readonly detail: StudyDetail
}
export interface ViewerStudyRecord extends StudyFields {
  readonly area: 'viewer'
  readonly status: ViewerStatus
}
export interface ScribeStudyRecord extends StudyFields {
  readonly area: 'scribe'
  readonly status: StudyReportStatus
}
/** A study of one area. Each area has its own row for a UID. */
export type StudyRecord = ViewerStudyRecord | ScribeStudyRecord
export type NewStudyRecord = Omit<ViewerStudyRecord, 'seq'> | Omit<ScribeStudyRecord, 'seq'>

const COLUMNS = `seq, studyId, area, studyInstanceUid, studyDescription, severity, status, cancelledAt, createdAt, updatedAt, assignedTo,
  expressCustomerId, createdByApiKeyId, createdByUserId, sealedDetail`

const SELECT_BY_SEQ = `select ${COLUMNS} from studies where seq in (select value from json_each(?))`

export const findStudy = (database: Database, studyId: string): StudyRecord | undefined =>
  findOneStudy(database, 'studyId = ?', studyId)

export const findStudyByUid = (
  database: Database,
  area: Area,
  studyInstanceUid: string,
): StudyRecord | undefined =>
  findOneStudy(database, 'studyInstanceUid = ? and area = ?', studyInstanceUid, area)

/** A page of matching studies, newest first. */
export function listStudyRecords(
  database: Database,
  query: Omit<StudyQuery, 'before' | 'limit'>,
  after: string | undefined,
  limit: number,
): Slice<StudyRecord> {
  const before = after === undefined ? undefined : Number(after)
  const { items, next } = sliceOf(
    studySequence(database, { ...query, before, limit: limit + 1 }),
    limit,
    (seq) => seq,
  )
  const page = `select ${COLUMNS} from studies where seq in (${items.map(() => '?').join(', ')}) order by seq desc`
  const studies =
    items.length === 0
      ? []
      : database.all(rawQuery<StoredStudy>(page, items)).map((row) => recordOf(row, database.seal))
  return next === undefined ? { items: studies } : { items: studies, next }
}

/** Reads studies by sequence number, in the given order. Those that do not exist are left out. */
export function readStudiesBySeq(database: Database, seqs: readonly number[]): StudyRecord[] {
  if (seqs.length === 0) return []
  const found = new Map(
    database
      .all(rawQuery<StoredStudy>(SELECT_BY_SEQ, [JSON.stringify(seqs)]))
      .map((row) => [row.seq, row]),
  )
  return seqs.flatMap((seq) => {
    const row = found.get(seq)
    return row ? [recordOf(row, database.seal)] : []
  })
}

function findOneStudy(
  database: Database,
  where: string,
  ...parameters: string[]
): StudyRecord | undefined {
  const row = database.get(
    rawQuery<StoredStudy>(`select ${COLUMNS} from studies where ${where}`, parameters),
  )
  return row && recordOf(row, database.seal)
}

type StoredStudy = Omit<StudyFields, 'detail'> & {
  area: Area
  status: StudyStatus
  sealedDetail: Buffer | null
}

function recordOf({ sealedDetail: sealed, ...row }: StoredStudy, seal: Seal): StudyRecord {
  const detail: StudyDetail =
    sealed === null
      ? EMPTY_DETAIL
      : JSON.parse(seal.open(sealed, studySealContext(row.studyId)).toString())
  return { ...row, detail } as StudyRecord
}

const EMPTY_DETAIL: StudyDetail = Object.freeze({})
export const studySealContext = (studyId: string) => `study ${studyId}`
