import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { dashboard, FeedLine } from '#shared/contract/dashboard.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { mergeLines } from './display/feed-lines.ts'
import { keyOf, queryClient } from './gateway.ts'

const EVENTS = '/dashboard/feed/events'
/** What news of images changes, beside the list of studies, which reads `imagesSeen`. */
const OF_IMAGES = [
  dashboardImages.read,
  dashboardImages.quarantine,
  dashboardImages.quarantineGroups,
  dashboardImages.recoveredFiles,
  dashboardDestinations.list,
  dashboardDestinations.studies,
  dashboardDestinations.instances,
]
const IMAGE_KINDS: readonly FeedLine['kind'][] = ['images', 'performed-step', 'commitment', 'enrichment', 'forward']
/** What news of reports changes, beside the reading list, which reads `reportsSeen`. */
const OF_REPORTS = [dashboardReports.read, dashboardReports.criticals]
/** Every status that changes says that reports may have: devices coming and going change it too, so these are not asked again each time. */
const REPORTS_MS = 2000

const FLUSH_MS = 500
const REOPEN_MS = 3000

interface Live {
  /** The line to the gateway is open: changes arrive by themselves. */
  readonly isOpen: boolean
  /** Worklist queries that came in since the window was opened. */
  readonly queriesSeen: number
  /** Grows each time images arrived, moved or were sent. */
  readonly imagesSeen: number
  /** Grows when a report may have been begun, signed or delivered. */
  readonly reportsSeen: number
  /** Lines that came in since the feed was last read whole, newest first. */
  readonly lines: readonly FeedLine[]
}

let live: Live = { isOpen: false, queriesSeen: 0, imagesSeen: 0, reportsSeen: 0, lines: [] }
const listeners = new Set<() => void>()
const tell = (change: Partial<Live>) => {
  live = { ...live, ...change }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** State of the live line. */
export const useLive = (): Live => useSyncExternalStore(subscribe, () => live)

/** Keeps the live line open while someone is signed in. Where it breaks, the calls' own polling goes on. */
export function useLiveLine(isSignedIn: boolean): void {
  useEffect(() => (isSignedIn ? openLiveLine(queryClient) : undefined), [isSignedIn])
}

function openLiveLine(client: QueryClient): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let flush: ReturnType<typeof setTimeout> | undefined
  let reports: ReturnType<typeof setTimeout> | undefined
  let arrived: FeedLine[] = []
  let hasImages = false

  // Hundreds of lines a second are drawn, and the status asked again, twice a second.
  const flushSoon = () => {
    flush ??= setTimeout(() => {
      flush = undefined
      const lines = arrived
      arrived = []
      const queries = lines.filter((line) => line.kind === 'worklist').length
      if (lines.length > 0) tell({ lines: mergeLines(lines, live.lines), queriesSeen: live.queriesSeen + queries })
      if (hasImages || lines.some((line) => IMAGE_KINDS.includes(line.kind))) {
        hasImages = false
        tell({ imagesSeen: live.imagesSeen + 1 })
        for (const changed of OF_IMAGES) void client.invalidateQueries({ queryKey: keyOf(changed) }, { cancelRefetch: false })
      }
      reports ??= setTimeout(() => {
        reports = undefined
        tell({ reportsSeen: live.reportsSeen + 1 })
        for (const changed of OF_REPORTS) void client.invalidateQueries({ queryKey: keyOf(changed) }, { cancelRefetch: false })
      }, REPORTS_MS)
      if (lines.some((line) => line.kind === 'rejected')) void client.invalidateQueries({ queryKey: keyOf(dashboard.callers) })
      // A status already being asked for goes on: asked anew each time, its retries would never end and nobody learn that it failed.
      void client.invalidateQueries({ queryKey: keyOf(dashboard.status) }, { cancelRefetch: false })
    }, FLUSH_MS)
  }
  const open = () => {
    const opened = new EventSource(EVENTS)
    source = opened
    opened.addEventListener('open', () => {
      tell({ isOpen: true })
      void client.invalidateQueries({ queryKey: keyOf(dashboard.feed) })
      hasImages = true
      flushSoon()
    })
    opened.addEventListener('line', (event: MessageEvent<string>) => {
      const line = FeedLine.safeParse(readJson(event.data))
      if (!line.success) return
      arrived.push(line.data)
      flushSoon()
    })
    opened.addEventListener('status', flushSoon)
    opened.addEventListener('images', () => {
      hasImages = true
      flushSoon()
    })
    opened.addEventListener('error', () => {
      // Opened anew instead of by the browser: the feed is then read whole, so nothing missed has to be sent again.
      opened.close()
      if (live.isOpen) {
        tell({ isOpen: false })
        flushSoon()
      }
      again = setTimeout(open, REOPEN_MS)
    })
  }
  open()
  return () => {
    source?.close()
    clearTimeout(again)
    clearTimeout(flush)
    clearTimeout(reports)
    tell({ isOpen: false, lines: [], queriesSeen: 0, imagesSeen: 0, reportsSeen: 0 })
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
