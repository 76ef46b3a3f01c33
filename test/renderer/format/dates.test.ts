import { describe, expect, it } from 'vitest'
import {
  agoText,
  clockText,
  dayAfter,
  daysText,
  dayText,
  fullClockText,
  timeText,
  todayIn,
  zoneOf,
} from '../../../renderer/src/format/dates.ts'

describe('a clinic day', () => {
  it.each([
    ['20261120', '20 Nov 2026'],
    ['2026-09-03', '3 Sep 2026'],
    ['', ''],
    ['20261320', '20261320'],
    ['tomorrow', 'tomorrow'],
  ])('%j is shown as %j', (day, text) => {
    expect(dayText(day)).toBe(text)
  })

  it('is one phrase with another day', () => {
    expect(daysText('2026-11-20', '2026-11-20')).toBe('20 Nov 2026')
    expect(daysText('2026-11-19', '2026-11-21')).toBe('19 Nov 2026 to 21 Nov 2026')
  })

  it.each([
    ['2026-11-20', '2026-11-21'],
    ['2026-12-31', '2027-01-01'],
    ['2028-02-28', '2028-02-29'],
    ['2026-03-29', '2026-03-30'],
  ])('after %s comes %s', (day, next) => {
    expect(dayAfter(day)).toBe(next)
  })
})

describe('a clinic time', () => {
  it.each([
    ['134500.000000', '13:45'],
    ['134530', '13:45:30'],
    ['0930', '09:30'],
    ['09', '09:00'],
    ['13:45', '13:45'],
    ['', ''],
    ['soon', 'soon'],
  ])('%j is shown as %j', (time, text) => {
    expect(timeText(time)).toBe(text)
  })
})

describe('an instant', () => {
  const now = new Date('2026-11-20T12:00:00.000Z')

  it.each([
    ['2026-11-20T09:42:03.120Z', '10:42:03'],
    ['2026-11-19T09:42:03.000Z', '19 Nov, 10:42:03'],
    ['2025-12-01T09:42:03.000Z', '1 Dec 2025, 10:42:03'],
    ['2026-11-19T23:30:00.000Z', '00:30:00'],
    ['not an instant', 'not an instant'],
  ])('%s is %s in the clinic’s zone', (instant, text) => {
    expect(clockText(instant, 'Europe/Berlin', now)).toBe(text)
  })

  it('is shown in full with the name of the zone', () => {
    expect(fullClockText('2026-07-01T09:42:03.000Z', 'Europe/Berlin')).toBe(
      '1 Jul 2026, 11:42:03 (Europe/Berlin)',
    )
  })

  it('belongs to the day of the clinic, not to that of UTC', () => {
    expect(todayIn('Asia/Tokyo', new Date('2026-11-20T15:30:00.000Z'))).toBe('2026-11-21')
    expect(todayIn('America/New_York', new Date('2026-11-20T03:00:00.000Z'))).toBe('2026-11-19')
  })

  it.each([
    ['2026-11-20T11:59:30.000Z', 'just now'],
    ['2026-11-20T11:56:00.000Z', '4 min ago'],
    ['2026-11-20T09:00:00.000Z', '3 h ago'],
    ['2026-11-19T09:00:00.000Z', '1 day ago'],
    ['2026-11-10T09:00:00.000Z', '10 days ago'],
  ])('%s was %s', (instant, text) => {
    expect(agoText(instant, now)).toBe(text)
  })
})

describe('a time zone', () => {
  it('is that of this PC when it is local, empty or unknown', () => {
    expect([zoneOf('local'), zoneOf(''), zoneOf(undefined), zoneOf('Mars/Olympus')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(zoneOf('Europe/Berlin')).toBe('Europe/Berlin')
  })
})
