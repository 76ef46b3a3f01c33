import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { listPage } from '#server/http/pagination.ts'
import { studyReply } from '#server/modules/studies/routes.ts'
import * as studies from '#server/modules/studies/service.ts'
import { type ScribeReport, type ScribeStudy, scribe } from '#shared/contract/scribe.ts'
import type { ReportId, StudyId, UserId } from '#shared/ids.ts'
import { reportPdfUrl } from './pdf-links.ts'
import { listReportEntries, type ReportRecord } from './report-queries.ts'
import * as reports from './reports.ts'

/**
 * Serves the scribe area of the interface: studies and reports. Its links are served by
 * modules/viewer/routes.ts.
 */
export function serveScribe(app: HttpApp, context: Context, publicBase: () => string): void {
  const reply = (study: studies.Study<'scribe'>) => scribeStudyReply(context, study)
  const withPdf = (report: reports.SignedReport) => ({
    ...report,
    presignedUrl: reportPdfUrl(context, publicBase(), report.reportId),
  })
  const { rerouteUrl: _, viewerOnlyRerouteUrl: __, ephemeralSession: ___, ...operations } = scribe
  serveAll(app, operations, {
    create: ({ caller, body }) => reply(studies.createStudy(context, caller, 'scribe', body)),
    list({ caller, query: { cursor, studyType, ...query } }) {
      if (studyType === 'external') return listPage('studies', [], undefined)
      const asked = { ...query, after: cursor }
      const { items, next } = studies.listStudies(context, caller, 'scribe', asked)
      return listPage('studies', items.map(reply), next)
    },
    read: ({ caller, params }) =>
      reply(studies.readStudy(context, caller, 'scribe', params.studyId)),
    byUid: ({ caller, params }) =>
      reply(studies.readStudyByUid(context, caller, 'scribe', params.studyInstanceUid)),
    update: ({ caller, params, body }) =>
      reply(studies.updateStudy(context, caller, 'scribe', params.studyId, body)),
    cancel: ({ caller, body }) => studies.cancelStudy(context, caller, 'scribe', body),
    uncancel: ({ caller, body }) => studies.uncancelStudy(context, caller, 'scribe', body),

    reports({ caller, query }) {
      const found = reports.listStudyReports(context, caller, query)
      return { ...found, reports: found.reports.map(scribeReportReply) }
    },
    reportText: ({ caller, query }) => reports.readSignedReports(context, caller, query),
    reportPdf({ caller, query }) {
      const found = reports.readSignedReports(context, caller, query)
      return 'reports' in found ? { ...found, reports: found.reports.map(withPdf) } : withPdf(found)
    },
    startAddendum: ({ caller, params }) => reports.startAddendum(context, caller, params.reportId),
    cancelAddendum: ({ caller, params }) =>
      reports.cancelAddendum(context, caller, params.reportId),
  })
}

/** `signedAt` and `isCritical` are null until a report is signed, and its text is absent. */
function scribeReportReply(report: ReportRecord): ScribeReport {
  const { seq: _, revision: __, textHash: ___, signer: ____, plainText, ...reply } = report
  return {
    ...reply,
    reportId: reply.reportId as ReportId,
    studyId: reply.studyId as StudyId,
    userId: reply.userId as UserId,
    ...(plainText !== null && { reportPlainText: plainText }),
  }
}

/**
 * Converts a study to its reply. `reportIds` includes addenda, oldest first. `reportMetadata` is
 * always present; arrays that were never provided are not.
 */
export function scribeStudyReply(
  { database }: Context,
  study: studies.Study<'scribe'>,
): ScribeStudy {
  const { metadata: _, reportMetadata = {}, ...clinical } = study.record.detail
  const entries = listReportEntries(database, study.record.studyId)
  return {
    ...studyReply(study),
    reportMetadata,
    studyReportStatus: study.record.status,
    reportIds: entries.map(({ reportId, status, isCritical }) => ({
      ...{ reportId: reportId as ReportId, status, isCritical },
    })),
    ...(clinical as Partial<ScribeStudy>),
  }
}
