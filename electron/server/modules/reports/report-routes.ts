import { z } from 'zod'
import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { type Document, serveDocument } from '#server/http/file-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { readStudy, updateStudy } from '#server/modules/studies/service.ts'
import { isAllowed, windowCaller } from '#server/modules/users/caller.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { StudyId } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import { readContextDocument } from './clinical-context-queries.ts'
import { type ClinicalContexts, clinicalContextOf } from './clinical-contexts.ts'
import { listCriticalResults, recordCommunication } from './critical-results.ts'
import { overrideIdentity, withdrawOverride } from './identity-override.ts'
import { reportPdfUrl } from './pdf-links.ts'
import { sendReportCopies } from './report-archive.ts'
import { findReport } from './report-queries.ts'
import { findScribeStudyId, readReadingState } from './report-reading.ts'
import { signReport } from './report-signing.ts'
import * as templates from './report-templates.ts'
import * as writing from './report-writing.ts'
import { startAddendum } from './reports.ts'

/** Enough for a report of 200,000 characters of three bytes each, with JSON escapes. */
const MAX_TEXT_BODY_BYTES = 2 * 1024 * 1024
export const MAX_BODY_BYTES = {
  begin: MAX_TEXT_BODY_BYTES,
  save: MAX_TEXT_BODY_BYTES,
  check: MAX_TEXT_BODY_BYTES,
} as const
export const DocumentParams = z.object({
  studyId: StudyId,
  documentId: z.coerce.number().int().positive(),
})

type Handlers = HandlersOf<typeof dashboardReports>
type HandlerSubset<K extends keyof Handlers> = Pick<Handlers, K>
/** Returns the caller with the permissions of a user in the window or by a link. */
type CallerOf = ReturnType<typeof windowCaller>

/**
 * The handlers of the calls about reports, for the window and for links. `callerOf` determines the
 * user's permissions.
 */
export const reportHandlers = (
  context: Context,
  eventLog: EventLog,
  contexts: ClinicalContexts,
  publicBase: () => string,
  callerOf: CallerOf,
): Handlers => ({
  ...readingHandlers(context, contexts, callerOf),
  ...draftHandlers(context, eventLog, callerOf),
  ...signedReportHandlers(context, publicBase, callerOf),
  ...templateHandlers(context, callerOf),
})

/** Notifies windows that list the study. */
function notifyChange<T>({ feed }: Context, reply: T): T {
  feed.noteStatus()
  return reply
}

const readingHandlers = (
  context: Context,
  contexts: ClinicalContexts,
  callerOf: CallerOf,
): HandlerSubset<
  'read' | 'byUid' | 'askContext' | 'assign' | 'overrideIdentity' | 'withdrawOverride'
> => ({
  read: ({ params, user }) => readReadingState(context, callerOf(user), params.studyId),
  byUid: ({ params, user }) => ({
    studyId: findScribeStudyId(context, callerOf(user), params.studyInstanceUid),
  }),
  async askContext({ params: { studyId }, body: { again }, user }) {
    const caller = callerOf(user)
    readStudy(context, caller, 'scribe', studyId)
    // The screen makes this call when it is opened, so the audit log records who viewed which
    // patient.
    note(context, userActor(user.userId), again ? 'reading.ask-again' : 'reading.open', studyId)
    await contexts.ask(studyId, { again })
    return clinicalContextOf(context, readStudy(context, caller, 'scribe', studyId).record)
  },
  assign({ params: { studyId }, body, user }) {
    const caller = callerOf(user)
    updateStudy(context, caller, 'scribe', studyId, { assignedTo: body.userId })
    return notifyChange(context, readReadingState(context, caller, studyId))
  },
  overrideIdentity({ params: { studyId }, body, user }) {
    const caller = callerOf(user)
    overrideIdentity(context, caller, studyId, body)
    context.feed.noteImages()
    return notifyChange(context, readReadingState(context, caller, studyId))
  },
  withdrawOverride({ params: { studyId }, user }) {
    const caller = callerOf(user)
    withdrawOverride(context, caller, studyId)
    context.feed.noteImages()
    return notifyChange(context, readReadingState(context, caller, studyId))
  },
})

const draftHandlers = (
  context: Context,
  eventLog: EventLog,
  callerOf: CallerOf,
): HandlerSubset<'begin' | 'save' | 'hold' | 'revisions' | 'revision' | 'check' | 'sign'> => ({
  begin({ params: { studyId }, body, user }) {
    const caller = callerOf(user)
    writing.beginReport(context, caller, studyId, body)
    return notifyChange(context, readReadingState(context, caller, studyId))
  },
  // Other windows show the author and the state of the report, which saving does not change.
  save({ params, body, user }) {
    const saved = writing.saveReport(context, callerOf(user), params.studyId, body)
    return body.isLast ? notifyChange(context, saved) : saved
  },
  hold({ params, body, user }) {
    const lock = writing.updateReportLock(context, callerOf(user), params.studyId, body)
    return body.isWriting ? { lock } : notifyChange(context, { lock })
  },
  revisions: ({ params, user }) => ({
    revisions: writing.listDraftRevisions(context, callerOf(user), params.studyId),
  }),
  revision: ({ params: { studyId, revision }, user }) =>
    writing.readDraftRevision(context, callerOf(user), studyId, revision),
  check: ({ params, body, user }) => ({
    findings: writing.checkReport(context, callerOf(user), params.studyId, body),
  }),
  async sign({ params: { studyId }, body, user }) {
    const caller = callerOf(user)
    const result = await signReport(context, eventLog, caller, studyId, body)
    if (result.outcome !== 'signed') return result
    const reading = readReadingState(context, caller, studyId)
    return notifyChange(context, { outcome: 'signed', reading })
  },
})

const signedReportHandlers = (
  context: Context,
  publicBase: () => string,
  callerOf: CallerOf,
): HandlerSubset<
  'startAddendum' | 'cancelAddendum' | 'pdfLink' | 'send' | 'criticals' | 'communicate'
> => ({
  startAddendum: ({ params, user }) =>
    notifyChange(context, startAddendum(context, callerOf(user), params.reportId)),
  cancelAddendum: ({ params, user }) =>
    notifyChange(context, writing.cancelOwnAddendum(context, callerOf(user), params.reportId)),
  pdfLink({ params: { reportId }, user }) {
    checkReportSigned(context, callerOf, user, reportId)
    note(context, userActor(user.userId), 'report.pdf-link', reportId)
    return { url: reportPdfUrl(context, publicBase(), reportId) }
  },
  send({ params: { reportId }, body, user }) {
    const caller = callerOf(user)
    if (!isAllowed(caller, 'writeReports') && !isAllowed(caller, 'manageStudies'))
      throw new ApiError('not-permitted', message('reports.may-not-send'))
    checkReportSigned(context, callerOf, user, reportId)
    return sendReportCopies(context, reportId, body.destinationId, userActor(user.userId))
  },
  criticals: ({ user }) => ({ criticals: listCriticalResults(context, callerOf(user)) }),
  communicate: ({ params, body, user }) =>
    notifyChange(context, recordCommunication(context, callerOf(user), params.reportId, body)),
})

/**
 * Checks that the report is signed.
 * @throws ApiError not-found: it is not a signed report of a study that the user may see
 */
function checkReportSigned(
  context: Context,
  callerOf: CallerOf,
  user: SignedInUser,
  reportId: string,
): void {
  const report = findReport(context.database, reportId)
  if (report) readStudy(context, callerOf(user), 'scribe', report.studyId)
  if (report?.status !== 'completed')
    throw new ApiError('not-found', message('reports.signed-report-unknown'))
}

const templateHandlers = (
  context: Context,
  callerOf: CallerOf,
): HandlerSubset<'templates' | 'addTemplate' | 'changeTemplate' | 'removeTemplate'> => ({
  templates: ({ query, user }) => ({
    templates: templates.listTemplates(context, callerOf(user), query.studyId),
  }),
  addTemplate: ({ body, user }) => templates.addTemplate(context, callerOf(user), body),
  changeTemplate: ({ params, body, user }) =>
    templates.changeTemplate(context, callerOf(user), params.templateId, body),
  removeTemplate({ params, user }) {
    templates.removeTemplate(context, callerOf(user), params.templateId)
    return { success: true }
  },
})

/**
 * Returns a document of the clinical context of a study that the user may see.
 * @throws ApiError not-found
 */
export function contextDocument(
  context: Context,
  callerOf: CallerOf,
  user: SignedInUser,
  { studyId, documentId }: z.output<typeof DocumentParams>,
): Document {
  readStudy(context, callerOf(user), 'scribe', studyId)
  const document = readContextDocument(context.database, studyId, documentId)
  if (!document) throw new ApiError('not-found', message('reports.document-unknown'))
  return document
}

/**
 * Serves the window's calls about reports (`shared/contract/reports.ts`) and the documents of the
 * clinical context.
 */
export function serveDashboardReports(
  app: HttpApp,
  context: Context,
  eventLog: EventLog,
  contexts: ClinicalContexts,
  publicBase: () => string,
): void {
  const callerOf = windowCaller(context)
  const handlers = reportHandlers(context, eventLog, contexts, publicBase, callerOf)
  serveAll(app, dashboardReports, handlers, { bodyBytes: MAX_BODY_BYTES })
  serveDocument(
    app,
    '/dashboard/reading/:studyId/documents/:documentId',
    { access: dashboardReports.read.access, params: DocumentParams },
    ({ params, user }) => contextDocument(context, callerOf, user, params),
  )
}
