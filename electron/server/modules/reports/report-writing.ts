import { note } from '#server/modules/audit/audit.ts'
import { identityOf, isSameDifferences } from '#server/modules/images/study-identity.ts'
import { visibleStudy } from '#server/modules/studies/study-access.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { actorOf, demand, type UserCaller } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { IdentityDifference } from '#shared/contract/images.ts'
import type {
  CheckFinding,
  Draft,
  DraftRevision,
  ReportLock,
  Saved,
} from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, type ReportId } from '#shared/ids.ts'
import { moved } from '#shared/lifecycle.ts'
import { reportFindings } from '#shared/report-checks.ts'
import { plainReport } from '#shared/report-text.ts'
import { type Desk, whoseItIs, whyNobodyWrites } from './report-access.ts'
import { draftView, isShown, saveDraft, withoutSeq } from './report-draft.ts'
import type { ReportLocks } from './report-locks.ts'
import { callerPerson, personOf } from './report-people.ts'
import type { ReportRecord } from './report-queries.ts'
import {
  checkInputOf,
  type ReportSigningDeps,
  reportSigning,
  type SignOrder,
  type SignResult,
  signingUser,
} from './report-signing.ts'
import type { Reports } from './reports.ts'

/** `reportId`: the draft it was made of. */
export interface SaveOrder {
  readonly windowId: string
  readonly reportId?: string | undefined
  readonly revision: number
  readonly text: string
  /** The page is being closed: an earlier save of this window may still be on its way. */
  readonly isLast?: boolean
}

export interface BeginOrder {
  readonly windowId: string
  readonly takeOver: boolean
  readonly text: string
  /** As in `SaveOrder`. */
  readonly isLast?: boolean
}

/** `differences`: as they were shown to the person. */
export interface OverrideOrder {
  readonly reason: string
  readonly differences: readonly IdentityDifference[]
}

export interface ReportWritingDeps extends ReportSigningDeps {
  readonly locks: ReportLocks
  readonly reports: Pick<Reports, 'startAddendum' | 'cancelAddendum'>
}

/**
 * Reports being written (interface-choices §6 rows 6, 7, 51). Every call is for who may write
 * reports; @throws ApiError not-permitted, not-found, and refused where the study is cancelled,
 * nothing is being written on it, or it is somebody else's (`report-access`).
 */
export interface ReportWriting {
  /**
   * Makes the draft, or goes on with it: the study is in progress, the caller's, and before this
   * window.
   */
  begin(caller: UserCaller, studyId: string, order: BeginOrder): void
  /**
   * Durable when it returns. What was saved since `revision` is never overwritten; a text that is
   * the same makes no revision. The last save of a window that closes also goes on top of revisions
   * that this window saved itself, because their answers can no longer reach it.
   */
  save(caller: UserCaller, studyId: string, order: SaveOrder): Saved
  /** Who has it before them now. */
  hold(
    caller: UserCaller,
    studyId: string,
    order: { readonly windowId: string; readonly isWriting: boolean },
  ): ReportLock | null
  /** Newest first. */
  revisions(caller: UserCaller, studyId: string): DraftRevision[]
  /** @throws ApiError not-found: it is not kept */
  revision(caller: UserCaller, studyId: string, revision: number): Draft
  /** What stands against signing the text; nothing is kept. */
  check(
    caller: UserCaller,
    studyId: string,
    order: { readonly text: string; readonly isCritical: boolean },
  ): CheckFinding[]
  /** By whoever writes it, where they may create reports. */
  sign(caller: UserCaller, studyId: string, order: SignOrder): Promise<SignResult>
  /**
   * Allows signing although the images differ from the worklist or the study. By who may sign.
   * @throws ApiError refused: there is nothing to override, or the differences are others than
   *   were shown
   */
  overrideIdentity(caller: UserCaller, studyId: string, order: OverrideOrder): void
  /**
   * Takes it back. By who may sign. @throws ApiError refused: there is none, or a report was signed
   * since
   */
  withdrawOverride(caller: UserCaller, studyId: string): void
  startAddendum(caller: UserCaller, reportId: string): Outcome
  /**
   * Not what another person has written, unless it was taken over: its text and its revisions go
   * with it.
   */
  cancelAddendum(caller: UserCaller, reportId: string): Outcome
}

export function openReportWriting(deps: ReportWritingDeps): ReportWriting {
  const { store, clock, uuid, locks } = deps
  const { database, reports, reportRevisions, studies } = store
  const signReport = reportSigning(deps)

  function deskOf(caller: UserCaller, studyId: string): Desk {
    demand(caller, 'writeReports')
    const study = visibleStudy(store, caller, 'scribe', studyId) as ScribeStudyRecord
    const draft = reports.draftOf(studyId)
    return { study, draft, lock: draft && locks.of(draft.reportId) }
  }

  /** A desk at which somebody may write. */
  function openDesk(caller: UserCaller, studyId: string): Desk {
    const desk = deskOf(caller, studyId)
    const why = whyNobodyWrites(desk)
    if (why !== undefined) throw new ApiError('refused', why)
    return desk
  }

  function existingDraft({ draft }: Desk): ReportRecord {
    if (!draft)
      throw new ApiError(
        'refused',
        'Nothing is being written on this study: begin the report first.',
      )
    return draft
  }

  /** That the draft is the caller's and no other window has it. */
  function demandMine({ user }: UserCaller, { draft, lock }: Desk, windowId: string): void {
    if (lock && lock.userId !== user.userId)
      throw new ApiError(
        'refused',
        `${lock.name} is writing this report now: take it over to write.`,
      )
    if (lock && lock.windowId !== windowId) throw elsewhere()
    if (draft && draft.userId !== user.userId)
      throw new ApiError(
        'refused',
        `${personOf(deps, draft.userId).name} has this report: take it over to write.`,
      )
  }

  /** Whether this window alone saved everything after the revision. */
  function isOwnSince(
    revision: number,
    { reportId, revision: newest }: ReportRecord,
    { user }: UserCaller,
    windowId: string,
  ): boolean {
    const later = reportRevisions.list(reportId).filter((one) => one.revision > revision)
    return (
      later.length === newest - revision &&
      later.every((one) => one.windowId === windowId && one.userId === user.userId)
    )
  }

  function newDraft(caller: UserCaller, study: ScribeStudyRecord, now: string): ReportRecord {
    const reportId = idFromUuid('rep', uuid())
    const unsigned = {
      isAddendum: study.status === 'addendum_active',
      status: 'in_progress',
      signedAt: null,
      isCritical: null,
    } as const
    const draft = {
      reportId,
      studyId: study.studyId,
      userId: caller.user.userId,
      ...unsigned,
      plainText: null,
      createdAt: now,
      updatedAt: now,
    }
    // The patient as they were when it was begun; frozen at signing.
    reports.insert({ ...draft, snapshotMetadata: study.detail.reportMetadata ?? {} })
    note(deps.store, actorOf(caller), 'report.begin', reportId, { studyId: study.studyId })
    return existingDraft({ study, draft: reports.draftOf(study.studyId), lock: undefined })
  }

  function takeDraft(caller: UserCaller, draft: ReportRecord, now: string): ReportRecord {
    const taken = { ...draft, userId: caller.user.userId, updatedAt: now }
    reports.update(withoutSeq(taken))
    return taken
  }

  return {
    begin(caller, studyId, { windowId, takeOver, text, isLast = false }) {
      const { userId } = caller.user
      const reportId = database.transaction(() => {
        const desk = openDesk(caller, studyId)
        const { study, draft, lock } = desk
        const others = whoseItIs(deps, caller, desk)
        const isElsewhere = lock !== undefined && lock.windowId !== windowId
        if (!takeOver && others !== undefined) throw new ApiError('refused', others)
        if (!takeOver && isElsewhere) throw elsewhere()
        const now = instantOf(clock())
        const status = moved('dictate', study.status)
        if (status !== undefined && (status !== study.status || study.assignedTo !== userId))
          studies.update({ ...study, status, assignedTo: userId, updatedAt: now }, study)
        if (others === undefined && draft && draft.userId !== userId)
          note(deps.store, actorOf(caller), 'report.begin', draft.reportId, { studyId })
        if (others !== undefined) {
          const from =
            lock && lock.userId !== userId ? lock.userId : (draft?.userId ?? study.assignedTo)
          note(deps.store, actorOf(caller), 'report.take-over', draft?.reportId ?? studyId, {
            studyId,
            from,
          })
        }
        const mine = !draft
          ? newDraft(caller, study, now)
          : draft.userId === userId
            ? draft
            : takeDraft(caller, draft, now)
        const isUnwritten = mine.revision === 0 || (isLast && isOwnSince(0, mine, caller, windowId))
        if (isUnwritten && text !== (mine.plainText ?? ''))
          saveDraft(deps, mine, { userId, windowId, text, at: now })
        return mine.reportId
      })
      if (isLast) locks.release(reportId, windowId)
      else locks.take(reportId, { ...callerPerson(caller), windowId })
    },

    save(caller, studyId, { windowId, reportId, revision, text, isLast = false }) {
      const { userId } = caller.user
      return database.transaction((): Saved => {
        const desk = openDesk(caller, studyId)
        const draft = existingDraft(desk)
        const isOwn =
          isLast &&
          isShown(draft, { reportId, revision: draft.revision }) &&
          isOwnSince(revision, draft, caller, windowId)
        if (!isOwn && !isShown(draft, { reportId, revision }))
          return { outcome: 'conflict', theirs: draftView(deps, draft) }
        demandMine(caller, desk, windowId)
        if (isLast) locks.release(draft.reportId, windowId)
        else locks.hold(draft.reportId, { ...callerPerson(caller), windowId })
        if (draft.revision > 0 && draft.plainText === text)
          return { outcome: 'saved', revision: draft.revision, savedAt: draft.updatedAt }
        const at = instantOf(clock())
        return {
          outcome: 'saved',
          revision: saveDraft(deps, draft, { userId, windowId, text, at }).revision,
          savedAt: at,
        }
      })
    },

    hold(caller, studyId, { windowId, isWriting }) {
      const { study, draft } = deskOf(caller, studyId)
      if (!draft) return null
      const { reportId } = draft
      if (!isWriting) locks.release(reportId, windowId)
      else if (draft.userId === caller.user.userId && whyNobodyWrites({ study }) === undefined)
        locks.hold(reportId, { ...callerPerson(caller), windowId })
      return locks.of(reportId) ?? null
    },

    revisions(caller, studyId) {
      const { draft } = deskOf(caller, studyId)
      if (!draft) return []
      return reportRevisions.list(draft.reportId).map(({ revision, at, userId, text }) => ({
        ...{ revision, at, savedBy: personOf(deps, userId), characters: text.length },
      }))
    },

    revision(caller, studyId, revision) {
      const { draft } = deskOf(caller, studyId)
      const kept = draft && reportRevisions.read(draft.reportId, revision)
      if (!kept) throw new ApiError('not-found', 'This revision is not kept.')
      const { at, userId, text } = kept
      const { reportId, isAddendum } = draft
      return {
        reportId: reportId as ReportId,
        isAddendum,
        revision,
        text,
        savedAt: at,
        savedBy: personOf(deps, userId),
      }
    },

    check(caller, studyId, { text, isCritical }) {
      const { study, draft } = deskOf(caller, studyId)
      return reportFindings({ ...checkInputOf(deps, study, draft, plainReport(text)), isCritical })
    },

    async sign(caller, studyId, order) {
      const ready = () => {
        const desk = openDesk(caller, studyId)
        const draft = existingDraft(desk)
        // A draft that moved on is a conflict before it is anybody's.
        if (isShown(draft, order)) demandMine(caller, desk, order.windowId)
        return { study: desk.study, draft }
      }
      const signed = await signReport(caller, ready, order)
      if (signed.outcome === 'signed') locks.clear(signed.reportId)
      return signed
    },

    overrideIdentity: (caller, studyId, { reason, differences }) =>
      database.transaction(() => {
        const { study } = deskOf(caller, studyId)
        const { userId } = signingUser(deps, caller)
        const { studyInstanceUid } = study
        const identity = identityOf(store.imageStudies.get(studyInstanceUid), study)
        if (identity.state !== 'mismatch')
          throw new ApiError(
            'refused',
            'The identity of this study is not a mismatch: there is nothing to override.',
          )
        if (!isSameDifferences(identity.differences, differences))
          throw new ApiError(
            'refused',
            'The images differ in something else by now: look at the differences again.',
          )
        const override = {
          at: instantOf(clock()),
          userId,
          name: callerPerson(caller).name,
          reason,
          differences,
        }
        store.imageStudies.update(studyInstanceUid, { override })
        const fields = differences.map(({ from, field }) => `${from}: ${field}`)
        note(deps.store, actorOf(caller), 'study.override-identity', studyId, {
          studyInstanceUid,
          fields: [...new Set(fields)],
          reason,
        })
      }),

    withdrawOverride: (caller, studyId) =>
      database.transaction(() => {
        const { study } = deskOf(caller, studyId)
        signingUser(deps, caller)
        const { studyInstanceUid } = study
        const { override } = store.imageStudies.get(studyInstanceUid) ?? {}
        if (!override)
          throw new ApiError('refused', 'The identity check of this study was not overridden.')
        if (reports.isSignedSince(studyId, override.at))
          throw new ApiError(
            'refused',
            'A report was signed since: what is wrong with it is corrected by an addendum.',
          )
        store.imageStudies.update(studyInstanceUid, { override: null })
        note(deps.store, actorOf(caller), 'study.withdraw-override', studyId, { studyInstanceUid })
      }),

    startAddendum: (caller, reportId) => deps.reports.startAddendum(caller, reportId),

    cancelAddendum(caller, reportId) {
      const studyId = reports.get(reportId)?.studyId
      const desk = studyId === undefined ? undefined : deskOf(caller, studyId)
      const draft = desk?.draft?.isAddendum ? desk.draft : undefined
      const others = desk && draft && whoseItIs(deps, caller, desk)
      if (others !== undefined) return { success: false, message: others }
      const outcome = deps.reports.cancelAddendum(caller, reportId)
      if (outcome.success && draft) locks.clear(draft.reportId)
      return outcome
    },
  }
}

const elsewhere = () =>
  new ApiError(
    'refused',
    'You are writing this report in another window: take it over to write here.',
  )
