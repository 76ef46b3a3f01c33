import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import {
  isVisible,
  resolveStudy,
  type StudyIdentifiers,
} from '#server/modules/studies/study-access.ts'
import {
  findStudy,
  type ScribeStudyRecord,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { refused } from '#server/modules/studies/study-references.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { actorOf, type Caller, requirePermission } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, type ReportId, type StudyId } from '#shared/ids.ts'
import { nextStatus, type StudyReportStatus } from '#shared/lifecycle.ts'
import { type MessageCode, message } from '#shared/messages/message.ts'
import * as queries from './report-queries.ts'

// Reports in the partner interface. They are written and signed in the window.

/** Specifies reports by report ID or by study. */
export type ReportQuery = StudyIdentifiers & { readonly reportId?: string | undefined }

/**
 * The reports of a study, including addenda, oldest first. The text of drafts is left out.
 * @throws ApiError malformed, not-permitted, not-found
 */
export function listStudyReports(context: Context, caller: Caller, identifiers: StudyIdentifiers) {
  requirePermission(caller, 'readStudies')
  const study = resolveStudy(context, caller, 'scribe', identifiers, 'query')
  const reports = queries
    .listReports(context.database, study.studyId)
    .map((report) => (report.status === 'completed' ? report : { ...report, plainText: null }))
  return { reports, ...namesOf(study) }
}

/**
 * The completed report `reportId`, or all completed reports of the study.
 * @throws ApiError malformed, not-permitted, not-found; refused: the report is a draft
 */
export function readSignedReports(
  context: Context,
  caller: Caller,
  { reportId, ...either }: ReportQuery,
) {
  requirePermission(caller, 'readStudies')
  if (reportId === undefined) {
    const study = resolveStudy(context, caller, 'scribe', either, 'query')
    const signedReports = queries.listSignedReports(context.database, study.studyId)
    return { reports: signedReports.map((report) => itemOf(report, study)), ...namesOf(study) }
  }
  const { report, study } = requireVisibleReport(context, caller, reportId)
  if (either.studyId !== undefined || either.studyInstanceUid !== undefined) {
    if (resolveStudy(context, caller, 'scribe', either, 'query').studyId !== study.studyId)
      throw new ApiError('malformed', message('reports.not-of-study'), {
        errors: [{ path: 'query.reportId', message: message('reports.not-of-study-field') }],
      })
  }
  if (report.status !== 'completed')
    throw refused('query.reportId', message('reports.still-a-draft'))
  return itemOf(report, study)
}

export type SignedReport = ReturnType<typeof itemOf>

/**
 * Creates a draft addendum.
 * @throws ApiError not-permitted, not-found
 */
export function startAddendum(context: Context, caller: Caller, reportId: string): WindowOutcome {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    requirePermission(caller, 'writeReports')
    const { report, study } = requireVisibleReport(context, caller, reportId)
    const status = nextStatus('startAddendum', study.status)
    if (study.cancelledAt !== null) return refusal('studies.cancelled')
    if (study.status === 'addendum_active') return refusal('reports.addendum-active-already')
    if (report.status !== 'completed' || status === undefined)
      return refusal('reports.addendum-report-not-completed')
    const { studyId, detail } = study
    const primary = queries.listReports(database, studyId).find(({ isAddendum }) => !isAddendum)
    const now = instantOf(clock())
    const addendumId = idFromUuid('rep', uuid())
    queries.insertReport(database, {
      ...{ reportId: addendumId, studyId, userId: (primary ?? report).userId, isAddendum: true },
      ...{ status: 'in_progress', signedAt: null, isCritical: null, plainText: null },
      ...{ snapshotMetadata: detail.reportMetadata ?? {}, createdAt: now, updatedAt: now },
    })
    changeStudyStatus(context, caller, study, status, 'report.start-addendum', addendumId)
    return { success: true, message: message('reports.addendum-active') }
  })
}

/**
 * Discards the draft addendum, specified by the ID of the report or of the addendum.
 * @throws ApiError not-permitted, not-found
 */
export function cancelAddendum(context: Context, caller: Caller, reportId: string): WindowOutcome {
  const { database } = context
  return database.transaction(() => {
    requirePermission(caller, 'writeReports')
    const { report, study } = requireVisibleReport(context, caller, reportId)
    const status = nextStatus('cancelAddendum', study.status)
    const active = queries.findDraft(database, study.studyId)
    if (status === undefined || !active?.isAddendum) return refusal('reports.addendum-none-active')
    if (report.isAddendum && report.reportId !== active.reportId)
      return refusal('reports.addendum-completed')
    queries.deleteReport(database, active.reportId)
    changeStudyStatus(context, caller, study, status, 'report.cancel-addendum', active.reportId)
    return { success: true, message: message('reports.addendum-cancelled') }
  })
}

/** @throws ApiError not-found */
function requireVisibleReport({ database }: Context, caller: Caller, reportId: string) {
  const report = queries.findReport(database, reportId)
  const study = report && findStudy(database, report.studyId)
  if (!report || study?.area !== 'scribe' || !isVisible(caller, study))
    throw new ApiError('not-found', message('reports.report-unknown'))
  return { report, study }
}

function changeStudyStatus(
  context: Context,
  caller: Caller,
  study: ScribeStudyRecord,
  status: StudyReportStatus,
  action: string,
  reportId: string,
): void {
  const updatedAt = instantOf(context.clock())
  saveStudy(context.database, { ...study, status, updatedAt }, study)
  note(context, actorOf(caller), action, study.studyId, { reportId })
}

const refusal = (code: MessageCode): WindowOutcome => ({ success: false, message: message(code) })

const namesOf = ({ studyId, studyInstanceUid }: StudyRecord) => ({
  studyId: studyId as StudyId,
  studyInstanceUid,
})

const itemOf = (report: queries.ReportRecord, study: StudyRecord) => ({
  reportId: report.reportId as ReportId,
  ...namesOf(study),
  snapshotMetadata: report.snapshotMetadata,
  isCritical: report.isCritical,
  ...(report.plainText !== null && { plainText: report.plainText }),
})
