import { type Clock, instantOf, msOf } from '#server/platform/clock.ts'
import type { ReportLock } from '#shared/contract/reports.ts'

/**
 * Who has a draft before them now: in memory only, because it says who is at work and protects
 * nothing that the revision of a draft does not. By the id of the draft, so that one a partner
 * cancelled takes its lock with it. It runs out by itself some time after the last sign of life of
 * its window.
 */
export interface ReportLocks {
  /** Who has it now. */
  of(reportId: string): ReportLock | undefined
  /** Takes it, or goes on having it; undefined where another window has it. */
  hold(reportId: string, holder: Holder): ReportLock | undefined
  /** Takes it from whoever has it. */
  take(reportId: string, holder: Holder): ReportLock
  /** Gives it up, where this window has it. */
  release(reportId: string, windowId: string): void
  /** Nobody has it any more: there is nothing left to write. */
  clear(reportId: string): void
}
export type Holder = Omit<ReportLock, 'until'>

/** `seconds`: how long it is had after a sign of life. */
export function openReportLocks({
  clock,
  seconds,
}: {
  readonly clock: Clock
  readonly seconds: () => number
}): ReportLocks {
  const locks = new Map<string, ReportLock>()

  function current(reportId: string): ReportLock | undefined {
    const lock = locks.get(reportId)
    if (lock && msOf(lock.until) > clock()) return lock
    locks.delete(reportId)
    return undefined
  }
  function take(reportId: string, { userId, name, windowId }: Holder): ReportLock {
    // Nobody asks any more for those whose draft was cancelled.
    for (const other of locks.keys()) current(other)
    const lock = { userId, name, windowId, until: instantOf(clock() + seconds() * 1000) }
    locks.set(reportId, lock)
    return lock
  }
  const has = (lock: ReportLock, { userId, windowId }: Holder) =>
    lock.windowId === windowId && lock.userId === userId

  return {
    of: current,
    hold(reportId, holder) {
      const lock = current(reportId)
      return lock && !has(lock, holder) ? undefined : take(reportId, holder)
    },
    take,
    release(reportId, windowId) {
      if (current(reportId)?.windowId === windowId) locks.delete(reportId)
    },
    clear: (reportId) => void locks.delete(reportId),
  }
}
