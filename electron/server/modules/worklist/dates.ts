import type { Span } from '#server/dicom/matching/range.ts'
import { addDays, daysBetween } from '#server/platform/clinic-day.ts'

/** Converts `2026-11-20` to `20261120`. */
export const daOf = (day: string): string => day.replaceAll('-', '')

/** Converts `20261120` to `2026-11-20`. */
export const dayOf = (da: string): string => `${da.slice(0, 4)}-${da.slice(4, 6)}-${da.slice(6)}`

/** Converts clinic-local `YYYYMMDD` and `HHMMSS` to seconds, for computing differences only. */
export const secondsAt = (da: string, time: string): number =>
  daysBetween('2000-01-01', dayOf(da)) * 86_400 +
  Number(time.slice(0, 2)) * 3600 +
  Number(time.slice(2, 4)) * 60 +
  Number(time.slice(4, 6))

/**
 * Age on the day `da` as an AS (PS3.5 Table 6.2-1): in years from two years on, in months from one
 * month on, otherwise in days; '' if it is unknown.
 */
export function ageAt(birthDate: string, da: string): string {
  if (birthDate === '' || birthDate > da) return ''
  const difference = (from: number, to: number) =>
    Number(da.slice(from, to)) - Number(birthDate.slice(from, to))
  const months =
    difference(0, 4) * 12 + difference(4, 6) - (da.slice(6) < birthDate.slice(6) ? 1 : 0)
  const days = daysBetween(dayOf(birthDate), dayOf(da))
  const [count, unit] =
    months >= 24 ? [Math.floor(months / 12), 'Y'] : months >= 1 ? [months, 'M'] : [days, 'D']
  return count > 999 ? '' : `${String(count).padStart(3, '0')}${unit}`
}

/** The days requested from the partner: `YYYY-MM-DD`, both inclusive. */
export interface DateWindow {
  readonly dateStart: string
  readonly dateEnd: string
  /** The query matches more days; rows of the other days are not requested. */
  readonly isClamped: boolean
}

export interface WindowDays {
  /** `YYYY-MM-DD` in the clinic. */
  readonly today: string
  /** Days requested before and after today when the query specifies no date. */
  readonly daysBack: number
  readonly daysForward: number
}

/** Maximum number of days requested when the query specifies dates. */
export const MAX_RANGE_DAYS = 31
/**
 * Days requested before and after today when the query specifies a patient or an order but no date.
 */
export const ORDER_WINDOW_DAYS = 30

/**
 * Returns the days to request for a query, because `modality_worklist.requested` can only be
 * limited by days: the dates of the query, at most the 31 days nearest to today, or without a date
 * the configured days around today.
 */
export function requestWindowOf(
  dates: Span | undefined,
  namesOrder: boolean,
  { today, daysBack, daysForward }: WindowDays,
): DateWindow {
  const between = (first: number, last: number, isClamped: boolean): DateWindow => ({
    dateStart: addDays(today, first),
    dateEnd: addDays(today, last),
    isClamped,
  })
  if (!dates)
    return namesOrder
      ? between(-ORDER_WINDOW_DAYS, ORDER_WINDOW_DAYS, false)
      : between(-daysBack, daysForward, false)
  // In days relative to today; an open end is infinite.
  const first = dates.from === '' ? Number.NEGATIVE_INFINITY : daysBetween(today, dayOf(dates.from))
  const last = dates.to === '' ? Number.POSITIVE_INFINITY : daysBetween(today, dayOf(dates.to))
  if (last - first < MAX_RANGE_DAYS) return between(first, last, false)
  if (first >= 0) return between(first, first + MAX_RANGE_DAYS - 1, true)
  if (last <= 0) return between(last - MAX_RANGE_DAYS + 1, last, true)
  const start = Math.max(first, -Math.floor(MAX_RANGE_DAYS / 2))
  const end = Math.min(last, start + MAX_RANGE_DAYS - 1)
  return between(end - MAX_RANGE_DAYS + 1, end, true)
}
