import type { Context } from '#server/context.ts'
import { perDatabase } from '#server/database/database.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { ReportLock } from '#shared/contract/reports.ts'

// Which window has a draft open. Locks are held in memory only, because they are informational;
// drafts are protected by their revision. Locks are keyed by the ID of the draft, so that the lock
// of a cancelled draft ends with it, and expire `reports.lockSeconds` after the last call of their
// window.

export type LockHolder = Omit<ReportLock, 'until'>

const locksOf = perDatabase(() => new Map<string, ReportLock>())

/** The lock of a draft, if it has not expired. */
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

/** Acquires or renews the lock; undefined if another window holds it. */
export function holdReportLock(
  context: Context,
  reportId: string,
  holder: LockHolder,
): ReportLock | undefined {
  const lock = findReportLock(context, reportId)
  const isHeldByOther = lock && (lock.windowId !== holder.windowId || lock.userId !== holder.userId)
  return isHeldByOther ? undefined : takeReportLock(context, reportId, holder)
}

/** Acquires the lock, even if another window holds it. */
export function takeReportLock(
  context: Context,
  reportId: string,
  { userId, name, windowId }: LockHolder,
): ReportLock {
  const { database, clock, settings } = context
  const locks = locksOf(database)
  // Removes expired locks of drafts that were cancelled and are never looked up again.
  for (const other of locks.keys()) findReportLock(context, other)
  const until = instantOf(clock() + settings.get('reports.lockSeconds') * 1000)
  const lock = { userId, name, windowId, until }
  locks.set(reportId, lock)
  return lock
}

/** Releases the lock if this window holds it. */
export function releaseReportLock(context: Context, reportId: string, windowId: string): void {
  if (findReportLock(context, reportId)?.windowId === windowId) clearReportLock(context, reportId)
}

/** Removes the lock of a draft that no longer exists. */
export const clearReportLock = ({ database }: Context, reportId: string) =>
  void locksOf(database).delete(reportId)
