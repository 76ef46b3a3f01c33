import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboardEvents } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'
import { EVENT_ORDER } from '../../format/event-types.ts'

export const EVENT_FILTERS = ['all', 'waiting', 'failed', 'notes'] as const
export type EventListFilter = (typeof EVENT_FILTERS)[number]

export interface EventsSearch {
  readonly show?: string
  readonly type?: string
  readonly endpoint?: string
  readonly about?: string
}

export interface EventFilter {
  readonly show: EventListFilter
  readonly type?: EventType
  readonly endpointId?: string
  readonly about?: string
}

/** The filter that an address asks for; what is not one is left out. */
export function filterOf({ show, type, endpoint, about }: EventsSearch): EventFilter {
  const known = EVENT_ORDER.find((one) => one === type)
  return {
    show: EVENT_FILTERS.find((one) => one === show) ?? 'all',
    ...(known && { type: known }),
    ...(endpoint !== undefined && /^[0-9a-f-]{36}$/.test(endpoint) && { endpointId: endpoint }),
    ...(about !== undefined && { about }),
  }
}

const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 5000
const MAX_LIVE_PAGES = 2

/**
 * Pages of events. The first ones are asked again by themselves; once older ones are open, new
 * events wait behind a button.
 */
export function useEvents(filter: EventFilter) {
  const client = useQueryClient()
  const { eventsSeen, isOpen } = useEventStream()
  const query = { ...filter, limit: 50 }
  const key = keyOf(dashboardEvents.list, query)
  const { list, pages, more } = usePages(
    key,
    (part, signal) => call(dashboardEvents.list, { query: { ...query, ...part } }, signal),
    isOpen ? POLL_MS : POLL_CUT_OFF_MS,
    MAX_LIVE_PAGES,
  )
  const isBehind = pages.length > MAX_LIVE_PAGES
  const { refetch } = list
  useEffect(() => {
    if (eventsSeen > 0 && !isBehind) void refetch({ cancelRefetch: false })
  }, [eventsSeen, isBehind, refetch])
  return {
    list,
    events: pages.flatMap((page) => page.events),
    isBehind,
    more,
    showLatest: () => void client.resetQueries({ queryKey: key }),
  }
}
