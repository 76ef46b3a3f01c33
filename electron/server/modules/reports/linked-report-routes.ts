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
import { contextDocument, DocumentParams, REPORTS_BYTES, reportHandlers } from './report-routes.ts'

type LinkedCall = keyof typeof linkedReports

/**
 * Dictation by link (`shared/contract/linked.ts`): the window's calls about the one study of the
 * view, answered as the window's own, and nothing else of the window.
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
    const bodyBytes = (REPORTS_BYTES as Partial<Record<LinkedCall, number>>)[name]
    serve(
      app,
      operation,
      (call) => {
        const { studyId, user, callerOf } = dictationOf(context, call.view)
        demandOwn(context, studyId, call as NamedIn)
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
      demandOwn(context, studyId, { params })
      return contextDocument(context, callerOf, user, params)
    },
  )
}

/**
 * Whom a link for dictation is for, with the rights that they have by it. @throws ApiError
 * not-permitted: the view is not for dictation
 */
function dictationOf(context: Context, { kind, studyId, user: linkedUser }: OpenView) {
  if (kind !== 'reroute' || studyId === null || !linkedUser)
    throw new ApiError('not-permitted', message('reports.link-for-viewing'))
  // Who has no access to the window may write what they were sent; what they may do there is
  // theirs.
  const user = { ...linkedUser, hasDashboardAccess: true }
  const callerOf = (who: SignedInUser) => ({
    ...windowCaller(context)(who),
    linkedStudyId: studyId,
  })
  return { studyId, user, callerOf }
}

/** Where a call names a study or a report. */
interface NamedIn {
  readonly params?: { readonly studyId?: string; readonly reportId?: string } | undefined
  readonly query?: { readonly studyId?: string | undefined } | undefined
}

/** @throws ApiError not-found: the call names another study, or a report of another one */
function demandOwn({ database }: Context, studyId: string, { params, query }: NamedIn): void {
  const named = [params?.studyId, query?.studyId].filter((one) => one !== undefined)
  const ofReport =
    params?.reportId === undefined ? [] : [findReport(database, params.reportId)?.studyId]
  if ([...named, ...ofReport].some((one) => one !== studyId))
    throw new ApiError('not-found', message('reports.link-of-other-study'))
}
