import type { Selectable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/query.ts'
import type { ReportTables } from '#server/database/tables/reports.ts'
import type { Communication } from '#shared/contract/reports.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { ReportStatus } from '#shared/lifecycle.ts'

// The tables reports, reportRevisions and criticalResults. Data that identifies a patient or a user
// is encrypted.

/** The person who signed a report, as of the time of signing. */
export interface Signer {
  readonly userId: string
  readonly name: string
  readonly clinicRole: string
  readonly npiNumber: string | null
}

type StoredReport = Selectable<ReportTables['reports']>

/** A report without its encrypted data. */
export interface ReportEntry extends Pick<StoredReport, 'reportId' | 'signedAt'> {
  readonly status: ReportStatus
  /** Null until signed. */
  readonly isCritical: boolean | null
}

/**
 * A report or an addendum. `seq` is the order of creation, `userId` the author or signer,
 * `revision` the number of saves of the draft's text, and `textHash` the SHA-256 of the signed
 * UTF-8 text in hex.
 */
export interface ReportRecord
  extends ReportEntry,
    Pick<
      StoredReport,
      'seq' | 'studyId' | 'userId' | 'createdAt' | 'updatedAt' | 'revision' | 'textHash'
    > {
  readonly isAddendum: boolean
  /** Patient and scan data as of when the report was begun or signed. */
  readonly snapshotMetadata: StudyReportMetadata
  /** Null until text has been saved. */
  readonly plainText: string | null
  /** Null until signed. */
  readonly signer: Signer | null
}

type DraftDefaults = 'seq' | 'revision' | 'textHash' | 'signer'
/** A new report; fields that are left out have the values of a draft that has not been saved. */
export type NewReportRecord = Omit<ReportRecord, DraftDefaults> &
  Partial<Pick<ReportRecord, DraftDefaults>>

// A study has at most one draft. The database rejects changes to completed reports and their
// removal.

const selectReports = (database: Database) => database.sql.selectFrom('reports').selectAll()

export function findReport(database: Database, reportId: string): ReportRecord | undefined {
  const row = database.get(selectReports(database).where('reportId', '=', reportId))
  return row && reportOf(database, row)
}

/** The draft report of the study. */
export function findDraft(database: Database, studyId: string): ReportRecord | undefined {
  const row = database.get(
    selectReports(database).where('studyId', '=', studyId).where('status', '=', 'in_progress'),
  )
  return row && reportOf(database, row)
}

/** All reports of a study, including addenda, oldest first. */
export const listReports = (database: Database, studyId: string): ReportRecord[] =>
  database
    .all(selectReports(database).where('studyId', '=', studyId).orderBy('seq'))
    .map((row) => reportOf(database, row))

/** The signed reports of a study, including addenda, oldest first. */
export const listSignedReports = (database: Database, studyId: string): ReportRecord[] =>
  listReports(database, studyId).filter(({ status }) => status === 'completed')

/** Whether a report of the study was signed at or after the instant. */
export const isReportSignedSince = (database: Database, studyId: string, at: string): boolean =>
  listReportEntries(database, studyId).some(({ signedAt }) => signedAt !== null && signedAt >= at)

/** The reports of a study without their encrypted data, oldest first. */
export const listReportEntries = (database: Database, studyId: string): ReportEntry[] =>
  database
    .all(
      database.sql
        .selectFrom('reports')
        .select(['reportId', 'status', 'isCritical', 'signedAt'])
        .where('studyId', '=', studyId)
        .orderBy('seq'),
    )
    .map(({ status, isCritical, ...row }) => ({
      ...row,
      status: status as ReportStatus,
      isCritical: booleanOf(isCritical),
    }))

export const insertReport = (database: Database, report: NewReportRecord) =>
  database.run(database.sql.insertInto('reports').values(rowOf(database, report)))

export function updateReport(database: Database, report: NewReportRecord): void {
  const { reportId, studyId: _, createdAt: __, ...changed } = rowOf(database, report)
  database.run(database.sql.updateTable('reports').set(changed).where('reportId', '=', reportId))
}

export const deleteReport = (database: Database, reportId: string) =>
  database.run(database.sql.deleteFrom('reports').where('reportId', '=', reportId))

function reportOf(
  { seal }: Database,
  { sealedText, sealedSnapshot, sealedSigner, status, isAddendum, ...row }: StoredReport,
): ReportRecord {
  const { reportId } = row
  const opened = (sealed: Buffer, what: Sealed) => seal.open(sealed, contextOf(what, reportId))
  return {
    ...row,
    status: status as ReportStatus,
    isAddendum: isAddendum === 1,
    isCritical: booleanOf(row.isCritical),
    plainText: sealedText && opened(sealedText, 'text').toString(),
    snapshotMetadata: JSON.parse(opened(sealedSnapshot, 'snapshot').toString()),
    signer: sealedSigner && JSON.parse(opened(sealedSigner, 'signer').toString()),
  }
}

function rowOf(
  { seal }: Database,
  { plainText, snapshotMetadata, signer = null, seq: _, ...report }: NewReportRecord,
) {
  const sealed = (text: string, what: Sealed) =>
    seal.seal(Buffer.from(text), contextOf(what, report.reportId))
  return {
    revision: 0,
    textHash: null,
    ...report,
    isAddendum: flag(report.isAddendum),
    isCritical: report.isCritical === null ? null : flag(report.isCritical),
    sealedText: plainText === null ? null : sealed(plainText, 'text'),
    sealedSnapshot: sealed(JSON.stringify(snapshotMetadata), 'snapshot'),
    sealedSigner: signer && sealed(JSON.stringify(signer), 'signer'),
  }
}

type Sealed = 'text' | 'snapshot' | 'signer'
const contextOf = (what: Sealed, reportId: string) => `report ${what} ${reportId}`
const booleanOf = (value: number | null) => (value === null ? null : value === 1)

// Revisions are deleted with their draft, and when it is signed.

type StoredRevision = Selectable<ReportTables['reportRevisions']>
/** One saved version of a draft's text; `revision` counts from 1. */
export type ReportRevision = Omit<StoredRevision, 'sealedText'> & { readonly text: string }

/** Stores a revision, and deletes all but the newest `most` of its report. */
export const appendReportRevision = (
  database: Database,
  { text, ...row }: ReportRevision,
  most: number,
): void =>
  database.transaction(() => {
    const sealedText = database.seal.seal(Buffer.from(text), revisionContext(row))
    database.run(database.sql.insertInto('reportRevisions').values({ ...row, sealedText }))
    database.run(
      database.sql
        .deleteFrom('reportRevisions')
        .where('reportId', '=', row.reportId)
        .where('revision', '<=', row.revision - most),
    )
  })

export function findReportRevision(
  database: Database,
  reportId: string,
  revision: number,
): ReportRevision | undefined {
  const row = database.get(revisionsOf(database, reportId).where('revision', '=', revision))
  return row && revisionOf(database, row)
}

/** All stored revisions of a report, newest first. */
export const listReportRevisions = (database: Database, reportId: string): ReportRevision[] =>
  database
    .all(revisionsOf(database, reportId).orderBy('revision', 'desc'))
    .map((row) => revisionOf(database, row))

/** Deletes all revisions of a report. */
export const deleteReportRevisions = (database: Database, reportId: string) =>
  database.run(database.sql.deleteFrom('reportRevisions').where('reportId', '=', reportId))

const revisionsOf = (database: Database, reportId: string) =>
  database.sql.selectFrom('reportRevisions').selectAll().where('reportId', '=', reportId)

const revisionOf = (
  { seal }: Database,
  { sealedText, ...row }: StoredRevision,
): ReportRevision => ({ ...row, text: seal.open(sealedText, revisionContext(row)).toString() })

const revisionContext = ({ reportId, revision }: Pick<ReportRevision, 'reportId' | 'revision'>) =>
  `report revision ${reportId} ${revision}`

type StoredCritical = Selectable<ReportTables['criticalResults']>
interface CriticalDetail {
  readonly finding: string
  /**
   * The communication and the user who recorded it; null if the result has not been communicated.
   */
  readonly communication:
    | (Communication & { readonly recordedBy: { readonly userId: string; readonly name: string } })
    | null
}
/** A critical result and its communication; `openedAt` is when the report was signed. */
export type CriticalResultRecord = Omit<StoredCritical, 'sealedDetail'> & CriticalDetail

const selectCriticalResults = (database: Database) =>
  database.sql.selectFrom('criticalResults').selectAll()

export function findCriticalResult(
  database: Database,
  reportId: string,
): CriticalResultRecord | undefined {
  const row = database.get(selectCriticalResults(database).where('reportId', '=', reportId))
  return row && criticalResultOf(database, row)
}

/** Critical results that have not been communicated, oldest first. */
export const listOpenCriticalResults = (
  database: Database,
  limit: number,
): CriticalResultRecord[] =>
  database
    .all(
      selectCriticalResults(database)
        .where('communicatedAt', 'is', null)
        .orderBy('openedAt')
        .orderBy('reportId')
        .limit(limit),
    )
    .map((row) => criticalResultOf(database, row))

export const insertCriticalResult = (database: Database, result: CriticalResultRecord) =>
  database.run(
    database.sql.insertInto('criticalResults').values(criticalResultRow(database, result)),
  )

export function updateCriticalResult(database: Database, result: CriticalResultRecord): void {
  const { communicatedAt, sealedDetail } = criticalResultRow(database, result)
  database.run(
    database.sql
      .updateTable('criticalResults')
      .set({ communicatedAt, sealedDetail })
      .where('reportId', '=', result.reportId),
  )
}

const criticalResultOf = (
  { seal }: Database,
  { sealedDetail, ...row }: StoredCritical,
): CriticalResultRecord => ({
  ...row,
  ...(JSON.parse(seal.open(sealedDetail, criticalContext(row)).toString()) as CriticalDetail),
})

const criticalResultRow = (
  { seal }: Database,
  { finding, communication, ...row }: CriticalResultRecord,
): StoredCritical => ({
  ...row,
  sealedDetail: seal.seal(
    Buffer.from(JSON.stringify({ finding, communication } satisfies CriticalDetail)),
    criticalContext(row),
  ),
})

const criticalContext = ({ reportId }: Pick<StoredCritical, 'reportId'>) =>
  `critical result ${reportId}`
