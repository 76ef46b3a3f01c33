import { openDayText } from '#shared/day-text.ts'
import { DAY_LOCALE } from '../i18n/param-text.ts'
import { t } from '../i18n/t.ts'

/**
 * A day of the clinic, `20261120` or `2026-11-20`, as `20 Nov 2026`. Anything else is returned as it
 * is.
 */
export const dayText = openDayText(DAY_LOCALE)

/** `20 Nov 2026` as `20 Nov`, for where the year goes without saying. */
export const dayInYearText = (day: string): string => dayText(day).replace(/ \d{4}$/, '')

/**
 * A time of the clinic (PS3.5 TM, `134500.000`) as `13:45`, with seconds where they are not zero.
 * Anything else is shown as it is.
 */
export function timeText(time: string): string {
  const match = /^(\d\d):?(\d\d)?:?(\d\d)?(?:\.\d+)?$/.exec(time.trim())
  if (!match) return time
  const seconds = match[3] && match[3] !== '00' ? `:${match[3]}` : ''
  return `${match[1]}:${match[2] ?? '00'}${seconds}`
}

/** Two days as one phrase: `20 Nov 2026`, or `19 Nov 2026 to 21 Nov 2026`. */
export const daysText = (start: string, end: string): string =>
  start === end ? dayText(start) : t('ui.format.days', { start: dayText(start), end: dayText(end) })

/** A zone `Intl` knows; `local` and unknown names become that of this PC (undefined). */
export function zoneOf(timeZone: string | undefined): string | undefined {
  if (timeZone === undefined || timeZone === '' || timeZone === 'local') return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

interface Parts {
  readonly day: string
  readonly time: string
  readonly seconds: string
}

function partsOf(instant: Date, zone: string | undefined): Parts {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...(zone !== undefined && { timeZone: zone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(instant)
  const of = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value ?? ''
  return {
    day: `${of('year')}-${of('month')}-${of('day')}`,
    time: `${of('hour')}:${of('minute')}`,
    seconds: of('second'),
  }
}

/**
 * An instant as a clock in the clinic's zone: `10:42:03` today, `19 Nov, 10:42:03` this year, else
 * with the year.
 */
export function clockText(instant: string, zone: string | undefined, now: Date): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  const shown = partsOf(at, zone)
  const today = partsOf(now, zone)
  const clock = `${shown.time}:${shown.seconds}`
  if (shown.day === today.day) return clock
  const isThisYear = shown.day.slice(0, 4) === today.day.slice(0, 4)
  return `${isThisYear ? dayInYearText(shown.day) : dayText(shown.day)}, ${clock}`
}

/** The time of an instant in the zone: `10:42`. */
export const timeOfDay = (instant: string, zone: string | undefined): string =>
  partsOf(new Date(instant), zone).time

/** Day and clock in full, for a hover: `20 Nov 2026, 10:42:03 (Europe/Berlin)`. */
export function fullClockText(instant: string, zone: string | undefined): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  const { day, time, seconds } = partsOf(at, zone)
  return `${dayText(day)}, ${time}:${seconds} (${zone ?? t('ui.format.localTime')})`
}

/** The clinic's day now, `YYYY-MM-DD`. */
export const todayIn = (zone: string | undefined, now: Date): string => partsOf(now, zone).day

/** How long ago: `just now`, `4 min ago`, `3 h ago`, `2 days ago`. */
export function agoText(instant: string, now: Date): string {
  const seconds = (now.getTime() - new Date(instant).getTime()) / 1000
  if (Number.isNaN(seconds)) return instant
  if (seconds < 60) return t('ui.format.ago.now')
  if (seconds < 3600) return t('ui.format.ago.minutes', { count: Math.floor(seconds / 60) })
  if (seconds < 86_400) return t('ui.format.ago.hours', { count: Math.floor(seconds / 3600) })
  return t('ui.format.ago.days', { count: Math.floor(seconds / 86_400) })
}

/** The day after `YYYY-MM-DD`, by the calendar alone. */
export function dayAfter(day: string): string {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date + 1)).toISOString().slice(0, 10)
}
