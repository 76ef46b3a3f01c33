import type { Context } from '#server/context.ts'
import { addDays, clinicDay, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { DISK_SOON_DAYS, type Trends } from '#shared/contract/dashboard-trends.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { firstArrival, sumArrivedBytes } from './arrival-queries.ts'

/** When no more images will be accepted, at the rate of the last days; null with the reason. */
export type DiskForecast = Pick<
  Trends['disk'],
  'days' | 'stopBytes' | 'fullInDays' | 'unknownBecause'
>

const GIGABYTE = 1e9
/** What the database needs for the rows of images, whatever the setting says. */
const LEAST_BYTES = 64 << 20
/** Two whole weeks: as many quiet days are among them as among those to come. */
const MOST_DAYS = 14
/** Of fewer days the rate is not told. */
const FEWEST_DAYS = 3

/** So much stays free: below it no images are accepted. */
export const leastFreeBytes = (settings: Context['settings']): number =>
  Math.max(settings.get('intake.stopGigabytes') * GIGABYTE, LEAST_BYTES)

/**
 * Bytes that arrived on each of the last 14 days of the clinic, the earliest first. Whole days
 * only: neither today is among them nor the day on which the first images came.
 */
export function receivedByDay({ database, clock, settings }: Context): DiskForecast['days'] {
  const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
  const today = clinicDay(clock(), timeZone)
  const first = firstArrival(database)
  if (first === undefined) return []
  const firstDay = clinicDay(msOf(first), timeZone)
  const beginningOf = (day: string) => instantOf(startOfDay(day, timeZone))
  const since = beginningOf(addDays(today, -MOST_DAYS))
  return Array.from({ length: MOST_DAYS }, (_, index) => addDays(today, index - MOST_DAYS))
    .filter((day) => day > firstDay)
    .map((day) => {
      const span = { from: beginningOf(day), to: beginningOf(addDays(day, 1)) }
      return { day, bytes: sumArrivedBytes(database, span, since) }
    })
}

/** The forecast for a disk with so much free, of which `stopBytes` stay free. */
export function forecastOf(
  { freeBytes, totalBytes }: Pick<Status['storage'], 'freeBytes' | 'totalBytes'>,
  stopBytes: number,
  days: DiskForecast['days'],
): DiskForecast {
  const unknown = (unknownBecause: DiskForecast['unknownBecause']) =>
    ({ days, stopBytes, fullInDays: null, unknownBecause }) as const
  if (totalBytes === 0) return unknown('no-disk')
  if (days.length < FEWEST_DAYS) return unknown('few-days')
  const received = days.reduce((sum, { bytes }) => sum + bytes, 0)
  if (received === 0) return unknown('no-growth')
  const left = Math.max(0, freeBytes - stopBytes)
  const fullInDays = Math.floor((left * days.length) / received)
  return { days, stopBytes, fullInDays, unknownBecause: null }
}

/** That the disk will be full within a month, and what to do about it; undefined where not. */
export const fullSoon = ({
  fullInDays: days,
}: Pick<DiskForecast, 'fullInDays'>):
  | { readonly sentence: Message; readonly remedy: Message }
  | undefined =>
  days === null || days >= DISK_SOON_DAYS
    ? undefined
    : {
        sentence: message('images.disk-full-soon', { days }),
        remedy: message('images.disk-full-soon-remedy'),
      }
