import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { type Document, serveDocument } from '#server/http/document.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { note, userActor } from '#server/modules/audit/audit.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { ReportPorts } from '#server/modules/dashboard/ports.ts'
import { readStudy, updateStudy } from '#server/modules/studies/service.ts'
import { isAllowed, windowCaller } from '#server/modules/users/caller.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { StudyId } from '#shared/ids.ts'
import type { ClinicalContexts } from './clinical-contexts.ts'
import type { CriticalResults } from './critical-results.ts'
import type { ReportReading } from './report-reading.ts'
import type { ReportTemplates } from './report-templates.ts'
import type { ReportWriting } from './report-writing.ts'

export interface DashboardReportsDeps {
  readonly store: Context
  readonly feed: Pick<Feed, 'noteStatus' | 'noteImages'>
  readonly writing: ReportWriting
  readonly reading: ReportReading
  readonly templates: ReportTemplates
  readonly criticals: CriticalResults
  readonly contexts: Pick<ClinicalContexts, 'of' | 'ask' | 'document'>
  readonly ports: ReportPorts
}

/** A report of 200,000 characters, each of three bytes, with what JSON escapes of it. */
const TEXT_BYTES = 2 * 1024 * 1024
export const REPORTS_BYTES = { begin: TEXT_BYTES, save: TEXT_BYTES, check: TEXT_BYTES } as const
export const DocumentParams = z.object({
  studyId: StudyId,
  documentId: z.coerce.number().int().positive(),
})

export type ReportHandlers = HandlersOf<typeof dashboardReports>

/**
 * What answers the calls about reports, of the window and by link; `callerOf` says what rights the
 * person has there.
 */
export function reportHandlers(
  deps: DashboardReportsDeps,
  callerOf = windowCaller(deps.store),
): ReportHandlers {
  const { store, feed, writing, reading, templates, criticals, contexts, ports } = deps
  /** Not after each save: what other windows list of a study is who has it and how it stands. */
  const told = <T>(reply: T): T => {
    feed.noteStatus()
    return reply
  }

  /** The study of a signed report that the person may see. */
  function signed(user: SignedInUser, reportId: string): void {
    const report = store.reports.get(reportId)
    if (report) readStudy(store, callerOf(user), 'scribe', report.studyId)
    if (report?.status !== 'completed')
      throw new ApiError('not-found', 'There is no such signed report.')
  }

  return {
    read: ({ params, user }) => reading.read(callerOf(user), params.studyId),
    byUid: ({ params, user }) => ({
      studyId: reading.byUid(callerOf(user), params.studyInstanceUid),
    }),
    async askContext({ params, body, user }) {
      const caller = callerOf(user)
      readStudy(store, caller, 'scribe', params.studyId)
      // The screen asks when it is opened: who looked at whom is on record (ux-security E.8).
      note(
        store,
        userActor(user.userId),
        body.again ? 'reading.ask-again' : 'reading.open',
        params.studyId,
      )
      await contexts.ask(params.studyId, { again: body.again })
      return contexts.of(readStudy(store, caller, 'scribe', params.studyId).record)
    },

    begin({ params, body, user }) {
      const caller = callerOf(user)
      writing.begin(caller, params.studyId, body)
      return told(reading.read(caller, params.studyId))
    },
    save({ params, body, user }) {
      const saved = writing.save(callerOf(user), params.studyId, body)
      return body.isLast ? told(saved) : saved
    },
    hold({ params, body, user }) {
      const lock = writing.hold(callerOf(user), params.studyId, body)
      return body.isWriting ? { lock } : told({ lock })
    },
    revisions: ({ params, user }) => ({
      revisions: writing.revisions(callerOf(user), params.studyId),
    }),
    revision: ({ params, user }) =>
      writing.revision(callerOf(user), params.studyId, params.revision),
    check: ({ params, body, user }) => ({
      findings: writing.check(callerOf(user), params.studyId, body),
    }),
    async sign({ params, body, user }) {
      const caller = callerOf(user)
      const result = await writing.sign(caller, params.studyId, body)
      if (result.outcome !== 'signed') return result
      return told({ outcome: 'signed' as const, reading: reading.read(caller, params.studyId) })
    },
    overrideIdentity({ params, body, user }) {
      const caller = callerOf(user)
      writing.overrideIdentity(caller, params.studyId, body)
      feed.noteImages()
      return told(reading.read(caller, params.studyId))
    },
    withdrawOverride({ params, user }) {
      const caller = callerOf(user)
      writing.withdrawOverride(caller, params.studyId)
      feed.noteImages()
      return told(reading.read(caller, params.studyId))
    },
    startAddendum: ({ params, user }) =>
      told(writing.startAddendum(callerOf(user), params.reportId)),
    cancelAddendum: ({ params, user }) =>
      told(writing.cancelAddendum(callerOf(user), params.reportId)),

    pdfLink({ params, user }) {
      signed(user, params.reportId)
      note(store, userActor(user.userId), 'report.pdf-link', params.reportId)
      return { url: ports.pdfUrl(params.reportId) }
    },
    async send({ params, body, user }) {
      const caller = callerOf(user)
      if (!isAllowed(caller, 'writeReports') && !isAllowed(caller, 'manageStudies'))
        throw new ApiError(
          'not-permitted',
          'Your account may not send reports: it may neither write them nor manage studies.',
        )
      signed(user, params.reportId)
      return ports.sendObjects(params.reportId, body.destinationId, userActor(user.userId))
    },

    criticals: ({ user }) => ({ criticals: criticals.open(callerOf(user)) }),
    communicate: ({ params, body, user }) =>
      told(criticals.communicate(callerOf(user), params.reportId, body)),

    templates: ({ query, user }) => ({ templates: templates.list(callerOf(user), query.studyId) }),
    addTemplate: ({ body, user }) => templates.add(callerOf(user), body),
    changeTemplate: ({ params, body, user }) =>
      templates.change(callerOf(user), params.templateId, body),
    removeTemplate({ params, user }) {
      templates.remove(callerOf(user), params.templateId)
      return { success: true }
    },
    assign({ params, body, user }) {
      const caller = callerOf(user)
      updateStudy(store, caller, 'scribe', params.studyId, { assignedTo: body.userId })
      return told(reading.read(caller, params.studyId))
    },
  }
}

/**
 * A document of the clinical context of a study that the person sees. @throws ApiError not-found
 */
export function contextDocument(
  { store, contexts }: DashboardReportsDeps,
  callerOf = windowCaller(store),
) {
  return (
    user: SignedInUser,
    { studyId, documentId }: z.output<typeof DocumentParams>,
  ): Document => {
    readStudy(store, callerOf(user), 'scribe', studyId)
    const document = contexts.document(studyId, documentId)
    if (!document) throw new ApiError('not-found', 'There is no such document.')
    return document
  }
}

/**
 * Declares the window's calls about reports (`shared/contract/reports.ts`), and the documents of
 * their clinical context.
 */
export function serveDashboardReports(app: HttpApp, deps: DashboardReportsDeps): void {
  const document = contextDocument(deps)
  serveAll(app, dashboardReports, reportHandlers(deps), {
    bodyBytes: REPORTS_BYTES,
  })
  serveDocument(
    app,
    '/dashboard/reading/:studyId/documents/:documentId',
    { access: dashboardReports.read.access, params: DocumentParams },
    ({ params, user }) => document(user, params),
  )
}
