import { msOf } from './clock.ts'

/** A day in the clinic's time zone is text, `YYYY-MM-DD`; instants are numbers in milliseconds. */

/** The IANA zone of the `clinic.timeZone` setting. */
export const timeZoneOf = (setting: string) => (setting === 'local' ? zoneOfThisPc() : setting)

// Reading the zone takes longer than answering a query, so it is cached. Within a running process
// Node only changes its time zone when TZ changes.
let cachedZone: { readonly by: string | undefined; readonly timeZone: string } | undefined
function zoneOfThisPc(): string {
  const by = process.env.TZ
  if (cachedZone?.by !== by || !cachedZone)
    cachedZone = { by, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }
  return cachedZone.timeZone
}

export interface WallClock {
  readonly day: string
  readonly time: string
}

const HOUR_MS = 60 * 60_000
const formats = new Map<string, Intl.DateTimeFormat>()
/** The last clock reading of each zone and its second: many callers ask within the same second. */
const lastReadings = new Map<string, { readonly second: number; readonly clock: WallClock }>()

/** Wall clock time of the zone at an instant: `day` is `YYYY-MM-DD`, `time` is `HH:MM:SS`. */
export function wallClock(now: number, timeZone: string): WallClock {
  const second = Math.floor(now / 1000)
  const last = lastReadings.get(timeZone)
  if (last?.second === second) return last.clock
  const clock = read(now, timeZone)
  lastReadings.set(timeZone, { second, clock })
  return clock
}

function read(now: number, timeZone: string): WallClock {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(timeZone, format)
  }
  const parts = Object.fromEntries(
    format.formatToParts(now).map(({ type, value }) => [type, value]),
  )
  return {
    day: `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`,
    time: `${parts.hour}:${parts.minute}:${parts.second}`,
  }
}

/**
 * Converts an instant (RFC 3339) to the zone's local time in DICOM format (PS3.5 §6.2): a DA value,
 * a TM value, and the UTC offset suffix of a DT value (`+0100`).
 */
export function dicomTime(
  instant: string,
  timeZone: string,
): { readonly date: string; readonly time: string; readonly offset: string } {
  const at = msOf(instant)
  const { day, time } = wallClock(at, timeZone)
  const minutes = Math.round((Date.parse(`${day}T${time}Z`) - at) / 60_000)
  const twoDigits = (value: number) => String(Math.trunc(value)).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${twoDigits(Math.abs(minutes) / 60)}${twoDigits(Math.abs(minutes) % 60)}`
  return { date: day.replaceAll('-', ''), time: time.replaceAll(':', ''), offset }
}

/** The clinic's local day at an instant. */
export const clinicDay = (now: number, timeZone: string) => wallClock(now, timeZone).day

/**
 * The instant at which the day begins in the zone: midnight, or the first instant after it where a
 * clock change skips midnight.
 */
export function startOfDay(day: string, timeZone: string): number {
  // Zones range from UTC-12 to UTC+14. A zone's local day never decreases, so a binary search finds
  // its first millisecond.
  const noon = daysFromCivil(day) * 24 * HOUR_MS + 12 * HOUR_MS
  let [before, after] = [noon - 28 * HOUR_MS, noon + 28 * HOUR_MS]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (clinicDay(middle, timeZone) < day) before = middle
    else after = middle
  }
  return after
}

/**
 * The instants at which the last `count` hours of the zone's clock began, the earliest first; the
 * last is the hour of `now`. Where the clock is set back, an hour that it shows twice is two.
 */
export function clockHours(now: number, timeZone: string, count: number): number[] {
  const starts: number[] = []
  for (let before = now; starts.length < count; before = (starts[0] ?? before) - 1) {
    const [, minutes = 0, seconds = 0] = wallClock(before, timeZone).time.split(':').map(Number)
    const second = Math.floor(before / 1000)
    starts.unshift((second - seconds - minutes * 60) * 1000)
  }
  return starts
}

/** The next local midnight after `now`. */
export const nextMidnight = (now: number, timeZone: string) =>
  startOfDay(addDays(clinicDay(now, timeZone), 1), timeZone)

/** Adds `count` days; a negative count subtracts. */
export const addDays = (day: string, count: number) => civilFromDays(daysFromCivil(day) + count)

/** Number of days from `from` to `to`; negative if `to` is earlier. */
export const daysBetween = (from: string, to: string) => daysFromCivil(to) - daysFromCivil(from)

/**
 * Days since 1970-01-01 in the Gregorian calendar. Counting years from March puts the leap day at
 * the end of the year.
 */
function daysFromCivil(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + date - 1
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

function civilFromDays(days: number): string {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const date = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(date)}`
}
