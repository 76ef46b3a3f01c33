import type { Database } from '#server/database/database.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  type CustomersSeen,
  countDrafts,
  countEscalatedResults,
  countFailedEvents,
  countNeededAddenda,
  countOpenCriticalResults,
  countPendingInvitations,
  countUnreadStudies,
} from './today-count-queries.ts'

/** Counting stops there: more is no other message. */
export const MOST_COUNTED = 999
const DAY_MS = 24 * 60 * 60_000
const OPEN_STATUSES = ['unassigned', 'assigned', 'in_progress'] as const
const ALL_SEVERITIES = ['stat', 'high', 'normal'] as const

/** What waits for this person, counted up to `MOST_COUNTED + 1`. */
export function countForToday(
  database: Database,
  of: { readonly userId: string; readonly customers: CustomersSeen; readonly now: number },
) {
  const { customers } = of
  const most = MOST_COUNTED + 1
  const dayAgo = instantOf(of.now - DAY_MS)
  const unread = { statuses: OPEN_STATUSES, severities: ALL_SEVERITIES, customers, most }
  return {
    escalatedResults: countEscalatedResults(database, customers, most),
    openCriticalResults: countOpenCriticalResults(database, customers, most),
    neededAddenda: countNeededAddenda(database, customers, most),
    unread: countUnreadStudies(database, unread),
    unreadStat: countUnreadStudies(database, { ...unread, severities: ['stat'] }),
    unreadForADay: countUnreadStudies(database, { ...unread, before: dayAgo }),
    activeAddenda: countUnreadStudies(database, { ...unread, statuses: ['addendum_active'] }),
    drafts: countDrafts(database, of.userId, most),
    failedEvents: countFailedEvents(database, dayAgo, most),
    pendingInvitations: countPendingInvitations(database, instantOf(of.now - 3 * DAY_MS), most),
  }
}
