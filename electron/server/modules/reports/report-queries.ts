import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/flag.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { ReportStatus } from '#shared/lifecycle.ts'

/** Who signed, as they were then; sealed at rest. */
export interface SignerRecord {
  readonly userId: string
  readonly name: string
  readonly clinicRole: string
  readonly npiNumber: string | null
}

/** A report or an addendum (interface.md, Scribe report). */
export interface ReportRecord {
  /** Order of creation. */
  readonly seq: number
  readonly reportId: string
  readonly studyId: string
  /** Who writes or signed it. */
  readonly userId: string
  readonly isAddendum: boolean
  readonly status: ReportStatus
  /** Null until signed. */
  readonly signedAt: string | null
  /** Null until signed (row 43). */
  readonly isCritical: boolean | null
  /** Patient and scan as they were; sealed at rest. */
  readonly snapshotMetadata: StudyReportMetadata
  /** Sealed at rest; null while nothing is written. */
  readonly plainText: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Of the draft's text: 0 while nothing was saved; each save counts it up. */
  readonly revision: number
  /** SHA-256 of the UTF-8 text in hex; null until signed. */
  readonly textHash: string | null
  /** Null until signed. */
  readonly signer: SignerRecord | null
}
/** Of a draft that nothing was saved of, unless it says more. */
export type NewReportRecord = Omit<ReportRecord, 'seq' | Unwritten> &
  Partial<Pick<ReportRecord, Unwritten>>
type Unwritten = 'revision' | 'textHash' | 'signer'

/** What a study says of its reports. */
export interface ReportEntry {
  readonly reportId: string
  readonly status: ReportStatus
  readonly isCritical: boolean | null
  readonly signedAt: string | null
}

/**
 * A study has one draft at most. What is completed is never changed or removed: the database
 * refuses it.
 */
export interface ReportsStore {
  get(reportId: string): ReportRecord | undefined
  /** What is being written on the study. */
  draftOf(studyId: string): ReportRecord | undefined
  /** Oldest first, addenda too. */
  ofStudy(studyId: string): ReportRecord[]
  /** Those of them that are signed. */
  signedOf(studyId: string): ReportRecord[]
  /** Whether one of them was signed at the instant or later. */
  isSignedSince(studyId: string, at: string): boolean
  /** Oldest first, without opening what is sealed. */
  entriesOf(studyId: string): ReportEntry[]
  insert(report: NewReportRecord): void
  update(report: NewReportRecord): void
  /** Whether it was there. */
  remove(reportId: string): boolean
}

export function reportsStore(db: Database, seal: Seal): ReportsStore {
  const every = db.sql.selectFrom('reports').selectAll()
  const recordOf = ({
    sealedText,
    sealedSnapshot,
    sealedSigner,
    ...row
  }: StoredReport): ReportRecord =>
    ({
      ...row,
      isAddendum: row.isAddendum === 1,
      isCritical: row.isCritical === null ? null : row.isCritical === 1,
      plainText:
        sealedText === null ? null : seal.open(sealedText, textContext(row.reportId)).toString(),
      snapshotMetadata: JSON.parse(
        seal.open(sealedSnapshot, snapshotContext(row.reportId)).toString(),
      ),
      signer:
        sealedSigner === null
          ? null
          : JSON.parse(seal.open(sealedSigner, signerContext(row.reportId)).toString()),
    }) as ReportRecord
  const rowOf = ({
    plainText,
    snapshotMetadata,
    signer = null,
    revision = 0,
    textHash = null,
    ...report
  }: NewReportRecord) => ({
    ...report,
    revision,
    textHash,
    isAddendum: flag(report.isAddendum),
    isCritical: report.isCritical === null ? null : flag(report.isCritical),
    sealedText:
      plainText === null ? null : seal.seal(Buffer.from(plainText), textContext(report.reportId)),
    sealedSnapshot: seal.seal(
      Buffer.from(JSON.stringify(snapshotMetadata)),
      snapshotContext(report.reportId),
    ),
    sealedSigner:
      signer === null
        ? null
        : seal.seal(Buffer.from(JSON.stringify(signer)), signerContext(report.reportId)),
  })
  const ofStudy = (studyId: string) =>
    db.all(every.where('studyId', '=', studyId).orderBy('seq')).map(recordOf)

  return {
    get(reportId) {
      const row = db.get(every.where('reportId', '=', reportId))
      return row && recordOf(row)
    },
    draftOf(studyId) {
      const row = db.get(every.where('studyId', '=', studyId).where('status', '=', 'in_progress'))
      return row && recordOf(row)
    },
    ofStudy,
    signedOf: (studyId) => ofStudy(studyId).filter(({ status }) => status === 'completed'),
    isSignedSince: (studyId, at) =>
      ofStudy(studyId).some(
        ({ status, signedAt }) => status === 'completed' && signedAt !== null && signedAt >= at,
      ),
    entriesOf: (studyId) =>
      db
        .all(
          rawQuery<{
            reportId: string
            status: ReportStatus
            isCritical: number | null
            signedAt: string | null
          }>(ENTRIES, [studyId]),
        )
        .map((row) => ({
          ...row,
          isCritical: row.isCritical === null ? null : row.isCritical === 1,
        })),
    insert: (report) => void db.run(db.sql.insertInto('reports').values(rowOf(report))),
    update(report) {
      const { reportId, studyId: _, createdAt: __, ...changed } = rowOf(report)
      db.run(db.sql.updateTable('reports').set(changed).where('reportId', '=', reportId))
    },
    remove: (reportId) =>
      db.run(db.sql.deleteFrom('reports').where('reportId', '=', reportId)).changes > 0,
  }
}

const ENTRIES =
  'select reportId, status, isCritical, signedAt from reports where studyId = ? order by seq'
const textContext = (reportId: string) => `report text ${reportId}`
const signerContext = (reportId: string) => `report signer ${reportId}`
const snapshotContext = (reportId: string) => `report snapshot ${reportId}`

type StoredReport = Omit<
  { [K in keyof ReportRecord]: unknown },
  'plainText' | 'snapshotMetadata' | 'signer'
> & {
  reportId: string
  sealedText: Buffer | null
  sealedSnapshot: Buffer
  sealedSigner: Buffer | null
}
