import type { ScribeStudy } from '#shared/contract/scribe.ts'
import type { ReportId, StudyId } from '#shared/ids.ts'
import type { Study } from './studies.ts'
import { studyFieldsOf } from './study-view.ts'

/**
 * The record of the scribe area (interface.md, Scribe study): `reportMetadata` is always there,
 * arrays that were never given are not.
 */
export function scribeStudyOf(study: Study<'scribe'>): ScribeStudy {
  const {
    metadata: _,
    reportMetadata = {},
    priorReportTexts,
    priorStudyIds,
    technologistNotes,
    priorReports,
    ...context
  } = study.record.detail
  return {
    ...studyFieldsOf(study),
    reportMetadata,
    studyReportStatus: study.record.status,
    reportIds: study.reports.map(({ reportId, ...report }) => ({
      reportId: reportId as ReportId,
      ...report,
    })),
    ...(priorReportTexts && { priorReportTexts: [...priorReportTexts] }),
    ...(priorStudyIds && { priorStudyIds: priorStudyIds as StudyId[] }),
    ...(technologistNotes && { technologistNotes: [...technologistNotes] }),
    ...(priorReports && { priorReports: [...priorReports] }),
    ...context,
  }
}
