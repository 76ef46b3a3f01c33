import type { Database } from '#server/database/database.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  countDrafts,
  countEscalatedResults,
  countFailedEvents,
  countNeededAddenda,
  countOpenCriticalResults,
  countPendingInvitations,
  countUnreadStudies,
  type VisibleCustomers,
} from './today-count-queries.ts'

/** Counts stop here; higher ones are shown as "more than". */
export const MAX_COUNT = 999
const DAY_MS = 24 * 60 * 60_000
const OPEN_STATUSES = ['unassigned', 'assigned', 'in_progress'] as const
const ALL_SEVERITIES = ['stat', 'high', 'normal'] as const

/** Counts the items for this user, up to `MAX_COUNT + 1`. */
export function countForToday(
  database: Database,
  of: { readonly userId: string; readonly customers: VisibleCustomers; readonly now: number },
) {
  const { customers } = of
  const limit = MAX_COUNT + 1
  const dayAgo = instantOf(of.now - DAY_MS)
  const unread = { statuses: OPEN_STATUSES, severities: ALL_SEVERITIES, customers, limit }
  return {
    escalatedResults: countEscalatedResults(database, customers, limit),
    openCriticalResults: countOpenCriticalResults(database, customers, limit),
    neededAddenda: countNeededAddenda(database, customers, limit),
    unread: countUnreadStudies(database, unread),
    unreadStat: countUnreadStudies(database, { ...unread, severities: ['stat'] }),
    unreadForADay: countUnreadStudies(database, { ...unread, before: dayAgo }),
    activeAddenda: countUnreadStudies(database, { ...unread, statuses: ['addendum_active'] }),
    drafts: countDrafts(database, of.userId, limit),
    failedEvents: countFailedEvents(database, dayAgo, limit),
    pendingInvitations: countPendingInvitations(database, instantOf(of.now - 3 * DAY_MS), limit),
  }
}
