import { createHash } from 'node:crypto'
import type { ReportPart } from './domain/report-pdf.ts'
import { accessionOf } from './domain/report-signing.ts'
import type { ArchivedReport } from './intake/report-objects.ts'
import type { ReportRecord } from './store/reports.ts'
import type { Store } from './store/store.ts'

/** A signed report with what stands in its PDF, as it is kept beside the images; undefined where there is none. */
export function archivedReport(store: Store): (reportId: string) => ArchivedReport | undefined {
  const partOf = (report: ReportRecord): ReportPart & { readonly reportId: string } => {
    const { reportId, isAddendum, signedAt, updatedAt, userId } = report
    const text = report.plainText ?? ''
    const critical = store.criticalResults.get(reportId)
    const { recordedBy: _, ...communication } = critical?.communication ?? { recordedBy: null }
    return {
      ...{ reportId, isAddendum, text },
      textHash: report.textHash ?? createHash('sha256').update(text).digest('hex'),
      signer: report.signer ?? { userId, name: '', clinicRole: '', npiNumber: null },
      signedAt: signedAt ?? updatedAt,
      isCritical: report.isCritical ?? false,
      finding: critical?.finding ?? null,
      communication: critical?.communication ? (communication as ReportPart['communication']) : null,
    }
  }

  return (reportId) => {
    const report = store.reports.get(reportId)
    const study = report && store.studies.get(report.studyId)
    const pdf = store.reportPdfs.read(reportId)
    if (report?.status !== 'completed' || !study || !pdf) return undefined
    const { studyInstanceUid, studyDescription } = study
    const before = store.reports.ofStudy(study.studyId).filter((one) => one.status === 'completed' && signedFirst(one, report))
    return {
      ...{ reportId, studyInstanceUid, studyDescription, accessionNumber: accessionOf({ store }, studyInstanceUid) },
      metadata: report.snapshotMetadata,
      parts: [...before, report].map(partOf),
      pdf,
    }
  }
}

const signedFirst = (one: ReportRecord, report: ReportRecord) => one.reportId !== report.reportId && one.seq < report.seq
