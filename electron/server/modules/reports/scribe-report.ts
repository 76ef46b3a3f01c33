import type { ScribeReport } from '#shared/contract/scribe.ts'
import type { ReportId, StudyId, UserId } from '#shared/ids.ts'
import type { ReportRecord } from './report-queries.ts'
import type { PdfItem, ReportItem, ReportsOfStudy } from './reports.ts'

/**
 * A report or addendum (interface.md, Scribe report): `signedAt` and `isCritical` are null until it
 * is signed, and text is absent (row 51).
 */
export function scribeReportOf(record: ReportRecord): ScribeReport {
  const {
    plainText,
    reportId,
    studyId,
    userId,
    isAddendum,
    status,
    signedAt,
    isCritical,
    snapshotMetadata,
    createdAt,
    updatedAt,
  } = record
  const ids = {
    reportId: reportId as ReportId,
    studyId: studyId as StudyId,
    userId: userId as UserId,
  }
  const report = {
    isAddendum,
    status,
    signedAt,
    isCritical,
    snapshotMetadata,
    createdAt,
    updatedAt,
  }
  return { ...ids, ...report, ...(plainText !== null && { reportPlainText: plainText }) }
}

type Named<T> = Omit<T, 'reportId' | 'studyId'> & { reportId: ReportId; studyId: StudyId }

/** The text or the PDF of a completed report. */
export const reportItemOf = <T extends ReportItem | PdfItem>(item: T): Named<T> =>
  ({ ...item, reportId: item.reportId as ReportId, studyId: item.studyId as StudyId }) as Named<T>

/** Several reports under the names of their study. */
export const reportsOf = <T, V>(
  { reports, studyId, studyInstanceUid }: ReportsOfStudy<T>,
  view: (report: T) => V,
) => ({
  reports: reports.map(view),
  studyId: studyId as StudyId,
  studyInstanceUid,
})
