import type { Context } from '#server/context.ts'
import { addDays, clinicDay, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { DISK_WARNING_DAYS, type Trends } from '#shared/contract/dashboard-trends.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { firstArrival, sumArrivedBytes } from './arrival-queries.ts'

/**
 * In how many days the disk will be too full to accept images, at the rate of the last days; null
 * with the reason if that is unknown.
 */
export type DiskForecast = Pick<
  Trends['disk'],
  'days' | 'stopBytes' | 'fullInDays' | 'unknownBecause'
>

const GIGABYTE = 1e9
/** Space that the database needs for the rows of images, regardless of the setting. */
const MIN_DATABASE_BYTES = 64 << 20
/** Whole weeks, so that weekends are represented. */
const MAX_DAYS = 14
/** Number of days that a forecast requires. */
const MIN_DAYS = 3

/** Free space below which no images are accepted (bytes). */
export const minFreeBytes = (settings: Context['settings']): number =>
  Math.max(settings.get('intake.stopGigabytes') * GIGABYTE, MIN_DATABASE_BYTES)

/**
 * Bytes received on each of the last 14 days in the clinic's time zone, oldest first. Excludes today
 * and the day of the first images, which are incomplete.
 */
export function receivedByDay({ database, clock, settings }: Context): DiskForecast['days'] {
  const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
  const today = clinicDay(clock(), timeZone)
  const first = firstArrival(database)
  if (first === undefined) return []
  const firstDay = clinicDay(msOf(first), timeZone)
  const startOf = (day: string) => instantOf(startOfDay(day, timeZone))
  const since = startOf(addDays(today, -MAX_DAYS))
  return Array.from({ length: MAX_DAYS }, (_, index) => addDays(today, index - MAX_DAYS))
    .filter((day) => day > firstDay)
    .map((day) => {
      const span = { from: startOf(day), to: startOf(addDays(day, 1)) }
      return { day, bytes: sumArrivedBytes(database, span, since) }
    })
}

/** Forecasts when only `stopBytes` of the disk will be free, at the average rate of `days`. */
export function forecastOf(
  { freeBytes, totalBytes }: Pick<Status['storage'], 'freeBytes' | 'totalBytes'>,
  stopBytes: number,
  days: DiskForecast['days'],
): DiskForecast {
  const unknown = (unknownBecause: DiskForecast['unknownBecause']) =>
    ({ days, stopBytes, fullInDays: null, unknownBecause }) as const
  if (totalBytes === 0) return unknown('no-disk')
  if (days.length < MIN_DAYS) return unknown('few-days')
  const received = days.reduce((sum, { bytes }) => sum + bytes, 0)
  if (received === 0) return unknown('no-growth')
  const left = Math.max(0, freeBytes - stopBytes)
  const fullInDays = Math.floor((left * days.length) / received)
  return { days, stopBytes, fullInDays, unknownBecause: null }
}

/** Warning and remedy if the disk is forecast to be full within `DISK_WARNING_DAYS`. */
export const fullSoonWarning = ({
  fullInDays: days,
}: Pick<DiskForecast, 'fullInDays'>):
  | { readonly sentence: Message; readonly remedy: Message }
  | undefined =>
  days === null || days >= DISK_WARNING_DAYS
    ? undefined
    : {
        sentence: message('images.disk-full-soon', { days }),
        remedy: message('images.disk-full-soon-remedy'),
      }
