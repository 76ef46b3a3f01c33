import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { listPage } from '#server/http/list-page.ts'
import { serveAll } from '#server/http/operations.ts'
import { studyReply } from '#server/modules/studies/routes.ts'
import * as studies from '#server/modules/studies/service.ts'
import { type ScribeStudy, scribe } from '#shared/contract/scribe.ts'
import type { ReportId, StudyId } from '#shared/ids.ts'
import type { Reports } from './reports.ts'
import { scribeReportHandlers } from './scribe-report-routes.ts'

/**
 * The scribe area about studies and reports; links of it are served by
 * modules/viewer/link-routes.ts.
 */
export function serveScribe(app: HttpApp, context: Context, reports: Reports): void {
  const reply = (study: studies.Study<'scribe'>) => scribeStudyReply(context, study)
  const { rerouteUrl: _, viewerOnlyRerouteUrl: __, ephemeralSession: ___, ...operations } = scribe
  serveAll(app, operations, {
    ...scribeReportHandlers({ reports }),
    create: ({ caller, body }) => reply(studies.createStudy(context, caller, 'scribe', body)),
    list({ caller, query: { cursor, ...query } }) {
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
  })
}

/**
 * `reportIds` are those of its reports, oldest first, addenda too. `reportMetadata` is always
 * there, arrays that were never given are not.
 */
export function scribeStudyReply(
  { reports }: Context,
  study: studies.Study<'scribe'>,
): ScribeStudy {
  const {
    metadata: _,
    reportMetadata = {},
    priorReportTexts,
    priorStudyIds,
    technologistNotes,
    priorReports,
    ...clinical
  } = study.record.detail
  return {
    ...studyReply(study),
    reportMetadata,
    studyReportStatus: study.record.status,
    reportIds: reports.entriesOf(study.record.studyId).map(({ reportId, status, isCritical }) => ({
      reportId: reportId as ReportId,
      status,
      isCritical,
    })),
    ...(priorReportTexts && { priorReportTexts: [...priorReportTexts] }),
    ...(priorStudyIds && { priorStudyIds: priorStudyIds as StudyId[] }),
    ...(technologistNotes && { technologistNotes: [...technologistNotes] }),
    ...(priorReports && { priorReports: [...priorReports] }),
    ...clinical,
  }
}
