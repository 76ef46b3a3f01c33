import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { listPage } from '#server/http/pagination.ts'
import { type ViewerStudy, viewer } from '#shared/contract/viewer.ts'
import type { StudyId } from '#shared/ids.ts'
import * as studies from './service.ts'

/** Serves the studies of the viewer area; its links are served by modules/viewer/routes.ts. */
export function serveViewerStudies(app: HttpApp, context: Context): void {
  const { rerouteUrl: _, ephemeralSession: __, ...operations } = viewer
  serveAll(app, operations, {
    create: ({ caller, body }) =>
      viewerStudyReply(studies.createStudy(context, caller, 'viewer', body)),
    list({ caller, query: { cursor, ...query } }) {
      const asked = { ...query, after: cursor }
      const { items, next } = studies.listStudies(context, caller, 'viewer', asked)
      return listPage('studies', items.map(viewerStudyReply), next)
    },
    read: ({ caller, params }) =>
      viewerStudyReply(studies.readStudy(context, caller, 'viewer', params.studyId)),
    byUid: ({ caller, params }) =>
      viewerStudyReply(studies.readStudyByUid(context, caller, 'viewer', params.studyInstanceUid)),
    update: ({ caller, params, body }) =>
      viewerStudyReply(studies.updateStudy(context, caller, 'viewer', params.studyId, body)),
    cancel: ({ caller, body }) => studies.cancelStudy(context, caller, 'viewer', body),
    uncancel: ({ caller, body }) => studies.uncancelStudy(context, caller, 'viewer', body),
  })
}

const viewerStudyReply = (study: studies.Study<'viewer'>): ViewerStudy => ({
  ...studyReply(study),
  studyViewerStatus: study.record.status,
})

/**
 * The fields that the replies of both areas have in common. References and `cancelledAt` are always
 * present, and null if there are none.
 */
export function studyReply({
  record,
  ...references
}: studies.Study): Omit<ViewerStudy, 'studyViewerStatus'> {
  const { studyId, studyInstanceUid, studyDescription, severity, cancelledAt, detail } = record
  return {
    studyId: studyId as StudyId,
    studyInstanceUid,
    studyDescription,
    severity,
    isCancelled: cancelledAt !== null,
    cancelledAt,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ...references,
    ...(detail.metadata && { metadata: detail.metadata }),
  }
}
