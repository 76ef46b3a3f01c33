import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '#server/database/database.ts'
import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { SetupState } from '#shared/contract/dashboard-setup.ts'
import type { EventOutcome, MeterRow } from '#shared/contract/events.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { englishText } from '#shared/messages/english.ts'
import { type CallCount, countAttempts, countCalls } from './call-count-queries.ts'
import { eventsWithNotes, listEvents } from './queries.ts'

const DAY_MS = 24 * 60 * 60_000
const BATCH_SPAN_MS = DAY_MS / 6
/** Number of recent events with notes whose notes are counted. */
const EVENTS_WITH_NOTES = 500
const MAX_NOTES = 20

/** Outcomes of calls that were not made, which say nothing about the partner. */
const NOT_CALLED: ReadonlySet<EventOutcome> = new Set([
  'none',
  'no-endpoint',
  'circuit-open',
  'forbidden-address',
])

/**
 * Statistics about how partners met the contract in the last `days` days, for each event type with
 * calls. `calls` counts calls that were made; `byOutcome` also includes those that were not. Reads
 * a few hours at a time and yields to the event loop in between, so that worklist queries are not
 * delayed.
 */
export async function meterOf(
  database: Database,
  { days, endpointId }: { readonly days: number; readonly endpointId?: string | undefined },
  now: number,
): Promise<MeterRow[]> {
  // Events that arrive in the meantime are included in the last batch.
  const end = now + DAY_MS
  const wholeRange = { from: instantOf(now - days * DAY_MS), to: instantOf(end) }
  const callCounts = countAttempts(database, wholeRange, endpointId)
  for (let from = now - days * DAY_MS; from < now; from += BATCH_SPAN_MS) {
    const to = from + BATCH_SPAN_MS < now ? from + BATCH_SPAN_MS : end
    callCounts.push(
      ...countCalls(database, { from: instantOf(from), to: instantOf(to) }, endpointId),
    )
    await nextTurn()
  }
  const rows: MeterRow[] = []
  for (const type of EVENT_TYPES) {
    const countsOfType = callCounts.filter((callCount) => callCount.type === type)
    if (countsOfType.length === 0) continue
    const callsMade = countsOfType.filter(({ outcome }) => !NOT_CALLED.has(outcome))
    const accepted = callsMade.filter(({ outcome }) => outcome === 'accepted')
    const countByOutcome: Partial<Record<EventOutcome, number>> = {}
    for (const { outcome, count } of countsOfType)
      countByOutcome[outcome] = (countByOutcome[outcome] ?? 0) + count
    rows.push({
      type,
      calls: sum(callsMade, 'count'),
      accepted: sum(accepted, 'count'),
      withNotes: sum(accepted, 'withNotes'),
      byOutcome: countByOutcome,
      ...latencyOf(countsOfType),
      notes: mostFrequentNotes(
        eventsWithNotes(database, type, { since: wholeRange.from, endpointId }, EVENTS_WITH_NOTES),
      ),
    })
    await nextTurn()
  }
  return rows
}

/**
 * The events of the clinic's default endpoint, each with the outcome of its latest call, including
 * tests.
 */
export function defaultEndpointStatus(database: Database): SetupState['partner'] {
  const endpoint = defaultEndpoint(database)
  if (!endpoint) return { url: null, endpointId: null, events: [] }
  const { url, endpointId } = endpoint
  const events = endpoint.events.map((type) => {
    const [newest] = listEvents(database, { type, show: 'all', endpointId, limit: 1 }).items
    const at = newest && newest.attempts > 0 ? newest.updatedAt : null
    return { type, outcome: newest?.outcome ?? ('none' as const), at }
  })
  return { url, endpointId, events }
}

/** Median and 95th percentile of the durations of the calls that were made (ms). */
export function latencyOf(
  callCounts: readonly Pick<CallCount, 'outcome' | 'tookMs' | 'count'>[],
): Pick<MeterRow, 'p50Ms' | 'p95Ms'> {
  const callsMade = callCounts.filter(({ outcome }) => !NOT_CALLED.has(outcome))
  const sorted = callsMade.toSorted((a, b) => a.tookMs - b.tookMs)
  return { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }
}

const sum = <Of extends 'count' | 'withNotes'>(
  callCounts: readonly Readonly<Record<Of, number>>[],
  of: Of,
) => callCounts.reduce((total, callCount) => total + callCount[of], 0)

/**
 * The smallest duration that this fraction of the calls did not exceed; null if there are no calls.
 */
function percentile(
  sorted: readonly Pick<CallCount, 'tookMs' | 'count'>[],
  part: number,
): number | null {
  const rank = Math.ceil(sum(sorted, 'count') * part)
  let seenCount = 0
  for (const { tookMs, count } of sorted) {
    seenCount += count
    if (seenCount >= rank) return tookMs
  }
  return null
}

/**
 * The most frequent notes, grouped by path without list indexes and by sentence, each with the
 * latest event that contains it.
 */
function mostFrequentNotes(notedEvents: ReturnType<typeof eventsWithNotes>): MeterRow['notes'] {
  const counted = new Map<string, MeterRow['notes'][number]>()
  for (const { eventId, notes } of notedEvents) {
    for (const { path, sentence } of notes) {
      const pathPattern = path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '*')
      const key = `${pathPattern}\n${englishText(sentence)}`
      const known = counted.get(key)
      if (known) known.count++
      else counted.set(key, { path: pathPattern, sentence, count: 1, eventId })
    }
  }
  return [...counted.values()].toSorted((a, b) => b.count - a.count).slice(0, MAX_NOTES)
}
