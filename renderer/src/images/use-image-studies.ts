import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { dashboardImages } from '#shared/contract/images.ts'
import { call, keyOf, usePages } from '../gateway.ts'
import { useLive } from '../live.ts'

export const SHOWS = ['all', 'receiving', 'incomplete', 'mismatch'] as const
export type Show = (typeof SHOWS)[number]

/** Pages that are read again with each news of images: what is further down is not asked for every second. */
const LIVE_PAGES = 3

/** The list of studies, its counts kept current. `isBehind`: older pages are open and news waits for `showLatest`. */
export function useImageStudies(show: Show, search: string) {
  const client = useQueryClient()
  const { imagesSeen, isOpen } = useLive()
  const query = { show, search, limit: 50 }
  const key = keyOf(dashboardImages.list, query)
  const { list, pages, more } = usePages(
    key,
    (part, signal) => call(dashboardImages.list, { query: { ...query, ...part } }, signal),
    isOpen ? undefined : 5000,
  )
  const isDeep = pages.length > LIVE_PAGES
  const seen = useRef(imagesSeen)
  const { refetch } = list
  useEffect(() => {
    if (isDeep || seen.current === imagesSeen) return
    seen.current = imagesSeen
    void refetch({ cancelRefetch: false })
  }, [imagesSeen, isDeep, refetch])

  const showLatest = () => {
    seen.current = imagesSeen
    void client.resetQueries({ queryKey: key })
  }
  // A study that moved up while a page was being read may come twice.
  const studies = [...new Map(pages.flatMap((page) => page.studies).map((one) => [one.studyInstanceUid, one])).values()]
  return { list, studies, isBehind: isDeep && seen.current !== imagesSeen, more, showLatest }
}
