import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { gramsOf } from '#server/database/grams.ts'
import { type Slice, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { folded } from '#server/platform/folding.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { STUDY_AREAS } from '#shared/contract/settings.ts'
import type { Metadata, Severity } from '#shared/contract/values.ts'
import type { StudyReportStatus, ViewerStatus } from '#shared/lifecycle.ts'
import type { SearchIndex } from './search-index.ts'
import type { Area, StudyStatus } from './study-facet.ts'
import { GRAMS, type StudyQuery, studySequence } from './study-list-queries.ts'
import { type StudySearch, studySearch } from './study-search-queries.ts'

export type { Area, StudyStatus } from './study-facet.ts'

/** A report of a partner about an earlier study. */
export interface PriorReport {
  readonly reportText: string
  readonly externalStudyId?: string | undefined
  readonly modality?: string | undefined
  readonly studyDate?: string | undefined
  readonly studyDescription?: string | undefined
}

/**
 * What may name a patient: sealed at rest as one. Absent is never given, null was given or cleared.
 */
export interface StudyDetail {
  readonly metadata?: Metadata | undefined
  readonly reportMetadata?: StudyReportMetadata | undefined
  readonly priorReportTexts?: readonly string[] | undefined
  readonly priorStudyIds?: readonly string[] | undefined
  readonly externalPatientId?: string | null | undefined
  readonly clinicalIndication?: string | null | undefined
  readonly technologistTechnique?: string | null | undefined
  readonly technologistNotes?: readonly string[] | undefined
  readonly priorReports?: readonly PriorReport[] | undefined
}

interface StudyFields {
  /**
   * Order of creation, which is the order of every list: `createdAt` may tie, and runs back with
   * the clock of the PC.
   */
  readonly seq: number
  readonly studyId: string
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly severity: Severity
  /** Null while it is not cancelled. */
  readonly cancelledAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly assignedTo: string | null
  readonly expressCustomerId: string | null
  /** Both null: seeded by the gateway. */
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
/** A study of one area: there is a row for each area and UID. */
export type StudyRecord = ViewerStudyRecord | ScribeStudyRecord
export type NewStudyRecord = Omit<ViewerStudyRecord, 'seq'> | Omit<ScribeStudyRecord, 'seq'>

export interface StudiesStore {
  get(studyId: string): StudyRecord | undefined
  byUid(area: Area, studyInstanceUid: string): StudyRecord | undefined
  /** Newest first. */
  list(
    query: Omit<StudyQuery, 'before' | 'limit'>,
    after: string | undefined,
    limit: number,
  ): Slice<StudyRecord>
  insert(study: NewStudyRecord): StudyRecord
  /** What the window lists. */
  readonly search: StudySearch
  /**
   * Reads studies by their sequence numbers, in the order of these; what is not there is left out.
   */
  bySeq(seqs: readonly number[]): StudyRecord[]
  /**
   * Makes the words anew that the studies of a UID are found by: of its images something else is
   * known.
   */
  findAnew(studyInstanceUid: string): void
  /**
   * Writes what may change; `detail` is sealed again only when it is another object than before.
   */
  update(study: StudyRecord, before: StudyRecord): void
  /**
   * Calls the listener after each commit that created or changed studies. It must not throw.
   * Returns what stops it.
   */
  onChange(listener: () => void): () => void
}

const COLUMNS = `seq, studyId, area, studyInstanceUid, studyDescription, severity, status, cancelledAt, createdAt, updatedAt, assignedTo,
  expressCustomerId, createdByApiKeyId, createdByUserId, sealedDetail`

const BY_SEQ = `select ${COLUMNS} from studies where seq in (select value from json_each(?))`

/** `onDetail`: within the transaction, after a study was created or its detail was changed. */
export function studiesStore(
  db: Database,
  seal: Seal,
  index: SearchIndex,
  onDetail: (studyInstanceUid: string) => void,
): StudiesStore {
  const listeners = new Set<() => void>()
  const notifyAfterCommit = () =>
    db.afterCommit(() => {
      for (const listener of listeners) listener()
    })

  const one = (where: string, ...parameters: string[]): StudyRecord | undefined => {
    const row = db.get(
      rawQuery<StoredStudy>(`select ${COLUMNS} from studies where ${where}`, parameters),
    )
    return row && recordOf(row, seal)
  }

  function bySeq(seqs: readonly number[]): StudyRecord[] {
    if (seqs.length === 0) return []
    const found = new Map(
      db.all(rawQuery<StoredStudy>(BY_SEQ, [JSON.stringify(seqs)])).map((row) => [row.seq, row]),
    )
    return seqs.flatMap((seq) => {
      const row = found.get(seq)
      return row ? [recordOf(row, seal)] : []
    })
  }

  return {
    search: studySearch(db, index, bySeq),
    bySeq,
    findAnew(studyInstanceUid) {
      for (const area of STUDY_AREAS) {
        const study = one('studyInstanceUid = ? and area = ?', studyInstanceUid, area)
        if (study) index.keepStudy(study)
      }
    },
    get: (studyId) => one('studyId = ?', studyId),
    byUid: (area, studyInstanceUid) =>
      one('studyInstanceUid = ? and area = ?', studyInstanceUid, area),
    list(query, after, limit) {
      const before = after === undefined ? undefined : Number(after)
      const { items, next } = sliceOf(
        studySequence(db, { ...query, before, limit: limit + 1 }),
        limit,
        (seq) => seq,
      )
      const page = `select ${COLUMNS} from studies where seq in (${items.map(() => '?').join(', ')}) order by seq desc`
      const studies =
        items.length === 0
          ? []
          : db.all(rawQuery<StoredStudy>(page, items)).map((row) => recordOf(row, seal))
      return next === undefined ? { items: studies } : { items: studies, next }
    },
    insert: (study) =>
      db.transaction(() => {
        const { detail, ...fields } = study
        const descriptionFolded = folded(study.studyDescription)
        const row = {
          ...fields,
          descriptionFolded,
          sealedDetail: sealedDetail(detail, study.studyId, seal),
        }
        const seq = db.run(db.sql.insertInto('studies').values(row)).lastInsertRowid
        db.run(
          rawQuery(`insert into ${GRAMS[study.area]} (rowid, grams) values (?, ?)`, [
            BigInt(seq),
            gramsOf(descriptionFolded),
          ]),
        )
        const made: StudyRecord = { ...study, seq }
        index.keepStudy(made)
        onDetail(study.studyInstanceUid)
        notifyAfterCommit()
        return made
      }),
    update: (study, before) =>
      db.transaction(() => {
        const {
          seq,
          area,
          studyDescription,
          severity,
          status,
          cancelledAt,
          updatedAt,
          assignedTo,
          expressCustomerId,
        } = study
        const descriptionFolded = folded(studyDescription)
        const changed = {
          studyDescription,
          descriptionFolded,
          severity,
          status,
          cancelledAt,
          updatedAt,
          assignedTo,
          expressCustomerId,
        }
        const detail =
          study.detail === before.detail
            ? {}
            : { sealedDetail: sealedDetail(study.detail, study.studyId, seal) }
        db.run(
          db.sql
            .updateTable('studies')
            .set({ ...changed, ...detail })
            .where('seq', '=', seq),
        )
        if (descriptionFolded !== folded(before.studyDescription))
          db.run(
            rawQuery(`update ${GRAMS[area]} set grams = ? where rowid = ?`, [
              gramsOf(descriptionFolded),
              BigInt(seq),
            ]),
          )
        if (isFoundOtherwise(study, before)) index.keepStudy(study)
        if (study.detail !== before.detail) onDetail(study.studyInstanceUid)
        notifyAfterCommit()
      }),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Whether the study is found by other words, or other filters, than before. */
const isFoundOtherwise = (study: StudyRecord, before: StudyRecord): boolean =>
  study.detail !== before.detail ||
  (study.cancelledAt === null) !== (before.cancelledAt === null) ||
  (['studyDescription', 'severity', 'status', 'assignedTo', 'expressCustomerId'] as const).some(
    (field) => study[field] !== before[field],
  )

type StoredStudy = Omit<StudyFields, 'detail'> & {
  area: Area
  status: StudyStatus
  sealedDetail: Buffer | null
}

function recordOf({ sealedDetail: sealed, ...row }: StoredStudy, seal: Seal): StudyRecord {
  const detail: StudyDetail =
    sealed === null ? NOTHING : JSON.parse(seal.open(sealed, contextOf(row.studyId)).toString())
  return { ...row, detail } as StudyRecord
}

const NOTHING: StudyDetail = Object.freeze({})
const contextOf = (studyId: string) => `study ${studyId}`

function sealedDetail(detail: StudyDetail, studyId: string, seal: Seal): Buffer | null {
  const text = JSON.stringify(detail)
  return text === '{}' ? null : seal.seal(Buffer.from(text), contextOf(studyId))
}
