import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import { serveDocument } from '#server/http/file-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve } from '#server/http/operations.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import type { sessionReply } from '#server/modules/users/session-routes.ts'
import { linked, linkedDocumentPath, linkedReports } from '#shared/contract/linked.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { OperationFor } from '#shared/operation.ts'
import type { ClinicalContexts } from './clinical-contexts.ts'
import { findReport } from './report-queries.ts'
import { contextDocument, DocumentParams, MAX_BODY_BYTES, reportHandlers } from './report-routes.ts'

type LinkedCall = keyof typeof linkedReports

/**
 * Serves dictation by link (`shared/contract/linked.ts`): the window's calls about the study of the
 * view, answered as in the window. Other calls of the window are not served.
 */
export function serveLinkedReports(
  app: HttpApp,
  context: Context,
  eventLog: EventLog,
  contexts: ClinicalContexts,
  publicBase: () => string,
  showSession: ReturnType<typeof sessionReply>,
): void {
  serve(app, linked.session, ({ view }) => showSession(dictationOf(context, view).user))
  for (const name of Object.keys(linkedReports) as LinkedCall[]) {
    const operation: OperationFor<'view'> = linkedReports[name]
    const bodyBytes = (MAX_BODY_BYTES as Partial<Record<LinkedCall, number>>)[name]
    serve(
      app,
      operation,
      (call) => {
        const { studyId, user, callerOf } = dictationOf(context, call.view)
        checkStudyOfLink(context, studyId, call as CallTarget)
        const handlers = reportHandlers(context, eventLog, contexts, publicBase, callerOf)
        const handler = handlers[name] as (call: unknown) => unknown
        return handler({ ...call, view: undefined, user })
      },
      { bodyBytes },
    )
  }
  serveDocument(
    app,
    linkedDocumentPath,
    { access: 'view', params: DocumentParams },
    ({ params, view }) => {
      const { studyId, user, callerOf } = dictationOf(context, view)
      checkStudyOfLink(context, studyId, { params })
      return contextDocument(context, callerOf, user, params)
    },
  )
}

/**
 * The user of a dictation link, with the permissions that the link gives.
 * @throws ApiError not-permitted: the view is not for dictation
 */
function dictationOf(context: Context, { kind, studyId, user: linkedUser }: OpenView) {
  if (kind !== 'reroute' || studyId === null || !linkedUser)
    throw new ApiError('not-permitted', message('reports.link-for-viewing'))
  // A user without access to the window may still write the report that they were sent a link for.
  // Their other permissions are unchanged.
  const user = { ...linkedUser, hasDashboardAccess: true }
  const callerOf = (who: SignedInUser) => ({
    ...windowCaller(context)(who),
    linkedStudyId: studyId,
  })
  return { studyId, user, callerOf }
}

/** The study and report IDs of a call. */
interface CallTarget {
  readonly params?: { readonly studyId?: string; readonly reportId?: string } | undefined
  readonly query?: { readonly studyId?: string | undefined } | undefined
}

/**
 * Checks that a call concerns the study of the link.
 * @throws ApiError not-found: the call refers to another study or its report
 */
function checkStudyOfLink(
  { database }: Context,
  studyId: string,
  { params, query }: CallTarget,
): void {
  const studyIds = [params?.studyId, query?.studyId].filter((one) => one !== undefined)
  const reportStudyIds =
    params?.reportId === undefined ? [] : [findReport(database, params.reportId)?.studyId]
  if ([...studyIds, ...reportStudyIds].some((one) => one !== studyId))
    throw new ApiError('not-found', message('reports.link-of-other-study'))
}
