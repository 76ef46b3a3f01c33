import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { overdueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { latencyOf } from '#server/modules/events/meter.ts'
import {
  type CallTally,
  firstEventSince,
  tallyCalls,
  tallyRecentAttempts,
} from '#server/modules/events/tally-queries.ts'
import { waitingForwards } from '#server/modules/forwarding/forward-queries.ts'
import { countArrivals } from '#server/modules/images/arrival-queries.ts'
import { waitingCommitments } from '#server/modules/images/commitment-queries.ts'
import { waitingEnrichments } from '#server/modules/images/image-study-list-queries.ts'
import { tallyInspections } from '#server/modules/worklist/inspection-queries.ts'
import { clockHours, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardTrends, type Trends, WAITING_QUEUES } from '#shared/contract/dashboard-trends.ts'
import type { LiveState } from './status.ts'

const HOURS = 24
const HOUR_MS = 60 * 60_000
/** How long a reply serves every window. */
const KEPT_MS = 30_000
/** Attempts of reports that were signed earlier are not looked for. */
const DELIVERY_MS = 7 * 24 * HOUR_MS

type Tried = Pick<CallTally, 'outcome' | 'tookMs' | 'count'>
type Disk = Pick<LiveState, 'storage' | 'forecast'>

/** Declares the call behind the charts (`shared/contract/dashboard-trends.ts`). */
export function serveTrends(app: HttpApp, context: Context, live: Disk): void {
  let kept: { readonly at: number; readonly trends: Promise<Trends> } | undefined
  serveAll(app, dashboardTrends, {
    trends() {
      const at = context.clock()
      if (kept && Math.abs(at - kept.at) < KEPT_MS) return kept.trends
      const trends = trendsOf(context, live)
      kept = { at, trends }
      trends.catch(() => {
        kept = undefined
      })
      return trends
    },
  })
}

/**
 * The last 24 hours by the hour, what waits now, and when the disk will be full. Reads an hour at a
 * time along indexes by time and lets others have a turn between: a worklist must not wait.
 */
export async function trendsOf(context: Context, live: Disk): Promise<Trends> {
  const { database, settings } = context
  const now = context.clock()
  const starts = clockHours(now, timeZoneOf(settings.get('clinic.timeZone')), HOURS)
  const keptFrom = now - settings.get('inspector.retentionHours') * HOUR_MS
  const firstSeq = firstEventSince(database, instantOf(now - DELIVERY_MS))
  const hours: Trends['hours'] = []
  const all: Tried[] = []
  for (const [index, start] of starts.entries()) {
    const span = {
      from: instantOf(start),
      // What arrives while it is read is in the last hour.
      to: instantOf(starts[index + 1] ?? now + HOUR_MS),
    }
    const tried = [
      ...tallyCalls(database, span),
      ...(firstSeq === undefined ? [] : tallyRecentAttempts(database, span, firstSeq)),
    ]
    hours.push({
      from: span.from,
      ...countArrivals(database, span),
      queries: start < keptFrom ? null : tallyInspections(database, span),
      partner: requestsOf(tried),
    })
    all.push(...tried)
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

function requestsOf(tallies: readonly Tried[]): Trends['partner'] {
  const tried = tallies.filter(({ outcome }) => outcome !== 'none')
  const count = (some: readonly Tried[]) => some.reduce((sum, one) => sum + one.count, 0)
  return {
    requests: count(tried),
    failed: count(tried.filter(({ outcome }) => outcome !== 'accepted')),
    ...latencyOf(tried),
  }
}

function queuesOf({ database, clock }: Context): Trends['queues'] {
  const outbox = (kind: string) => overdueOutboxJobs(database, kind, instantOf(clock() + 1))
  const waiting = {
    reports: outbox('report.delivered'),
    'report-copies': outbox('report.archive'),
    forwards: waitingForwards(database),
    commitments: waitingCommitments(database),
    enrichment: waitingEnrichments(database),
    captures: outbox('capture.upload'),
    mail: outbox('invitation.mail'),
  } satisfies Record<Trends['queues'][number]['queue'], unknown>
  return WAITING_QUEUES.map((queue) => {
    const { count, since } = waiting[queue]
    return { queue, waiting: count, since }
  })
}
