import { type Clock, instantOf, msOf } from '#gateway/store/clock.ts'
import type { ReportLock } from '#shared/contract/reports.ts'

/**
 * Who has a report before them now: in memory only, by study, because it says who is at work and protects nothing that the revision of
 * a draft does not. It runs out by itself some time after the last sign of life of its window.
 */
export interface ReportLocks {
  /** Who has it now. */
  of(studyId: string): ReportLock | undefined
  /** Takes it, or goes on having it; undefined where another window has it. */
  hold(studyId: string, holder: Holder): ReportLock | undefined
  /** Takes it from whoever has it. */
  take(studyId: string, holder: Holder): ReportLock
  /** Gives it up, where this window has it. */
  release(studyId: string, windowId: string): void
  /** Nobody has it any more: there is nothing left to write. */
  clear(studyId: string): void
}
export type Holder = Omit<ReportLock, 'until'>

/** `seconds`: how long it is had after a sign of life. */
export function openReportLocks({ clock, seconds }: { readonly clock: Clock; readonly seconds: () => number }): ReportLocks {
  const locks = new Map<string, ReportLock>()

  function current(studyId: string): ReportLock | undefined {
    const lock = locks.get(studyId)
    if (lock && msOf(lock.until) > clock()) return lock
    locks.delete(studyId)
    return undefined
  }
  function take(studyId: string, { userId, name, windowId }: Holder): ReportLock {
    const lock = { userId, name, windowId, until: instantOf(clock() + seconds() * 1000) }
    locks.set(studyId, lock)
    return lock
  }
  const has = (lock: ReportLock, { userId, windowId }: Holder) => lock.windowId === windowId && lock.userId === userId

  return {
    of: current,
    hold(studyId, holder) {
      const lock = current(studyId)
      return lock && !has(lock, holder) ? undefined : take(studyId, holder)
    },
    take,
    release(studyId, windowId) {
      if (current(studyId)?.windowId === windowId) locks.delete(studyId)
    },
    clear: (studyId) => void locks.delete(studyId),
  }
}
