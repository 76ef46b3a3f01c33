import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ASSOCIATION_FILTERS, dashboardActivity } from '#shared/contract/dashboard-activity.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'

export type AssociationFilter = (typeof ASSOCIATION_FILTERS)[number]

export interface AssociationsSearch {
  readonly aeTitle?: string
  readonly address?: string
  readonly show?: string
  readonly search?: string
}

interface AssociationListFilter {
  readonly show: AssociationFilter
  readonly aeTitle?: string
  readonly address?: string
  readonly search?: string
}

/** The filter that an address asks for; what is not one is left out. */
export function filterOf({
  aeTitle,
  address,
  show,
  search,
}: AssociationsSearch): AssociationListFilter {
  return {
    show: ASSOCIATION_FILTERS.find((one) => one === show) ?? 'all',
    ...(aeTitle !== undefined && { aeTitle: aeTitle.slice(0, 16) }),
    ...(address !== undefined && { address: address.slice(0, 45) }),
    ...(search !== undefined && { search: search.slice(0, 64) }),
  }
}

/** Of these, news are read again as they come; further down nothing moves. */
const MAX_LIVE_PAGES = 2
const POLL_MS = 5000
const REFETCH_DELAY_MS = 400

/** Pages of connections. `isBehind`: older ones are open, and news waits for `showLatest`. */
export function useAssociations(filter: AssociationListFilter) {
  const client = useQueryClient()
  const { isOpen, lines } = useEventStream()
  const query = { ...filter, limit: 50 }
  const key = keyOf(dashboardActivity.associations, query)
  const { list, pages, more } = usePages(
    key,
    (part, signal) =>
      call(dashboardActivity.associations, { query: { ...query, ...part } }, signal),
    isOpen ? undefined : POLL_MS,
  )
  const isPastLivePages = pages.length > MAX_LIVE_PAGES
  const newest = lines[0]?.lineId
  const { refetch } = list
  useEffect(() => {
    if (newest === undefined || isPastLivePages) return
    const timer = setTimeout(() => void refetch({ cancelRefetch: false }), REFETCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [newest, isPastLivePages, refetch])
  // One that came while a page was being read may come twice.
  const associations = [
    ...new Map(
      pages.flatMap((page) => page.associations).map((one) => [one.associationId, one]),
    ).values(),
  ]
  return {
    list,
    associations,
    more,
    isBehind: isPastLivePages,
    showLatest: () => void client.resetQueries({ queryKey: key }),
  }
}
