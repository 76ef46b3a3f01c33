import type { Context } from '#server/context.ts'
import { requireVisibleStudy } from '#server/modules/studies/study-access.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { isAllowed, requirePermission, type UserCaller } from '#server/modules/users/caller.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import type { Draft, ReportLock } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import type { ReportId } from '#shared/ids.ts'
import { nextStatus } from '#shared/lifecycle.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { findReportLock } from './report-locks.ts'
import { findDraft, findReportRevision, type ReportRecord } from './report-queries.ts'

/** A study, its draft report, and the lock of the window that has the draft open. */
export interface DraftState {
  readonly study: ScribeStudyRecord
  readonly draft: ReportRecord | undefined
  readonly lock: ReportLock | undefined
}

export function draftStateOf(context: Context, study: ScribeStudyRecord): DraftState {
  const draft = findDraft(context.database, study.studyId)
  return { study, draft, lock: draft && findReportLock(context, draft.reportId) }
}

/** @throws ApiError not-permitted: the caller may not write reports; not-found */
export function readDraftState(context: Context, caller: UserCaller, studyId: string): DraftState {
  requirePermission(caller, 'writeReports')
  const study = requireVisibleStudy(context, caller, 'scribe', studyId) as ScribeStudyRecord
  return draftStateOf(context, study)
}

/**
 * Like `readDraftState`.
 * @throws ApiError refused: the study cannot be edited now
 */
export function writableDraftState(
  context: Context,
  caller: UserCaller,
  studyId: string,
): DraftState {
  const state = readDraftState(context, caller, studyId)
  const why = editObstacle(state)
  if (why !== undefined) throw new ApiError('refused', why)
  return state
}

/**
 * Returns the draft.
 * @throws ApiError refused: there is none
 */
export function requireDraft({ draft }: DraftState): ReportRecord {
  if (draft) return draft
  throw new ApiError('refused', message('reports.nothing-begun'))
}

/**
 * Checks that the draft belongs to the caller and is not open in another window.
 * @throws ApiError refused
 */
export function checkDraftOwner(
  { database }: Context,
  { user }: UserCaller,
  { draft, lock }: DraftState,
  windowId: string,
): void {
  if (lock && lock.userId !== user.userId)
    throw new ApiError('refused', message('reports.writing-now', { name: lock.name }))
  if (lock && lock.windowId !== windowId) throw inAnotherWindowError()
  if (draft && draft.userId !== user.userId)
    throw new ApiError(
      'refused',
      message('reports.has-report', { name: namedUserOf(database, draft.userId).name }),
    )
}

export const inAnotherWindowError = () =>
  new ApiError('refused', message('reports.in-another-window'))

/** Why the study cannot be edited now; undefined if it can. */
export function editObstacle({ study }: Pick<DraftState, 'study'>): Message | undefined {
  if (study.cancelledAt !== null) return message('studies.uncancel-first')
  if (nextStatus('dictate', study.status) === undefined && study.status !== 'addendum_active')
    return message('reports.report-is-signed')
  return undefined
}

/**
 * Names the user who owns the report and the remedy; undefined if the caller may write it. A report
 * belongs to another user while their window has it open, after they have begun it, and while the
 * study is assigned to them. An addendum that no one has written yet belongs to whoever writes
 * first.
 *
 * Any user who may write reports may take a report over, so that a draft is not blocked by an
 * absent colleague. Taking over is an explicit action, the audit log records the former owner, and
 * nothing is lost: the draft keeps its revisions.
 */
export function otherOwnerOf(
  { database }: Context,
  { user }: UserCaller,
  { study, draft, lock }: DraftState,
): Message | undefined {
  if (lock && lock.userId !== user.userId)
    return message('reports.writing-now', { name: lock.name })
  if (draft) {
    const isUnwritten = draft.isAddendum && draft.revision === 0
    if (draft.userId === user.userId || isUnwritten) return undefined
    return message('reports.has-begun', { name: namedUserOf(database, draft.userId).name })
  }
  if (study.assignedTo === null || study.assignedTo === user.userId) return undefined
  const { name } = namedUserOf(database, study.assignedTo)
  return message('reports.assigned-to-other', { name })
}

/** Why the caller may not write now; undefined if they may. */
export function writeObstacle(
  context: Context,
  caller: UserCaller,
  state: DraftState,
): Message | undefined {
  if (!isAllowed(caller, 'writeReports')) return message('users.may-not-write-reports')
  return editObstacle(state) ?? otherOwnerOf(context, caller, state)
}

/** Converts a draft to the form that the window shows. */
export function draftView({ database }: Context, draft: ReportRecord): Draft {
  const { reportId, isAddendum, revision, plainText, updatedAt, userId } = draft
  const savedRevision = findReportRevision(database, reportId, revision)
  return {
    reportId: reportId as ReportId,
    ...{ isAddendum, revision, text: plainText ?? '', savedAt: savedRevision?.at ?? updatedAt },
    savedBy: namedUserOf(database, savedRevision?.userId ?? userId),
  }
}

/**
 * Whether a window shows this draft at its current revision. If the window specifies no report ID,
 * only the revision is compared.
 */
export const isShown = (
  { reportId, revision }: ReportRecord,
  shown: { readonly reportId?: string | undefined; readonly revision: number },
) => revision === shown.revision && reportId === (shown.reportId ?? reportId)
