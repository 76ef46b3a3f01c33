import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '#server/database/database.ts'
import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { SetupState } from '#shared/contract/dashboard-setup.ts'
import type { EventOutcome, MeterRow } from '#shared/contract/events.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { english } from '#shared/messages/english.ts'
import { eventsWithNotes, listEvents } from './queries.ts'
import { type CallTally, tallyAttempts, tallyCalls } from './tally-queries.ts'

const DAY_MS = 24 * 60 * 60_000
const PART_MS = DAY_MS / 6
/** Of so many events with notes the notes are counted, the newest. */
const LOOKED_AT = 500
const MOST_NOTES = 20

/** Nobody was asked: it says nothing of the partner. */
const NOT_CALLED: ReadonlySet<EventOutcome> = new Set([
  'none',
  'no-endpoint',
  'circuit-open',
  'forbidden-address',
])

/**
 * How well partners kept to the contract in the last `days` days, by event, those without a call
 * left out. `calls` counts the calls that were made; `byOutcome` also those that were not. Reads
 * some hours at a time and lets others have a turn between: a worklist must not wait.
 */
export async function meterOf(
  database: Database,
  { days, endpointId }: { readonly days: number; readonly endpointId?: string | undefined },
  now: number,
): Promise<MeterRow[]> {
  // What has come since the question is in the last part.
  const end = now + DAY_MS
  const whole = { from: instantOf(now - days * DAY_MS), to: instantOf(end) }
  const tallies = tallyAttempts(database, whole, endpointId)
  for (let from = now - days * DAY_MS; from < now; from += PART_MS) {
    const to = from + PART_MS < now ? from + PART_MS : end
    tallies.push(...tallyCalls(database, { from: instantOf(from), to: instantOf(to) }, endpointId))
    await nextTurn()
  }
  const rows: MeterRow[] = []
  for (const type of EVENT_TYPES) {
    const own = tallies.filter((tally) => tally.type === type)
    if (own.length === 0) continue
    const made = own.filter(({ outcome }) => !NOT_CALLED.has(outcome))
    const accepted = made.filter(({ outcome }) => outcome === 'accepted')
    const byOutcome: Partial<Record<EventOutcome, number>> = {}
    for (const { outcome, count } of own) byOutcome[outcome] = (byOutcome[outcome] ?? 0) + count
    rows.push({
      type,
      calls: sum(made, 'count'),
      accepted: sum(accepted, 'count'),
      withNotes: sum(accepted, 'withNotes'),
      byOutcome,
      ...latencyOf(own),
      notes: commonest(
        eventsWithNotes(database, type, { since: whole.from, endpointId }, LOOKED_AT),
      ),
    })
    await nextTurn()
  }
  return rows
}

/**
 * The events that the clinic's default endpoint gets, each with how its newest call ended: a test,
 * or in earnest.
 */
export function newestCalls(database: Database): SetupState['partner'] {
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

/** Median and 95th percentile of the calls that were made, in ms; null without one. */
export function latencyOf(
  tallies: readonly Pick<CallTally, 'outcome' | 'tookMs' | 'count'>[],
): Pick<MeterRow, 'p50Ms' | 'p95Ms'> {
  const made = tallies.filter(({ outcome }) => !NOT_CALLED.has(outcome))
  const sorted = made.toSorted((a, b) => a.tookMs - b.tookMs)
  return { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }
}

const sum = <Of extends 'count' | 'withNotes'>(
  tallies: readonly Readonly<Record<Of, number>>[],
  of: Of,
) => tallies.reduce((total, tally) => total + tally[of], 0)

/** The least duration that so great a part of the calls did not exceed; null without a call. */
function percentile(
  sorted: readonly Pick<CallTally, 'tookMs' | 'count'>[],
  part: number,
): number | null {
  const rank = Math.ceil(sum(sorted, 'count') * part)
  let seen = 0
  for (const { tookMs, count } of sorted) {
    seen += count
    if (seen >= rank) return tookMs
  }
  return null
}

/** Notes by place and sentence, positions in lists aside, each with the newest event it is in. */
function commonest(noted: ReturnType<typeof eventsWithNotes>): MeterRow['notes'] {
  const counted = new Map<string, MeterRow['notes'][number]>()
  for (const { eventId, notes } of noted) {
    for (const { path, sentence } of notes) {
      const place = path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '*')
      const key = `${place}\n${english(sentence)}`
      const known = counted.get(key)
      if (known) known.count++
      else counted.set(key, { path: place, sentence, count: 1, eventId })
    }
  }
  return [...counted.values()].toSorted((a, b) => b.count - a.count).slice(0, MOST_NOTES)
}
