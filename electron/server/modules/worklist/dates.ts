import { addDays, daysBetween } from '#server/platform/clinic-day.ts'
import { isDa } from '#shared/dicom-values.ts'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/**
 * What a DA or TM key admits, both ends included and of full length (`YYYYMMDD`, `HHMMSS.FFFFFF`),
 * so that text order is time order. An empty end is open. `isRange` tells `20261120-20261120` from
 * `20261120`, which matters where date and time are combined.
 */
export interface Span {
  readonly from: string
  readonly to: string
  readonly isRange: boolean
}

/** A key that is no date or time, or a range of dates that ends before it begins. */
export class SpanFault extends MessageError {
  override name = 'SpanFault'
}

const UNIVERSAL = /^[*\s-]*$/

/**
 * PS3.4 C.2.2.2.5 for DA, with the retired form `2026.11.20` and spaces. @returns undefined for a
 * universal key. @throws SpanFault
 */
export function dateSpan(text: string): Span | undefined {
  const read = span(text, readDate, readDate)
  if (read && isReversed(read)) throw new SpanFault(REVERSED)
  return read
}

/**
 * PS3.4 C.2.2.2.5 for TM, with the retired `10:15`. An omitted minute or second admits all of that
 * hour or minute. A range may end before it begins, such as `2200-0700`: together with a range of
 * dates that is a night (PS3.4 Table K.6-1), and only the caller has both.
 */
export const timeSpan = (text: string): Span | undefined =>
  span(
    text,
    (time) => readTime(time, '00', '000000'),
    (time) => readTime(time, '59', '999999'),
  )

function span(
  text: string,
  first: (one: string) => string,
  last: (one: string) => string,
): Span | undefined {
  if (UNIVERSAL.test(text)) return undefined
  const ends = text.split('-').map((end) => end.trim())
  if (ends.length > 2) throw new SpanFault(message('worklist.several-hyphens'))
  const [from = '', to = from] = ends
  return { from: from && first(from), to: to && last(to), isRange: ends.length === 2 }
}

/** Why a range is refused for which `isReversed` holds. */
export const REVERSED = message('worklist.range-reversed')
export const isReversed = ({ from, to }: Pick<Span, 'from' | 'to'>): boolean =>
  to !== '' && from > to

function readDate(text: string): string {
  const da = text.replace(/(\d{4})\.(\d\d)\.(\d\d)/, '$1$2$3')
  if (!isDa(da)) throw new SpanFault(message('worklist.not-a-date'))
  return da
}

function readTime(text: string, rest: string, fraction: string): string {
  const parts = /^([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d|60)(?:\.(\d{1,6}))?)?)?$/.exec(text)
  if (!parts) throw new SpanFault(message('worklist.not-a-time'))
  const [, hour, minute = rest, second = rest, part = ''] = parts
  return `${hour}${minute}${second}.${part.padEnd(6, fraction)}`
}

/** `20261120` of `2026-11-20`. */
export const daOf = (day: string): string => day.replaceAll('-', '')

/** `2026-11-20` of `20261120`. */
export const dayOf = (da: string): string => `${da.slice(0, 4)}-${da.slice(4, 6)}-${da.slice(6)}`

/** Seconds of clinic-local text, `YYYYMMDD` and `HHMMSS`, for distances only. */
export const secondsAt = (da: string, time: string): number =>
  daysBetween('2000-01-01', dayOf(da)) * 86_400 +
  Number(time.slice(0, 2)) * 3600 +
  Number(time.slice(2, 4)) * 60 +
  Number(time.slice(4, 6))

/**
 * AS (PS3.5 Table 6.2-1): whole years from two years on, months from one, days before; empty where
 * there is no age.
 */
export function ageAt(birthDate: string, da: string): string {
  if (birthDate === '' || birthDate > da) return ''
  const number = (from: number, to: number) =>
    Number(da.slice(from, to)) - Number(birthDate.slice(from, to))
  const months = number(0, 4) * 12 + number(4, 6) - (da.slice(6) < birthDate.slice(6) ? 1 : 0)
  const days = daysBetween(dayOf(birthDate), dayOf(da))
  const [count, unit] =
    months >= 24 ? [Math.floor(months / 12), 'Y'] : months >= 1 ? [months, 'M'] : [days, 'D']
  return count > 999 ? '' : `${String(count).padStart(3, '0')}${unit}`
}

/** The days the partner is asked for: `YYYY-MM-DD`, both included. */
export interface Window {
  readonly dateStart: string
  readonly dateEnd: string
  /** The query admits more days than that; the rows of those are not asked for. */
  readonly isClamped: boolean
}

export interface WindowDays {
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
 * The partner can be asked by days only (`modality_worklist.requested`), so each
 * query gets a window: its dates, at most 31 days of them and those nearest to today; without a
 * date, the days around today.
 */
export function windowOf(
  dates: Span | undefined,
  namesOrder: boolean,
  { today, daysBack, daysForward }: WindowDays,
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
