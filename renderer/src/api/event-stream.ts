import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import { dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard, type FeedLine } from '#shared/contract/dashboard.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { isMessage } from '#shared/messages/message.ts'
import type { Operation } from '#shared/operation.ts'
import { mergeLines } from '../format/feed-lines.ts'
import { connectEventStream } from './event-stream-connection.ts'
import type { StreamMessage } from './event-stream-source.ts'
import { keyOf, queryClient } from './queries.ts'

/** What news of images changes, beside the list of studies, which reads `imagesSeen`. */
const IMAGE_REPLIES = [
  dashboardImages.read,
  dashboardImages.quarantine,
  dashboardImages.quarantineGroups,
  dashboardImages.recoveredFiles,
  dashboardLifecycle.study,
  dashboardCorrections.list,
  dashboardCorrectionNotices.list,
  dashboardDestinations.list,
  dashboardDestinations.studies,
  dashboardDestinations.instances,
  dashboardStudies.read,
]
const IMAGE_KINDS: readonly FeedLine['kind'][] = [
  'images',
  'performed-step',
  'commitment',
  'enrichment',
  'forward',
]
/** What news of reports changes, beside the reading list, which reads `reportsSeen`. */
const REPORT_REPLIES = [dashboardReports.read, dashboardReports.criticals, dashboardStudies.read]
/** Of events to partners, beside their list, which reads `eventsSeen`. */
const EVENT_REPLIES = [dashboardEvents.read, dashboardEvents.endpoints]
/**
 * How many studies each view has: counting them costs more than reading a page, so it is not done
 * at every event.
 */
const COUNT_QUERIES = [dashboardStudies.counts, dashboardStudies.savedViews]
const COUNTS_INTERVAL_MS = 5000
/**
 * Every status that changes says that reports may have: devices coming and going change it too, so
 * these are not asked again each time.
 */
const REPORTS_INTERVAL_MS = 2000

const FLUSH_INTERVAL_MS = 500
const REOPEN_DELAY_MS = 3000
/** The gateway is heard four times as often. */
const SILENCE_TIMEOUT_MS = 60_000
const SILENCE_CHECK_INTERVAL_MS = 5000

interface LiveState {
  /** The line to the gateway is open: changes arrive by themselves. */
  readonly isOpen: boolean
  /** Worklist queries that came in since the window was opened. */
  readonly queriesSeen: number
  /** Grows each time images arrived, moved or were sent. */
  readonly imagesSeen: number
  /** Grows when a report may have been begun, signed or delivered. */
  readonly reportsSeen: number
  /** Grows when studies were created, changed or cancelled, in a window or by the interface. */
  readonly studiesSeen: number
  /** Grows when events to partners were made, sent or given up. */
  readonly eventsSeen: number
  /** Grows when the audit trail has new entries. */
  readonly auditSeen: number
  /** Grows when somebody closed an exam, or asked the partner for the exams of a day. */
  readonly examsSeen: number
  /** Lines that came in since the feed was last read whole, newest first. */
  readonly lines: readonly FeedLine[]
}

const NOTHING_SEEN = {
  queriesSeen: 0,
  imagesSeen: 0,
  reportsSeen: 0,
  studiesSeen: 0,
  eventsSeen: 0,
  auditSeen: 0,
  examsSeen: 0,
}
let live: LiveState = { isOpen: false, ...NOTHING_SEEN, lines: [] }
const listeners = new Set<() => void>()
const updateLive = (change: Partial<LiveState>) => {
  live = { ...live, ...change }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** State of the live line. */
export const useEventStream = (): LiveState => useSyncExternalStore(subscribe, () => live)

/**
 * Hears the gateway's events while someone is signed in. Without them the calls' own polling goes
 * on.
 */
export function useLiveUpdates(userId: string | null): void {
  useEffect(() => (userId === null ? undefined : openLiveUpdates(queryClient, userId)), [userId])
}

function openLiveUpdates(client: QueryClient, userId: string): () => void {
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  let reports: ReturnType<typeof setTimeout> | undefined
  let counts: ReturnType<typeof setTimeout> | undefined
  let arrived: FeedLine[] = []
  let hasImages = false
  let hasStudies = false
  let stream = ''
  let lastMessageAt = Date.now()

  /**
   * A window that nobody sees reads again when it is looked at. What is being asked already goes
   * on: its retries would never end otherwise.
   */
  const invalidate = (changed: Operation) =>
    void client.invalidateQueries(
      {
        queryKey: keyOf(changed),
        refetchType: document.visibilityState === 'hidden' ? 'none' : 'active',
      },
      { cancelRefetch: false },
    )
  // Hundreds of lines a second are drawn, and the status asked again, twice a second.
  const flushSoon = () => {
    flushTimer ??= setTimeout(() => {
      flushTimer = undefined
      const lines = arrived
      arrived = []
      const queries = lines.filter((line) => line.kind === 'worklist').length
      if (lines.length > 0)
        updateLive({
          lines: mergeLines(lines, live.lines),
          queriesSeen: live.queriesSeen + queries,
        })
      if (hasImages || lines.some((line) => IMAGE_KINDS.includes(line.kind))) {
        hasImages = false
        updateLive({ imagesSeen: live.imagesSeen + 1 })
        for (const changed of IMAGE_REPLIES) invalidate(changed)
      }
      if (hasStudies) {
        hasStudies = false
        updateLive({ studiesSeen: live.studiesSeen + 1 })
        invalidate(dashboardReports.read)
        invalidate(dashboardStudies.read)
      }
      reports ??= setTimeout(() => {
        reports = undefined
        updateLive({ reportsSeen: live.reportsSeen + 1 })
        for (const changed of REPORT_REPLIES) invalidate(changed)
      }, REPORTS_INTERVAL_MS)
      counts ??= setTimeout(() => {
        counts = undefined
        for (const changed of COUNT_QUERIES) invalidate(changed)
      }, COUNTS_INTERVAL_MS)
      if (lines.some((line) => line.kind === 'rejected')) invalidate(dashboard.callers)
      for (const changed of [dashboard.status, dashboardToday.today]) invalidate(changed)
    }, FLUSH_INTERVAL_MS)
  }
  const handlers: Readonly<Record<string, (data: string) => void>> = {
    line(data) {
      const line = readJson(data)
      if (!isFeedLine(line)) return
      arrived.push(line)
      flushSoon()
    },
    status: flushSoon,
    images() {
      hasImages = true
      flushSoon()
    },
    studies() {
      hasStudies = true
      flushSoon()
    },
    // The gateway sends these once a second at most.
    events() {
      updateLive({ eventsSeen: live.eventsSeen + 1 })
      for (const changed of EVENT_REPLIES) invalidate(changed)
    },
    audit: () => updateLive({ auditSeen: live.auditSeen + 1 }),
    access: () => invalidate(dashboardSecurity.lanAccess),
    exams: () => updateLive({ examsSeen: live.examsSeen + 1 }),
  }
  function handleMessage(message: StreamMessage): void {
    lastMessageAt = Date.now()
    if (message.kind === 'event') handlers[message.event]?.(message.data)
    if (message.kind === 'closed') closed()
    if (message.kind === 'open' && (!live.isOpen || message.stream !== stream))
      opened(message.stream)
  }
  /**
   * It was closed, or another one took its place: the feed is read whole, so nothing missed has to
   * be sent again.
   */
  function opened(now: string): void {
    stream = now
    updateLive({ isOpen: true })
    void client.invalidateQueries({ queryKey: keyOf(dashboard.feed) })
    hasImages = true
    hasStudies = true
    flushSoon()
    for (const kind of ['events', 'audit', 'access', 'exams']) handlers[kind]?.('')
  }
  function closed(): void {
    if (live.isOpen) {
      updateLive({ isOpen: false })
      flushSoon()
    }
    clearTimeout(retryTimer)
    retryTimer = setTimeout(ask, REOPEN_DELAY_MS)
  }
  /**
   * Asks until the answer is heard: one that was sent before the channel of this window was ready
   * is lost.
   */
  function ask(): void {
    connection.want()
    clearTimeout(retryTimer)
    retryTimer = setTimeout(() => live.isOpen || ask(), REOPEN_DELAY_MS)
  }
  let connection = connectEventStream(userId, handleMessage)
  ask()
  /** Whoever should pass the events on is gone or sleeps: connect anew. */
  const silenceTimer = setInterval(() => {
    if (Date.now() - lastMessageAt < SILENCE_TIMEOUT_MS) return
    lastMessageAt = Date.now()
    connection.close()
    connection = connectEventStream(userId, handleMessage)
    closed()
  }, SILENCE_CHECK_INTERVAL_MS)
  return () => {
    connection.close()
    clearInterval(silenceTimer)
    clearTimeout(retryTimer)
    clearTimeout(flushTimer)
    clearTimeout(reports)
    clearTimeout(counts)
    updateLive({ isOpen: false, lines: [], ...NOTHING_SEEN })
  }
}

/** The stream has no header of the contract, and a line is drawn as it is. */
const isFeedLine = (line: unknown): line is FeedLine =>
  typeof line === 'object' &&
  line !== null &&
  'lineId' in line &&
  'kind' in line &&
  'text' in line &&
  isMessage(line.text)

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
