import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { overdueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import {
  type CallCount,
  countCalls,
  countRecentAttempts,
  firstEventSince,
} from '#server/modules/events/call-count-queries.ts'
import { latencyOf } from '#server/modules/events/meter.ts'
import { waitingForwards } from '#server/modules/forwarding/forward-queries.ts'
import { countArrivals } from '#server/modules/images/arrival-queries.ts'
import { countWaitingCommitments } from '#server/modules/images/commitment-queries.ts'
import { waitingEnrichments } from '#server/modules/images/image-study-list-queries.ts'
import { tallyInspections } from '#server/modules/worklist/inspection-queries.ts'
import { clockHours, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardTrends, type Trends, WAITING_QUEUES } from '#shared/contract/dashboard-trends.ts'
import { MAIL_KINDS } from '#shared/contract/mail.ts'
import type { LiveState } from './status.ts'

const HOURS = 24
const HOUR_MS = 60 * 60_000
/** How long a response is cached (ms). */
const CACHE_MS = 30_000
/** Attempts of older events are not counted (ms). */
const MAX_EVENT_AGE_MS = 7 * 24 * HOUR_MS

type Calls = Pick<CallCount, 'outcome' | 'tookMs' | 'count'>
type Disk = Pick<LiveState, 'storage' | 'forecast'>

/** Registers the operation for the charts (`shared/contract/dashboard-trends.ts`). */
export function serveTrends(app: HttpApp, context: Context, live: Disk): void {
  let cached: { readonly at: number; readonly trends: Promise<Trends> } | undefined
  serveAll(app, dashboardTrends, {
    trends() {
      const at = context.clock()
      if (cached && Math.abs(at - cached.at) < CACHE_MS) return cached.trends
      const trends = trendsOf(context, live)
      cached = { at, trends }
      trends.catch(() => {
        cached = undefined
      })
      return trends
    },
  })
}

/**
 * Activity per hour of the last 24 hours, the length of each queue, and the forecast of the disk.
 * Reads one hour at a time and yields to the event loop in between, so that worklist queries are not
 * delayed.
 */
export async function trendsOf(context: Context, live: Disk): Promise<Trends> {
  const { database, settings } = context
  const now = context.clock()
  const starts = clockHours(now, timeZoneOf(settings.get('clinic.timeZone')), HOURS)
  const retainedFrom = now - settings.get('inspector.retentionHours') * HOUR_MS
  const firstSeq = firstEventSince(database, instantOf(now - MAX_EVENT_AGE_MS))
  const hours: Trends['hours'] = []
  const all: Calls[] = []
  for (const [index, start] of starts.entries()) {
    const span = {
      from: instantOf(start),
      // Events that arrive in the meantime are included in the last hour.
      to: instantOf(starts[index + 1] ?? now + HOUR_MS),
    }
    const calls = [
      ...countCalls(database, span),
      ...(firstSeq === undefined ? [] : countRecentAttempts(database, span, firstSeq)),
    ]
    hours.push({
      from: span.from,
      ...countArrivals(database, span),
      queries: start < retainedFrom ? null : tallyInspections(database, span),
      partner: requestsOf(calls),
    })
    all.push(...calls)
    await nextTurn()
  }
  const { freeBytes, totalBytes } = live.storage()
  return {
    hours,
    partner: requestsOf(all),
    queues: queuesOf(context),
    disk: { freeBytes, totalBytes, ...live.forecast() },
    at: instantOf(now),
  }
}

function requestsOf(callCounts: readonly Calls[]): Trends['partner'] {
  const attempted = callCounts.filter(({ outcome }) => outcome !== 'none')
  const count = (calls: readonly Calls[]) => calls.reduce((sum, call) => sum + call.count, 0)
  return {
    requests: count(attempted),
    failed: count(attempted.filter(({ outcome }) => outcome !== 'accepted')),
    ...latencyOf(attempted),
  }
}

function queuesOf({ database, clock }: Context): Trends['queues'] {
  const outboxQueue = (kind: string) => overdueOutboxJobs(database, kind, instantOf(clock() + 1))
  const waiting = {
    reports: outboxQueue('report.delivered'),
    'report-copies': outboxQueue('report.archive'),
    forwards: waitingForwards(database),
    commitments: countWaitingCommitments(database),
    enrichment: waitingEnrichments(database),
    captures: outboxQueue('capture.upload'),
    mail: mergeQueues(MAIL_KINDS.map(outboxQueue)),
  } satisfies Record<Trends['queues'][number]['queue'], unknown>
  return WAITING_QUEUES.map((queue) => {
    const { count, since } = waiting[queue]
    return { queue, waiting: count, since }
  })
}

type QueueTotals = Pick<Trends['queues'][number], 'since'> & { readonly count: number }

/** Several queues as one: the sum of what waits, and since when the oldest of all does. */
const mergeQueues = (queues: readonly QueueTotals[]): QueueTotals => ({
  count: queues.reduce((sum, { count }) => sum + count, 0),
  since: queues.flatMap(({ since }) => since ?? []).toSorted()[0] ?? null,
})
