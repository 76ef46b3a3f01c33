import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { dashboardStudies, type WindowStudy } from '#shared/contract/dashboard-studies.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { call, keyOf, useReply } from '../../api/queries.ts'
import { useZone } from '../../api/status.ts'
import { todayIn } from '../../format/dates.ts'
import {
  addressOf,
  filterOf,
  isSame,
  type ListAddress,
  type ListFilter,
  type Order,
  queryOf,
} from './study-filter.ts'
import { useRows } from './use-rows.ts'
import { BUILT_IN, type View, type ViewedList, viewOf } from './views.ts'

/** Milliseconds after a letter until the gateway is asked. */
const SEARCH_DELAY_MS = 60
/** Events say what changes. A lock that expires by itself sends none. */
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 4000
const PAGE_SIZE = 100
const idOf = ({ studyId }: WindowStudy) => studyId

/** What changing a study changes in lists. */
export const LIST_CHANGES = [
  dashboardStudies.list,
  dashboardStudies.counts,
  dashboardStudies.savedViews,
  dashboardStudies.read,
]

export type StudyListState = ReturnType<typeof useStudyList>

/**
 * One list of studies: what the address and the search box ask for, and its rows.
 * @param go takes a new address; `isStep` leaves the one before in the history
 */
export function useStudyList(options: {
  list: ViewedList
  area: StudyArea
  address: ListAddress
  go: (address: ListAddress, isStep: boolean) => void
}) {
  const { list, area, address, go } = options
  const { imagesSeen, reportsSeen, studiesSeen, isOpen } = useEventStream()
  const today = todayIn(useZone(), new Date())
  const client = useQueryClient()

  const saved = useReply(
    dashboardStudies.savedViews,
    { query: { list } },
    { staleTime: 15_000, every: 60_000 },
  )
  const kept = saved.data?.savedViews.filter((one) => one.area === area) ?? []
  const views: readonly View[] = [...BUILT_IN[list][area], ...kept.map(viewOf)]
  const fallback = BUILT_IN[list][area][0] as View
  const view = views.find((one) => one.viewId === address.view) ?? fallback
  const filter = filterOf(address, area) ?? view.filter
  const order: Order =
    address.order === 'newest' || address.order === 'priority' ? address.order : view.order
  // A kept view is known only once its reply is here: until then nothing is asked that nobody
  // wants.
  const isKnown = address.view === undefined || view.viewId === address.view || saved.isFetched

  // What is searched for may name a patient: it is in no address, and goes with the rows when
  // somebody else signs in.
  const typedKey = [dashboardStudies.list.path, list, area, 'typed']
  const [typed, setTyped] = useState(() => client.getQueryData<string>(typedKey) ?? '')
  const [search] = useDebouncedValue(typed.trim().slice(0, 100), SEARCH_DELAY_MS)
  const type = (text: string) => {
    setTyped(text)
    client.setQueryData(typedKey, text)
  }

  const listQuery = { area, ...queryOf(filter, today), search }
  const query = { ...listQuery, order, limit: PAGE_SIZE }
  const rows = useRows<WindowStudy>({
    key: [dashboardStudies.list.path, { list, ...query }],
    ask: async (cursor, signal) => {
      const page = await call(
        dashboardStudies.list,
        { query: { ...query, ...(cursor !== undefined && { cursor }) } },
        signal,
      )
      return { rows: page.studies, cursor: page.hasMore ? page.cursor : undefined }
    },
    idOf,
    news: imagesSeen + reportsSeen + studiesSeen,
    every: isOpen ? POLL_MS : POLL_CUT_OFF_MS,
    isEnabled: isKnown,
  })
  const counts = useQuery({
    queryKey: keyOf(dashboardStudies.counts, listQuery),
    queryFn: ({ signal }) => call(dashboardStudies.counts, { query: listQuery }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isOpen ? POLL_MS : POLL_CUT_OFF_MS,
    enabled: isKnown,
  })

  const areaPart = list === 'studies' ? { area } : {}
  const isChanged = !isSame(filter, view.filter) || order !== view.order
  return {
    ...{ list, area, today, views, view, filter, order, isChanged, typed, type, search, rows },
    counts: counts.data,
    /** Where a view is. */
    addressOfView: (one: View): ListAddress => ({ ...areaPart, view: one.viewId }),
    open: (viewId: string) => go({ ...areaPart, view: viewId }, true),
    choose(next: ListFilter, nextOrder: Order = order) {
      const same = views.find(
        (one) => one.viewId === view.viewId && isSame(one.filter, next) && one.order === nextOrder,
      )
      const rest = same
        ? {}
        : { ...addressOf(next), ...(nextOrder !== view.order && { order: nextOrder }) }
      go({ ...areaPart, view: view.viewId, ...rest }, true)
    },
    /** Narrows nothing, and searches for nothing. */
    showAll() {
      type('')
      go({ ...areaPart, view: 'all' }, true)
    },
  }
}
