import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDays,
  clinicDay,
  clockHours,
  daysBetween,
  dicomTime,
  nextMidnight,
  startOfDay,
  timeZoneOf,
  wallClock,
} from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../support/property-runs.ts'

const BERLIN = 'Europe/Berlin'
const NEW_YORK = 'America/New_York'
const at = (instant: string) => Date.parse(instant)
const midnight = (day: string, zone: string) => instantOf(startOfDay(day, zone))
const hoursOf = (day: string, zone: string) =>
  (startOfDay(addDays(day, 1), zone) - startOfDay(day, zone)) / 3_600_000

describe('the day of the clinic', () => {
  it('is that of its zone, to the millisecond', () => {
    expect(clinicDay(at('2026-03-10T22:59:59.999Z'), BERLIN)).toBe('2026-03-10')
    expect(clinicDay(at('2026-03-10T23:00:00.000Z'), BERLIN)).toBe('2026-03-11')
    expect(clinicDay(at('2026-03-11T03:59:59.999Z'), NEW_YORK)).toBe('2026-03-10')
    expect(clinicDay(at('2026-03-11T04:00:00.000Z'), NEW_YORK)).toBe('2026-03-11')
  })

  it('is DICOM’s, with the offset of that moment', () => {
    expect(dicomTime('2026-03-10T23:05:06.700Z', BERLIN)).toEqual({
      date: '20260311',
      time: '000506',
      offset: '+0100',
    })
    expect(dicomTime('2026-07-10T03:05:06.000Z', NEW_YORK)).toEqual({
      date: '20260709',
      time: '230506',
      offset: '-0400',
    })
    expect(dicomTime('2026-07-10T03:05:06.000Z', 'Asia/Kolkata').offset).toBe('+0530')
  })

  it('has a wall clock from 00 to 23', () => {
    expect(wallClock(at('2026-07-01T22:00:00.000Z'), BERLIN)).toEqual({
      day: '2026-07-02',
      time: '00:00:00',
    })
    expect(wallClock(at('2026-07-02T21:59:59.000Z'), BERLIN)).toEqual({
      day: '2026-07-02',
      time: '23:59:59',
    })
  })

  it('knows the zone of this PC as local', () => {
    expect(timeZoneOf(BERLIN)).toBe(BERLIN)
    expect(timeZoneOf('local')).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
  })
})

describe('midnight of the clinic', () => {
  it('follows summer time', () => {
    // Berlin: summer time from 29 March to 25 October 2026; New York: from 8 March to 1 November
    // 2026.
    expect(midnight('2026-03-29', BERLIN)).toBe('2026-03-28T23:00:00.000Z')
    expect(midnight('2026-03-30', BERLIN)).toBe('2026-03-29T22:00:00.000Z')
    expect([
      hoursOf('2026-03-28', BERLIN),
      hoursOf('2026-03-29', BERLIN),
      hoursOf('2026-10-25', BERLIN),
    ]).toEqual([24, 23, 25])
    expect(midnight('2026-03-08', NEW_YORK)).toBe('2026-03-08T05:00:00.000Z')
    expect(midnight('2026-03-09', NEW_YORK)).toBe('2026-03-09T04:00:00.000Z')
    expect([
      hoursOf('2026-03-08', NEW_YORK),
      hoursOf('2026-11-01', NEW_YORK),
      hoursOf('2026-11-02', NEW_YORK),
    ]).toEqual([23, 25, 24])
  })

  it('comes next after an instant, also on days of 23 and 25 hours', () => {
    expect(instantOf(nextMidnight(at('2026-03-28T23:00:00.000Z'), BERLIN))).toBe(
      '2026-03-29T22:00:00.000Z',
    )
    expect(instantOf(nextMidnight(at('2026-10-25T22:59:59.999Z'), BERLIN))).toBe(
      '2026-10-25T23:00:00.000Z',
    )
    expect(instantOf(nextMidnight(at('2026-11-01T04:00:00.000Z'), NEW_YORK))).toBe(
      '2026-11-02T05:00:00.000Z',
    )
  })

  it('is the first moment of the day where the clock skips midnight, and at the ends of the earth', () => {
    // Beirut goes from 23:59:59 to 01:00:00 on 29 March 2026.
    expect(midnight('2026-03-29', 'Asia/Beirut')).toBe('2026-03-28T22:00:00.000Z')
    expect(wallClock(startOfDay('2026-03-29', 'Asia/Beirut'), 'Asia/Beirut').time).toBe('01:00:00')
    expect(midnight('2026-03-10', 'Pacific/Kiritimati')).toBe('2026-03-09T10:00:00.000Z')
    expect(midnight('2026-03-10', 'Pacific/Niue')).toBe('2026-03-10T11:00:00.000Z')
  })

  it('is where the day changes, in any zone on any day', { timeout: RUNS_TIMEOUT_MS }, () => {
    const zones = fc.constantFrom(
      BERLIN,
      NEW_YORK,
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Asia/Tokyo',
      'UTC',
    )
    fc.assert(
      fc.property(zones, fc.integer({ min: 0, max: 20_000 }), (zone, days) => {
        const day = addDays('2000-01-01', days)
        const start = startOfDay(day, zone)
        expect([clinicDay(start, zone), clinicDay(start - 1, zone)]).toEqual([
          day,
          addDays(day, -1),
        ])
      }),
      runs(60),
    )
  })
})

describe('days as text', () => {
  it('are counted by the calendar', () => {
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01')
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
    expect(addDays('2000-02-29', 366)).toBe('2001-03-01')
    expect(addDays('2100-03-01', -1)).toBe('2100-02-28')
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31')
    expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2)
  })

  it('agree with the calendar of the platform', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (count) => {
        const expected = new Date(Date.UTC(2026, 2, 10) + count * 86_400_000)
          .toISOString()
          .slice(0, 10)
        expect(addDays('2026-03-10', count)).toBe(expected)
        expect(daysBetween('2026-03-10', expected)).toBe(count)
      }),
      runs(100),
    )
  })
})

describe('the hours of the clinic’s clock', () => {
  const hours = (now: string, zone: string, count: number) =>
    clockHours(at(now), zone, count).map(instantOf)

  it('end with the one of now', () => {
    expect(hours('2026-03-10T09:25:13.250Z', BERLIN, 3)).toEqual([
      ...['2026-03-10T07:00:00.000Z', '2026-03-10T08:00:00.000Z', '2026-03-10T09:00:00.000Z'],
    ])
    expect(hours('2026-03-10T09:00:00.000Z', BERLIN, 1)).toEqual(['2026-03-10T09:00:00.000Z'])
  })

  it('begin with those of the zone', () => {
    expect(hours('2026-03-10T09:25:00.000Z', 'Asia/Kolkata', 2)).toEqual([
      ...['2026-03-10T07:30:00.000Z', '2026-03-10T08:30:00.000Z'],
    ])
  })

  it('are as many as went by where the clock is set forward and back', () => {
    // 2:00 becomes 3:00 at 1:00 UTC, and 3:00 becomes 2:00 at 1:00 UTC.
    for (const day of ['2026-03-29', '2026-10-25'])
      expect(hours(`${day}T02:30:00.000Z`, BERLIN, 3)).toEqual([
        ...[`${day}T00:00:00.000Z`, `${day}T01:00:00.000Z`, `${day}T02:00:00.000Z`],
      ])
    // By half an hour, at 15:00 UTC: an hour of the clock lasts half an hour or one and a half.
    for (const [now, first] of [
      ['2026-04-04T16:45:00.000Z', '2026-04-04T15:30:00.000Z'],
      ['2026-10-03T16:45:00.000Z', '2026-10-03T15:00:00.000Z'],
    ] as const)
      expect(hours(now, 'Australia/Lord_Howe', 2)[0]).toBe(first)
  })
})
