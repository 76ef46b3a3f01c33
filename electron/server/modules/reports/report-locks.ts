import type { Context } from '#server/context.ts'
import { perDatabase } from '#server/database/database.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { ReportLock } from '#shared/contract/reports.ts'

// Which window has a draft open: in memory only, because it shows who is at work and protects
// nothing that the revision of a draft does not. A lock is kept by the id of the draft, so that the
// lock of a cancelled draft ends with it, and it ends `reports.lockSeconds` after the last call of
// its window.

export type LockHolder = Omit<ReportLock, 'until'>

const locksOf = perDatabase(() => new Map<string, ReportLock>())

/** Who has the draft open now. */
export function findReportLock(
  { database, clock }: Context,
  reportId: string,
): ReportLock | undefined {
  const locks = locksOf(database)
  const lock = locks.get(reportId)
  if (lock && msOf(lock.until) > clock()) return lock
  locks.delete(reportId)
  return undefined
}

/** Takes the lock, or renews it; undefined where another window has it. */
export function holdReportLock(
  context: Context,
  reportId: string,
  holder: LockHolder,
): ReportLock | undefined {
  const lock = findReportLock(context, reportId)
  const isOther = lock && (lock.windowId !== holder.windowId || lock.userId !== holder.userId)
  return isOther ? undefined : takeReportLock(context, reportId, holder)
}

/** Takes the lock from whoever has it. */
export function takeReportLock(
  context: Context,
  reportId: string,
  { userId, name, windowId }: LockHolder,
): ReportLock {
  const { database, clock, settings } = context
  const locks = locksOf(database)
  // Nobody asks any more for the locks of drafts that were cancelled.
  for (const other of locks.keys()) findReportLock(context, other)
  const until = instantOf(clock() + settings.get('reports.lockSeconds') * 1000)
  const lock = { userId, name, windowId, until }
  locks.set(reportId, lock)
  return lock
}

/** Gives the lock up, where this window has it. */
export function releaseReportLock(context: Context, reportId: string, windowId: string): void {
  if (findReportLock(context, reportId)?.windowId === windowId) clearReportLock(context, reportId)
}

/** Ends the lock: there is nothing left to write. */
export const clearReportLock = ({ database }: Context, reportId: string) =>
  void locksOf(database).delete(reportId)
