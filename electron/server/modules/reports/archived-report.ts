import type { Context } from '#server/context.ts'
import type { ArchivedReport } from './report-objects.ts'
import type { ReportRecord } from './report-queries.ts'
import { accessionOf } from './report-signing.ts'
import { signedPart } from './signed-part.ts'

/**
 * A signed report with what stands in its PDF, as it is kept beside the images; undefined where
 * there is none.
 */
export function archivedReport(store: Context): (reportId: string) => ArchivedReport | undefined {
  const partOf = (report: ReportRecord) => ({
    reportId: report.reportId,
    ...signedPart(store, report),
  })

  return (reportId) => {
    const report = store.reports.get(reportId)
    const study = report && store.studies.get(report.studyId)
    const pdf = store.reportPdfs.read(reportId)
    if (report?.status !== 'completed' || !study || !pdf) return undefined
    const { studyInstanceUid, studyDescription } = study
    const signed = store.reports.signedOf(study.studyId).filter(({ seq }) => seq <= report.seq)
    return {
      ...{
        reportId,
        studyInstanceUid,
        studyDescription,
        accessionNumber: accessionOf({ store }, studyInstanceUid),
      },
      metadata: report.snapshotMetadata,
      parts: signed.map(partOf),
      pdf,
    }
  }
}
