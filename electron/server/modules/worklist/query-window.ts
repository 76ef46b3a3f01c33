import { addDays, daysBetween } from '#server/platform/clinic-day.ts'
import { dayOf } from './calendar.ts'
import type { Span } from './span.ts'

/** The days the partner is asked for: `YYYY-MM-DD`, both included. */
export interface Window {
  readonly dateStart: string
  readonly dateEnd: string
  /** The query admits more days than that; the rows of those are not asked for. */
  readonly isClamped: boolean
}

export interface WindowContext {
  /** `YYYY-MM-DD` in the clinic. */
  readonly today: string
  /** Days asked for around today where the query names none. */
  readonly daysBack: number
  readonly daysForward: number
}

/** Most days asked for at once where the query names dates. */
export const MOST_DAYS = 31
/** Days before and after today where the query names no date but a patient or an order. */
export const AROUND_ORDER = 30

/**
 * The partner can be asked by days only (interface.md, `modality_worklist.requested`), so each
 * query gets a window: its dates, at most 31 days of them and those nearest to today; without a
 * date, the days around today.
 */
export function windowOf(
  dates: Span | undefined,
  namesOrder: boolean,
  { today, daysBack, daysForward }: WindowContext,
): Window {
  const between = (first: number, last: number, isClamped: boolean): Window => ({
    dateStart: addDays(today, first),
    dateEnd: addDays(today, last),
    isClamped,
  })
  if (!dates)
    return namesOrder
      ? between(-AROUND_ORDER, AROUND_ORDER, false)
      : between(-daysBack, daysForward, false)
  // Days after today; an open end is as far as there are days.
  const first = dates.from === '' ? Number.NEGATIVE_INFINITY : daysBetween(today, dayOf(dates.from))
  const last = dates.to === '' ? Number.POSITIVE_INFINITY : daysBetween(today, dayOf(dates.to))
  if (last - first < MOST_DAYS) return between(first, last, false)
  if (first >= 0) return between(first, first + MOST_DAYS - 1, true)
  if (last <= 0) return between(last - MOST_DAYS + 1, last, true)
  const start = Math.max(first, -Math.floor(MOST_DAYS / 2))
  const end = Math.min(last, start + MOST_DAYS - 1)
  return between(end - MOST_DAYS + 1, end, true)
}
