import { describe, expect, it } from 'vitest'
import {
  expiredBackups,
  expiryTimes,
  type RetainedBackup,
} from '#server/modules/backups/backup-retention.ts'

const PLAN = { keepDaily: 7, keepWeekly: 4, keepMonthly: 6 }
const ZONE = 'Europe/Berlin'
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 60 * 60_000, 24 * 60 * 60_000]

const made = (at: number | string, kind: RetainedBackup['kind'] = 'scheduled'): RetainedBackup => {
  const madeAt = new Date(at).toISOString()
  return { name: `${kind} ${madeAt}`, madeAt, kind }
}
const at = (instant: string) => Date.parse(instant)
const formats = new Map<string, Intl.DateTimeFormat>()
function dayIn(instant: string | number, timeZone: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone })
  formats.set(timeZone, format)
  return format.format(new Date(instant))
}
const weekOf = (day: string) => {
  const ms = at(`${day}T00:00:00Z`)
  return new Date(ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
}

/**
 * Makes backups at the times and removes what the plan does not keep after each, as the gateway
 * does; hears what is there then.
 */
function live(
  times: Iterable<number>,
  timeZone: string,
  heard: (there: readonly RetainedBackup[], now: number, gone: readonly RetainedBackup[]) => void,
) {
  let there: RetainedBackup[] = []
  for (const now of times) {
    there.push(made(now))
    const names = new Set(expiredBackups(there, PLAN, timeZone, now))
    const gone = there.filter(({ name }) => names.has(name))
    there = there.filter(({ name }) => !names.has(name))
    heard(there, now, gone)
  }
  return there
}

function* every(ms: number, from: string, to: string) {
  for (let now = at(from); now < at(to); now += ms) yield now
}

describe('what is kept', () => {
  it('is the last of seven days, four weeks and six months, through two years of days', () => {
    // 02:30 in Berlin all the year, which is skipped on one day and comes twice on another.
    const times = [...every(DAY_MS, '2026-01-01T01:30:00Z', '2028-01-01T00:00:00Z')]
    const days = new Map<string, string>()
    live(times, ZONE, (there, now) => {
      days.set(dayIn(now, ZONE), made(now).name)
      const lastOf = (period: (day: string) => string, count: number) => {
        const last = new Map([...days].map(([day, name]) => [period(day), name]))
        return [...last.values()].slice(-count)
      }
      const wanted = new Set([
        ...lastOf((day) => day, 7),
        ...lastOf(weekOf, 4),
        ...lastOf((day) => day.slice(0, 7), 6),
      ])
      expect(new Set(there.map(({ name }) => name))).toEqual(wanted)
      expect(there.at(-1)?.madeAt).toBe(new Date(now).toISOString())
      expect(there.length).toBeLessThanOrEqual(7 + 4 + 6)
    })
  })

  it.each([
    'Europe/Berlin',
    'America/St_Johns',
    'Pacific/Apia',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'UTC',
  ])('is bounded in %s with one every quarter of an hour, the last hour among it', (zone) => {
    // Through the day on which Berlin's clock goes forward and the end of a month, with all slots
    // filled by the days before.
    const times = [
      ...every(DAY_MS, '2025-09-01T22:00:00Z', '2026-03-28T12:00:00Z'),
      ...every(15 * MINUTE_MS, '2026-03-28T12:00:00Z', '2026-04-02T00:00:00Z'),
    ]
    const last = live(times, zone, (there, now) => {
      expect(there.length).toBeLessThanOrEqual(7 + 4 + 6 + 4)
      expect(there.at(-1)?.madeAt).toBe(new Date(now).toISOString())
    })
    const days = last.map(({ madeAt }) => dayIn(madeAt, zone))
    expect(new Set(days.filter((day) => day > '2026-03-26')).size).toBeGreaterThanOrEqual(6)
    expect(last.filter(({ madeAt }) => at(madeAt) > at('2026-04-01T23:00:00Z'))).toHaveLength(3)
    expect(new Set(days.map((day) => day.slice(0, 7))).size).toBeGreaterThanOrEqual(6)
  })

  it('is not less because the PC was off for half a year', () => {
    const before = live(
      every(DAY_MS, '2026-01-01T01:30:00Z', '2026-06-15T00:00:00Z'),
      ZONE,
      () => {},
    )
    const after = [...before, made('2026-12-20T01:30:00Z')]
    // One day, one week and one month make room for the new ones.
    expect(expiredBackups(after, PLAN, ZONE, at('2026-12-20T01:30:00Z'))).toHaveLength(3)
  })

  it('has all that a person made, and what was made before an update for thirty days', () => {
    const there = [
      made('2020-01-01T00:00:00Z', 'by-hand'),
      made('2026-03-01T00:00:00Z', 'before-update'),
      made('2026-03-05T00:00:00Z'),
    ]
    expect(expiredBackups(there, PLAN, ZONE, at('2026-03-30T23:59:59Z'))).toEqual([])
    expect(expiredBackups(there, PLAN, ZONE, at('2026-03-31T00:00:00Z'))).toEqual([
      'before-update 2026-03-01T00:00:00.000Z',
    ])
  })

  it('always has the newest, whatever made it and however old', () => {
    for (const kind of ['by-hand', 'scheduled', 'before-update'] as const)
      expect(
        expiredBackups(
          [made('2020-01-01T00:00:00Z', kind)],
          { keepDaily: 1, keepWeekly: 0, keepMonthly: 0 },
          ZONE,
          at('2030-01-01T00:00:00Z'),
        ),
      ).toEqual([])
    expect(expiredBackups([], PLAN, ZONE, 0)).toEqual([])
  })

  it('has one of a clock that was years ahead beside the days, not instead of them', () => {
    const there = [
      made('2031-01-01T00:00:00Z'),
      ...[...every(DAY_MS, '2026-03-01T01:30:00Z', '2026-03-06T00:00:00Z')].map((now) => made(now)),
    ]
    expect(expiredBackups(there, PLAN, ZONE, at('2026-03-05T02:00:00Z'))).toEqual([])
  })
})

describe('until when', () => {
  it('is told truly: with one a day it goes on the day that was told', () => {
    const told = new Map<string, string>()
    let gone = 0
    live(
      every(DAY_MS, '2026-01-01T01:30:00Z', '2027-06-01T00:00:00Z'),
      ZONE,
      (there, now, left) => {
        for (const [name, until] of expiryTimes(there, PLAN, ZONE, now)) {
          const before = told.get(name)
          // What was told once stands.
          if (before !== undefined) expect(until).toBe(before)
          told.set(name, until ?? '')
          expect(at(until ?? '')).toBeGreaterThan(now)
        }
        for (const { name } of left) {
          expect(dayIn(told.get(name) ?? '', ZONE)).toBe(dayIn(now, ZONE))
          gone += 1
        }
      },
    )
    expect(gone).toBeGreaterThan(450)
  })

  it('begins with the day in the zone of the clinic, also where the clock changes', () => {
    const [one] = [made('2026-03-23T01:30:00Z')]
    const until = expiryTimes(
      [one],
      { keepDaily: 7, keepWeekly: 0, keepMonthly: 0 },
      ZONE,
      at('2026-03-23T02:00:00Z'),
    )
    // Seven days later it is summer.
    expect(until.get(one.name)).toBe('2026-03-29T22:00:00.000Z')
  })

  it('is a day for one before an update, nothing for one by hand, and an hour for what a younger one of the day replaced', () => {
    const there = [
      made('2026-03-10T08:00:00Z', 'by-hand'),
      made('2026-03-10T09:00:00Z', 'before-update'),
      made('2026-03-10T10:00:00Z'),
      made('2026-03-10T10:05:00Z'),
    ]
    const until = expiryTimes(there, PLAN, 'UTC', at('2026-03-10T10:06:00Z'))
    expect([...until.values()]).toEqual([
      null,
      '2026-04-09T09:00:00.000Z',
      '2026-03-10T11:00:00.000Z',
      '2026-03-17T00:00:00.000Z',
    ])
    expect(expiredBackups(there, PLAN, 'UTC', at('2026-03-10T10:59:59Z'))).toEqual([])
    expect(expiredBackups(there, PLAN, 'UTC', at('2026-03-10T10:05:00Z') + HOUR_MS)).toEqual([
      there[2]?.name,
    ])
    expect(expiredBackups(there, PLAN, 'UTC', at('2026-03-10T11:00:00Z'))).toEqual([there[2]?.name])
  })

  it('does not depend on what a person made meanwhile', () => {
    const [scheduled, byHand] = [
      made('2026-03-10T02:30:00Z'),
      made('2026-03-11T08:00:00Z', 'by-hand'),
    ]
    const plan = { keepDaily: 2, keepWeekly: 0, keepMonthly: 0 }
    const until = expiryTimes([scheduled, byHand], plan, 'UTC', at('2026-03-11T09:00:00Z'))
    // The backup of today is still to be made: two days later this one is not among the last two.
    expect(until.get(scheduled.name)).toBe('2026-03-12T00:00:00.000Z')
  })
})
