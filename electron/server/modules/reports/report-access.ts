import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import type { ReportLock } from '#shared/contract/reports.ts'
import { moved } from '#shared/lifecycle.ts'
import { personOf } from './report-people.ts'
import type { ReportRecord } from './report-queries.ts'

/** A study, what is being written on it, and who has it before them. */
export interface Desk {
  readonly study: ScribeStudyRecord
  readonly draft: ReportRecord | undefined
  readonly lock: ReportLock | undefined
}

/**
 * Why nobody may write on the study now, as a sentence; undefined where somebody may
 * (interface-choices §6 rows 6, 7).
 */
export function whyNobodyWrites({ study }: Pick<Desk, 'study'>): string | undefined {
  if (study.cancelledAt !== null) return 'The study is cancelled: uncancel it first.'
  if (moved('dictate', study.status) === undefined && study.status !== 'addendum_active')
    return 'The report is signed: what is to be added goes into an addendum.'
  return undefined
}

/**
 * Who else the report belongs to, as a sentence that ends with the remedy; undefined where it is
 * the caller's to write. It is somebody else's while their window has it, once they have begun it,
 * and while the study is assigned to them. An addendum that nobody has written on yet is for
 * whoever writes first (row 6).
 *
 * Whoever may write reports may take it over: a colleague's draft must not be stuck with an absent
 * colleague. That is said explicitly, kept in the audit trail with whom it was taken from, and
 * loses nothing: the draft and its revisions go on.
 */
export function whoseItIs(
  { store }: Pick<DomainDeps, 'store'>,
  { user }: UserCaller,
  { study, draft, lock }: Desk,
): string | undefined {
  if (lock && lock.userId !== user.userId)
    return `${lock.name} is writing this report now: take it over to write.`
  if (draft) {
    const isUnwritten = draft.isAddendum && draft.revision === 0
    if (draft.userId === user.userId || isUnwritten) return undefined
    return `${personOf({ store }, draft.userId).name} has begun this report: take it over to write.`
  }
  if (study.assignedTo === null || study.assignedTo === user.userId) return undefined
  return `The study is assigned to ${personOf({ store }, study.assignedTo).name}: take it over to write.`
}

/** Why the caller may not write now, as a sentence; undefined where they may. */
export function whyNotWrite(
  deps: Pick<DomainDeps, 'store'>,
  caller: UserCaller,
  desk: Desk,
): string | undefined {
  if (!isAllowed(caller, 'writeReports'))
    return 'Your account may not write reports: an owner or an admin can allow it.'
  return whyNobodyWrites(desk) ?? whoseItIs(deps, caller, desk)
}
