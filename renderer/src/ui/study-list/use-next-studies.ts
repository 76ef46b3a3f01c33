import { useEffect } from 'react'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { UNSIGNED_STUDY_STATUSES } from '#shared/lifecycle.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'

const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 15_000

/**
 * The studies to read next, the most urgent first and among equals the oldest; with a search those
 * that match it, read or not.
 * @param limit how many, at most 100
 */
export function useNextStudies(limit: number, isWanted = true, search = '') {
  const { reportsSeen, studiesSeen, isOpen } = useEventStream()
  const filter =
    search === ''
      ? { status: [...UNSIGNED_STUDY_STATUSES], cancelled: 'hide' as const }
      : { search, cancelled: 'hide' as const }
  const query = { area: 'scribe', ...filter, order: 'priority', limit } as const
  const reply = useReply(
    dashboardStudies.list,
    { query },
    { enabled: isWanted, every: isOpen ? POLL_MS : POLL_CUT_OFF_MS },
  )
  const { refetch } = reply
  const changes = reportsSeen + studiesSeen
  useEffect(() => {
    if (isWanted && changes > 0) void refetch()
  }, [changes, isWanted, refetch])
  return reply
}
