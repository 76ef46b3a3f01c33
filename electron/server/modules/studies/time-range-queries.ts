import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Span } from '#server/modules/studies/study-list-queries.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'

/** The range of sequence numbers of the studies created in a time range. */
export interface SequenceRange {
  /** Only studies with sequence numbers between these (exclusive) can be in the time range. */
  readonly above: number
  readonly before: number
  /**
   * Whether all of them are in the time range: the clock was never set back, and the range starts
   * and ends at a quarter of an hour.
   */
  readonly isExact: boolean
}

const SELECT_LOWEST =
  'select lowest from studyQuarters where quarter >= ? and quarter <= ? order by quarter limit 1'
const SELECT_HIGHEST =
  'select highest from studyQuarters where quarter >= ? and quarter <= ? order by quarter desc limit 1'
const SELECT_RANGE =
  'select min(lowest) as lowest, max(highest) as highest from studyQuarters where quarter >= ? and quarter <= ?'
const SELECT_LATE_QUARTER = 'select 1 from studyQuarters where isLate = 1 limit 1'
const QUARTER_MS = 15 * 60_000

/**
 * The sequence range of a time range; undefined if no study was created in it. Quarters of an hour
 * are named as in the migration `0006-search`.
 */
export function sequenceRangeOf(db: Database, { since, until }: Span): SequenceRange | undefined {
  const ends = [
    since === null ? '' : quarterOf(msOf(since)),
    until === null ? '~' : quarterOf(msOf(until) - 1),
  ]
  const get = (text: string) =>
    db.get(rawQuery<{ lowest?: number | null; highest?: number | null }>(text, ends))
  const isOrdered = db.get(rawQuery(SELECT_LATE_QUARTER, [])) === undefined
  const { lowest, highest } = isOrdered
    ? { ...get(SELECT_LOWEST), ...get(SELECT_HIGHEST) }
    : (get(SELECT_RANGE) ?? {})
  if (lowest === undefined || lowest === null || highest === undefined || highest === null)
    return undefined
  const isWhole = [since, until].every((end) => end === null || msOf(end) % QUARTER_MS === 0)
  return { above: lowest - 1, before: highest + 1, isExact: isOrdered && isWhole }
}

function quarterOf(ms: number): string {
  const instant = instantOf(ms)
  return `${instant.slice(0, 14)}${Math.floor(Number(instant.slice(14, 16)) / 15)}`
}
