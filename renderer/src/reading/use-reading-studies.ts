import { useEffect, useRef } from 'react'
import { dashboardReports, type ReadingStudy } from '#shared/contract/reports.ts'
import { call, keyOf, usePages } from '../gateway.ts'
import { useLive } from '../live.ts'

export const SHOWS = ['mine', 'unassigned', 'open', 'signed', 'all'] as const
export type Show = (typeof SHOWS)[number]

/** Pages that are read again by themselves: what is further down is not asked for every few seconds. */
const LIVE_PAGES = 3
/** Locks and drafts change without a line in the feed. */
const POLL_MS = 15_000
const POLL_CUT_OFF_MS = 5000

/** The reading list, kept current. */
export function useReadingStudies(show: Show, studyDescription: string) {
  const { imagesSeen, reportsSeen, isOpen } = useLive()
  const query = { show, limit: 50, ...(studyDescription !== '' && { studyDescription }) }
  const key = keyOf(dashboardReports.list, query)
  const depth = useRef(1)
  const { list, pages, more } = usePages(
    key,
    (part, signal) => call(dashboardReports.list, { query: { ...query, ...part } }, signal),
    depth.current > LIVE_PAGES ? undefined : isOpen ? POLL_MS : POLL_CUT_OFF_MS,
  )
  depth.current = pages.length
  const news = imagesSeen + reportsSeen
  const seen = useRef(news)
  const { refetch } = list
  useEffect(() => {
    if (seen.current === news || depth.current > LIVE_PAGES) return
    seen.current = news
    void refetch({ cancelRefetch: false })
  }, [news, refetch])
  // A study that moved while a page was being read may come twice.
  const studies: readonly ReadingStudy[] = [...new Map(pages.flatMap((page) => page.studies).map((one) => [one.studyId, one])).values()]
  return { list, studies, more }
}
