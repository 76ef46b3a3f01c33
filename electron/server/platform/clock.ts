import type { Instant } from '#shared/contract/conventions.ts'

/** Milliseconds since 1970-01-01T00:00:00Z; `Date.now` outside tests. */
export type Clock = () => number

/** The latest result of `instantOf`: what happens in one millisecond is often recorded many times. */
let latest: { readonly ms: number; readonly instant: Instant } = { ms: Number.NaN, instant: '' }

/** RFC 3339 in UTC with milliseconds, so that sorting the text sorts by time. */
export function instantOf(ms: number): Instant {
  if (ms !== latest.ms) latest = { ms, instant: new Date(ms).toISOString() }
  return latest.instant
}

/** Milliseconds since 1970-01-01T00:00:00Z. */
export const msOf = (instant: Instant): number => Date.parse(instant)
