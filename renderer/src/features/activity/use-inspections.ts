import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'

export const OUTCOMES = ['all', 'rows', 'empty', 'failed', 'withheld'] as const
export type Outcome = (typeof OUTCOMES)[number]

const POLL_MS = 10_000

/**
 * Pages of the list. New queries join the first page by themselves; once older pages are open they
 * wait behind a button.
 */
export function useInspections(aeTitle: string | undefined, outcome: Outcome) {
  const client = useQueryClient()
  const { queriesSeen, isOpen } = useEventStream()
  const query = { outcome, limit: 50, ...(aeTitle !== undefined && { aeTitle }) }
  const key = keyOf(dashboard.inspections, query)
  const { list, pages, more } = usePages(
    key,
    (part, signal) => call(dashboard.inspections, { query: { ...query, ...part } }, signal),
    isOpen ? undefined : POLL_MS,
    1,
  )
  const isBehind = pages.length > 1
  const seen = useRef(queriesSeen)
  const newer = isBehind ? queriesSeen - seen.current : 0

  const { refetch } = list
  useEffect(() => {
    if (isBehind || seen.current === queriesSeen) return
    seen.current = queriesSeen
    void refetch({ cancelRefetch: false })
  }, [queriesSeen, isBehind, refetch])

  const showNewer = () => {
    seen.current = queriesSeen
    void client.resetQueries({ queryKey: key })
  }
  return { list, inspections: pages.flatMap((page) => page.inspections), more, newer, showNewer }
}
