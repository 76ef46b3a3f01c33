import { createHash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudy, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import type { Communication } from '#shared/contract/reports.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { type CorrectionInstant, followedCorrection } from './correction-instant-queries.ts'
import { readReportPdf } from './report-document-queries.ts'
import {
  findCriticalResult,
  findReport,
  listSignedReports,
  type ReportRecord,
  type Signer,
} from './report-queries.ts'

/** A report or an addendum as contained in its PDF and its DICOM copies. */
export interface ReportPart {
  readonly isAddendum: boolean
  readonly text: string
  /** SHA-256 of the UTF-8 text, in hex. */
  readonly textHash: string
  readonly signer: Signer
  readonly signedAt: string
  readonly isCritical: boolean
  readonly finding: string | null
  readonly communication: Communication | null
  /** The correction of the images that an addendum follows; null if there is none. */
  readonly follows: CorrectionInstant | null
}

/** A signed report with the content of its DICOM copies. */
export interface ArchivedReport {
  readonly reportId: string
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly metadata: StudyReportMetadata
  /** The report, the addenda that were signed before this one, and this one itself. */
  readonly parts: readonly (ReportPart & { readonly reportId: string })[]
  readonly pdf: Buffer
}

/** Reads a signed report; undefined if there is none with that ID. */
export function readArchivedReport(
  { database }: Context,
  reportId: string,
): ArchivedReport | undefined {
  const report = findReport(database, reportId)
  const study = report && findStudy(database, report.studyId)
  const pdf = readReportPdf(database, reportId)
  if (report?.status !== 'completed' || !study || !pdf) return undefined
  const { studyInstanceUid, studyDescription } = study
  const signedReports = listSignedReports(database, study.studyId).filter(
    ({ seq }) => seq <= report.seq,
  )
  return {
    ...{ reportId, studyInstanceUid, studyDescription, pdf },
    accessionNumber: accessionOf(database, studyInstanceUid),
    metadata: report.snapshotMetadata,
    parts: signedReports.map((one) => ({ reportId: one.reportId, ...signedPartOf(database, one) })),
  }
}

export function signedPartOf(database: Database, report: ReportRecord): ReportPart {
  const { reportId, isAddendum, userId, updatedAt } = report
  const signedAt = report.signedAt ?? updatedAt
  const text = report.plainText ?? ''
  const author = findUser(database, userId)
  const critical = findCriticalResult(database, reportId)
  const { recordedBy: _, ...communication } = critical?.communication ?? { recordedBy: null }
  return {
    ...{ isAddendum, text, signedAt },
    textHash: report.textHash ?? hashOfText(text),
    signer:
      report.signer ??
      (author ? signerOf(author) : { userId, name: '', clinicRole: '', npiNumber: null }),
    isCritical: report.isCritical ?? false,
    finding: critical?.finding ?? null,
    communication: critical?.communication ? (communication as Communication) : null,
    follows: isAddendum ? precedingCorrectionOf(database, report, signedAt) : null,
  }
}

function precedingCorrectionOf(
  database: Database,
  { studyId, seq }: ReportRecord,
  signedAt: string,
) {
  const study = findStudy(database, studyId)
  const earlier = listSignedReports(database, studyId).filter((one) => one.seq < seq)
  return study ? followedCorrection(database, study.studyInstanceUid, earlier, signedAt) : null
}

/** The signer's details with the full name, as stored with the report and printed. */
export function signerOf({
  userId,
  firstName,
  middleName,
  lastName,
  suffix1,
  suffix2,
  clinicRole,
  npiNumber,
}: UserRecord): Signer {
  const name = [firstName, middleName, lastName].filter(Boolean).join(' ')
  return {
    userId,
    name: [name, suffix1, suffix2].filter(Boolean).join(', '),
    clinicRole,
    npiNumber,
  }
}

/** Returns the SHA-256 of the UTF-8 text, in hex. */
export const hashOfText = (text: string) => createHash('sha256').update(text).digest('hex')

/** The referring physician, as a PN value or as entered; empty if unknown. */
export const referringPhysicianOf = (
  database: Database,
  { studyInstanceUid, detail }: Pick<StudyRecord, 'studyInstanceUid' | 'detail'>,
): string =>
  detail.reportMetadata?.referringPhysicianName ||
  (findImageStudy(database, studyInstanceUid)?.header.referringPhysicianName ?? '')

/**
 * The accession number of the images of the study, otherwise that of the worklist row they were
 * made for; '' if there is neither.
 */
export function accessionOf(database: Database, studyInstanceUid: string): string {
  const images = findImageStudy(database, studyInstanceUid)
  return images?.header.accessionNumber || (images?.handedOut?.accessionNumber ?? '')
}
