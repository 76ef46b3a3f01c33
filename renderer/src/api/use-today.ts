import { dashboardToday, type TodayKind } from '#shared/contract/dashboard-today.ts'
import { useEventStream } from './event-stream.ts'
import { useReply } from './queries.ts'

/** What depends on the clock alone has changed by then; where events do not come, everything. */
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 15_000

/**
 * What needs attention and the numbers of the day: one reply for the whole window, read again with
 * every event, so that no two screens show another number of the same.
 */
export function useToday() {
  const { isOpen } = useEventStream()
  return useReply(dashboardToday.today, {}, { every: isOpen ? POLL_MS : POLL_CUT_OFF_MS })
}

/** How many things of these kinds wait for a person. */
export function useWaitingCount(kinds: readonly TodayKind[]): number {
  const items = useToday().data?.items ?? []
  return items.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0)
}
