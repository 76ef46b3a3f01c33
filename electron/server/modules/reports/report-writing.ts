import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { actorOf, type UserCaller } from '#server/modules/users/caller.ts'
import { namedUser, namedUserOf } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import type {
  CheckFinding,
  Draft,
  DraftRevision,
  ReportLock,
  SaveOutcome,
} from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, type ReportId } from '#shared/ids.ts'
import { nextStatus } from '#shared/lifecycle.ts'
import { message } from '#shared/messages/message.ts'
import { reportFindings } from '#shared/report-checks.ts'
import { normalizeReport } from '#shared/report-text.ts'
import * as drafts from './report-drafts.ts'
import * as locks from './report-locks.ts'
import * as queries from './report-queries.ts'
import { checkInputOf } from './report-signing.ts'
import { cancelAddendum } from './reports.ts'

// Draft reports. Every function requires the permission to write reports.
// @throws ApiError not-permitted, not-found; refused: the study is cancelled, it has no draft, or
// the report belongs to another user (`otherOwnerOf`)

/** Number of revisions that are kept of a draft. */
const MAX_REVISIONS = 100

export interface DraftTextUpdate {
  readonly windowId: string
  readonly text: string
  /** The page is being closed, and an earlier save of this window may still be in transit. */
  readonly isLast?: boolean
}

/**
 * Creates or continues the draft: sets the study to in progress, assigns it to the caller, and
 * locks it for this window.
 */
export function beginReport(
  context: Context,
  caller: UserCaller,
  studyId: string,
  { windowId, takeOver, text, isLast = false }: DraftTextUpdate & { readonly takeOver: boolean },
): void {
  const { database } = context
  const { userId } = caller.user
  const reportId = database.transaction(() => {
    const state = drafts.writableDraftState(context, caller, studyId)
    const { study, draft, lock } = state
    const refusal = drafts.otherOwnerOf(context, caller, state)
    if (!takeOver && refusal !== undefined) throw new ApiError('refused', refusal)
    if (!takeOver && lock && lock.windowId !== windowId) throw drafts.inAnotherWindowError()
    const at = instantOf(context.clock())
    const status = nextStatus('dictate', study.status)
    if (status !== undefined && (status !== study.status || study.assignedTo !== userId))
      saveStudy(database, { ...study, status, assignedTo: userId, updatedAt: at }, study)
    if (refusal !== undefined) noteTakeOver(context, caller, state)
    else if (draft && draft.userId !== userId)
      note(context, actorOf(caller), 'report.begin', draft.reportId, { studyId })
    const own = draft
      ? assignDraft(context, caller, draft, at)
      : newDraft(context, caller, state, at)
    const isUnwritten =
      own.revision === 0 || (isLast && isSavedByWindowSince(context, caller, own, 0, windowId))
    if (isUnwritten && text !== (own.plainText ?? ''))
      saveDraft(context, own, { userId, windowId, text, at })
    return own.reportId
  })
  if (isLast) locks.releaseReportLock(context, reportId, windowId)
  else locks.takeReportLock(context, reportId, { ...namedUser(caller.user), windowId })
}

function noteTakeOver(
  context: Context,
  caller: UserCaller,
  { study, draft, lock }: drafts.DraftState,
): void {
  const isLocked = lock && lock.userId !== caller.user.userId
  const from = isLocked ? lock.userId : (draft?.userId ?? study.assignedTo)
  const { studyId } = study
  note(context, actorOf(caller), 'report.take-over', draft?.reportId ?? studyId, { studyId, from })
}

/** Transfers the draft to the caller. */
function assignDraft(
  { database }: Context,
  { user: { userId } }: UserCaller,
  draft: queries.ReportRecord,
  at: string,
): queries.ReportRecord {
  if (draft.userId === userId) return draft
  const takenOver = { ...draft, userId, updatedAt: at }
  queries.updateReport(database, takenOver)
  return takenOver
}

function newDraft(
  context: Context,
  caller: UserCaller,
  { study }: drafts.DraftState,
  at: string,
): queries.ReportRecord {
  const { database, uuid } = context
  const { studyId } = study
  const reportId = idFromUuid('rep', uuid())
  queries.insertReport(database, {
    ...{ reportId, studyId, userId: caller.user.userId },
    ...{ isAddendum: study.status === 'addendum_active', status: 'in_progress' },
    ...{ signedAt: null, isCritical: null, plainText: null, createdAt: at, updatedAt: at },
    // Patient data as of when the report was begun; updated at signing.
    snapshotMetadata: study.detail.reportMetadata ?? {},
  })
  note(context, actorOf(caller), 'report.begin', reportId, { studyId })
  return drafts.requireDraft(drafts.draftStateOf(context, study))
}

/** Whether all revisions after the given one were saved by this window. */
function isSavedByWindowSince(
  { database }: Context,
  { user }: UserCaller,
  draft: queries.ReportRecord,
  revision: number,
  windowId: string,
): boolean {
  const later = queries
    .listReportRevisions(database, draft.reportId)
    .filter((one) => one.revision > revision)
  return (
    later.length === draft.revision - revision &&
    later.every((one) => one.windowId === windowId && one.userId === user.userId)
  )
}

/** Saves the text as the next revision of the draft, within the open transaction. */
function saveDraft(
  { database }: Context,
  draft: queries.ReportRecord,
  saved: Omit<queries.ReportRevision, 'reportId' | 'revision'>,
): number {
  const { userId, text, at } = saved
  const { reportId } = draft
  const revision = draft.revision + 1
  queries.updateReport(database, { ...draft, userId, plainText: text, revision, updatedAt: at })
  queries.appendReportRevision(database, { ...saved, reportId, revision }, MAX_REVISIONS)
  return revision
}

/**
 * Saves the text of the draft; durable on return. Revisions saved since `revision` are never
 * overwritten, and an unchanged text does not create a revision. The last save of a closing window
 * is also accepted on top of revisions that the same window saved, because their responses can no
 * longer reach it. `reportId` is the draft that the text belongs to.
 */
export function saveReport(
  context: Context,
  caller: UserCaller,
  studyId: string,
  {
    windowId,
    reportId,
    revision,
    text,
    isLast = false,
  }: DraftTextUpdate & { readonly reportId?: string | undefined; readonly revision: number },
): SaveOutcome {
  const { database, clock } = context
  const { userId } = caller.user
  return database.transaction(() => {
    const state = drafts.writableDraftState(context, caller, studyId)
    const draft = drafts.requireDraft(state)
    const isOwn =
      isLast &&
      drafts.isShown(draft, { reportId, revision: draft.revision }) &&
      isSavedByWindowSince(context, caller, draft, revision, windowId)
    if (!isOwn && !drafts.isShown(draft, { reportId, revision }))
      return { outcome: 'conflict', theirs: drafts.draftView(context, draft) }
    drafts.checkDraftOwner(context, caller, state, windowId)
    if (isLast) locks.releaseReportLock(context, draft.reportId, windowId)
    else locks.holdReportLock(context, draft.reportId, { ...namedUser(caller.user), windowId })
    if (draft.revision > 0 && draft.plainText === text)
      return { outcome: 'saved', revision: draft.revision, savedAt: draft.updatedAt }
    const at = instantOf(clock())
    const saved = saveDraft(context, draft, { userId, windowId, text, at })
    return { outcome: 'saved', revision: saved, savedAt: at }
  })
}

/** Renews or releases the lock of this window. Returns the current lock. */
export function updateReportLock(
  context: Context,
  caller: UserCaller,
  studyId: string,
  { windowId, isWriting }: { readonly windowId: string; readonly isWriting: boolean },
): ReportLock | null {
  const { study, draft } = drafts.readDraftState(context, caller, studyId)
  if (!draft) return null
  const { user } = caller
  if (!isWriting) locks.releaseReportLock(context, draft.reportId, windowId)
  else if (draft.userId === user.userId && drafts.editObstacle({ study }) === undefined)
    locks.holdReportLock(context, draft.reportId, { ...namedUser(user), windowId })
  return locks.findReportLock(context, draft.reportId) ?? null
}

/** The revisions of the draft, newest first. */
export function listDraftRevisions(
  context: Context,
  caller: UserCaller,
  studyId: string,
): DraftRevision[] {
  const { draft } = drafts.readDraftState(context, caller, studyId)
  if (!draft) return []
  return queries
    .listReportRevisions(context.database, draft.reportId)
    .map(({ revision, at, userId, text }) => ({
      ...{ revision, at, savedBy: namedUserOf(context.database, userId), characters: text.length },
    }))
}

/**
 * Returns a revision of the draft.
 * @throws ApiError not-found: the revision does not exist
 */
export function readDraftRevision(
  context: Context,
  caller: UserCaller,
  studyId: string,
  revision: number,
): Draft {
  const { draft } = drafts.readDraftState(context, caller, studyId)
  const found = draft && queries.findReportRevision(context.database, draft.reportId, revision)
  if (!found) throw new ApiError('not-found', message('reports.revision-not-kept'))
  return {
    reportId: draft.reportId as ReportId,
    ...{ isAddendum: draft.isAddendum, revision, text: found.text },
    ...{ savedAt: found.at, savedBy: namedUserOf(context.database, found.userId) },
  }
}

/** Returns the findings that would affect signing the text. Nothing is stored. */
export function checkReport(
  context: Context,
  caller: UserCaller,
  studyId: string,
  { text, isCritical }: { readonly text: string; readonly isCritical: boolean },
): CheckFinding[] {
  const { study, draft } = drafts.readDraftState(context, caller, studyId)
  return reportFindings({
    ...checkInputOf(context, study, draft, normalizeReport(text)),
    isCritical,
  })
}

/**
 * Discards the draft addendum with its revisions. The addendum of another user has to be taken over
 * first.
 */
export function cancelOwnAddendum(
  context: Context,
  caller: UserCaller,
  reportId: string,
): WindowOutcome {
  const studyId = queries.findReport(context.database, reportId)?.studyId
  const state = studyId === undefined ? undefined : drafts.readDraftState(context, caller, studyId)
  const draft = state?.draft?.isAddendum ? state.draft : undefined
  const refusal = state && draft && drafts.otherOwnerOf(context, caller, state)
  if (refusal !== undefined) return { success: false, message: refusal }
  const outcome = cancelAddendum(context, caller, reportId)
  if (outcome.success && draft) locks.clearReportLock(context, draft.reportId)
  return outcome
}
