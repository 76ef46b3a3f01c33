import type { Instant } from '#shared/contract/conventions.ts'

/** Milliseconds since 1970-01-01T00:00:00Z; `Date.now` outside tests. */
export type Clock = () => number

/** RFC 3339 in UTC with milliseconds, so that sorting the text sorts by time. */
export const instantOf = (ms: number): Instant => new Date(ms).toISOString()

/** Milliseconds since 1970-01-01T00:00:00Z. */
export const msOf = (instant: Instant): number => Date.parse(instant)
