import { serveDocument } from '#server/http/document.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve } from '#server/http/operations.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import { type UserCaller, windowCaller } from '#server/modules/users/caller.ts'
import type { sessionReply } from '#server/modules/users/session-routes.ts'
import { linked, linkedDocumentPath, linkedReports } from '#shared/contract/linked.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import type { OperationFor } from '#shared/operation.ts'
import {
  contextDocument,
  type DashboardReportsDeps,
  DocumentParams,
  REPORTS_BYTES,
  reportHandlers,
} from './report-routes.ts'

export interface LinkedReportsDeps extends DashboardReportsDeps {
  readonly session: ReturnType<typeof sessionReply>
}

type LinkedCall = keyof typeof linkedReports

/** Whom a link for dictation is for, with the rights that they have by it. */
interface Dictation {
  readonly studyId: string
  readonly user: SignedInUser
  readonly callerOf: (user: SignedInUser) => UserCaller
}

/**
 * Declares dictation by link (`shared/contract/linked.ts`): the window's calls about the one study
 * of the view, answered as the window's own, and nothing else of the window.
 */
export function serveLinkedReports(app: HttpApp, deps: LinkedReportsDeps): void {
  const { store, session } = deps

  /** @throws ApiError not-permitted: the view is not for dictation */
  function dictationOf({ kind, studyId, user: linkedUser }: OpenView): Dictation {
    if (kind !== 'reroute' || studyId === null || !linkedUser)
      throw new ApiError(
        'not-permitted',
        'This link is for viewing: for dictation another one must be made.',
      )
    // Row 52: who has no access to the window may write what they were sent; what they may do there
    // is theirs.
    const user = { ...linkedUser, hasDashboardAccess: true }
    return {
      studyId,
      user,
      callerOf: (who) => ({ ...windowCaller(store)(who), linkedStudyId: studyId }),
    }
  }

  /** @throws ApiError not-found: the call names another study, or a report of another one */
  function demandOwn({ studyId }: Dictation, { params, query }: NamedIn): void {
    const studies = [
      ...[params?.studyId, query?.studyId].filter((named) => named !== undefined),
      ...(params?.reportId === undefined ? [] : [store.reports.get(params.reportId)?.studyId]),
    ]
    if (studies.some((named) => named !== studyId))
      throw new ApiError('not-found', 'This link is for another study.')
  }

  function declare(name: LinkedCall): void {
    const operation: OperationFor<'view'> = linkedReports[name]
    const bodyBytes = (REPORTS_BYTES as Partial<Record<LinkedCall, number>>)[name]
    serve(
      app,
      operation,
      (call) => {
        const dictation = dictationOf(call.view)
        demandOwn(dictation, call as NamedIn)
        const handler = reportHandlers(deps, dictation.callerOf)[name] as (call: unknown) => unknown
        return handler({ ...call, view: undefined, user: dictation.user })
      },
      { bodyBytes },
    )
  }

  serve(app, linked.session, ({ view }) => session(dictationOf(view).user))
  for (const name of Object.keys(linkedReports) as LinkedCall[]) declare(name)
  serveDocument(
    app,
    linkedDocumentPath,
    { access: 'view', params: DocumentParams },
    ({ params, view }) => {
      const dictation = dictationOf(view)
      demandOwn(dictation, { params })
      return contextDocument(deps, dictation.callerOf)(dictation.user, params)
    },
  )
}

/** Where a call names a study or a report. */
interface NamedIn {
  readonly params?: { readonly studyId?: string; readonly reportId?: string } | undefined
  readonly query?: { readonly studyId?: string | undefined } | undefined
}
