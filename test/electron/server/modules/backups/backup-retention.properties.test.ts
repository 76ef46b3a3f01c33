import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  expiredBackups,
  expiryTimes,
  type RetainedBackup,
  type RetentionPlan,
} from '#server/modules/backups/backup-retention.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'

// What is kept of any history: backups of every kind, days without any, clocks that jump, a plan
// that is changed, removals that fail.

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 60 * 60_000, 24 * 60 * 60_000]
const ZONES = [
  'Europe/Berlin',
  'America/St_Johns',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  'UTC',
]
const formats = new Map(
  ZONES.map((timeZone) => [timeZone, new Intl.DateTimeFormat('sv-SE', { timeZone })]),
)

const stepArbitrary = fc.record({
  after: fc.oneof(
    { weight: 6, arbitrary: fc.constant(DAY_MS) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 3 * HOUR_MS }) },
    { weight: 2, arbitrary: fc.integer({ min: DAY_MS, max: 60 * DAY_MS }) },
    { weight: 1, arbitrary: fc.integer({ min: -40 * DAY_MS, max: -1 }) },
  ),
  what: fc.oneof(
    { weight: 10, arbitrary: fc.constant('scheduled' as const) },
    { weight: 1, arbitrary: fc.constantFrom('by-hand' as const, 'before-update' as const) },
    { weight: 1, arbitrary: fc.constant('fails' as const) },
  ),
  /** Whether what is not kept can be removed. */
  canRemove: fc.boolean(),
})
const planArbitrary = fc.oneof(
  fc.constant({ keepDaily: 7, keepWeekly: 4, keepMonthly: 6 }),
  fc.record({
    keepDaily: fc.integer({ min: 1, max: 9 }),
    keepWeekly: fc.nat({ max: 5 }),
    keepMonthly: fc.nat({ max: 7 }),
  }),
)

const mondayOf = (day: string) => {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return new Date(ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
}

/**
 * The plan in plain words: it is the last of its day, week or month, and there are not as many
 * younger ones of these as are kept.
 */
function standsFor(
  one: RetainedBackup,
  all: readonly RetainedBackup[],
  plan: RetentionPlan,
  dayOf: (at: string) => string,
): boolean {
  const scheduled = all.filter(({ kind }) => kind === 'scheduled')
  const is = (periodOf: (at: string) => string, count: number) => {
    const own = periodOf(one.madeAt)
    const isLast = !scheduled.some(
      (other) => other !== one && periodOf(other.madeAt) === own && other.madeAt > one.madeAt,
    )
    return (
      isLast &&
      new Set(scheduled.map(({ madeAt }) => periodOf(madeAt)).filter((period) => period > own))
        .size < count
    )
  }
  return (
    is(dayOf, plan.keepDaily) ||
    is((at) => mondayOf(dayOf(at)), plan.keepWeekly) ||
    is((at) => dayOf(at).slice(0, 7), plan.keepMonthly)
  )
}

describe('what is kept of any history', () => {
  it(
    'is what the plan says, never without the newest or what a person made, bounded, and told truly',
    () => {
      fc.assert(
        fc.property(
          fc.array(stepArbitrary, { minLength: 1, maxLength: 70 }),
          planArbitrary,
          fc.constantFrom(...ZONES),
          (steps, plan, zone) => {
            let now = Date.parse('2026-01-15T01:30:00.000Z')
            let there: RetainedBackup[] = []
            const dayOf = (at: string) => formats.get(zone)?.format(new Date(at)) ?? ''
            for (const { after, what, canRemove } of steps) {
              now += after
              const madeAt = new Date(now).toISOString()
              // Two of one moment have one name, and there is one file of it.
              if (what !== 'fails' && !there.some((other) => other.madeAt === madeAt))
                there.push({ name: `${what} ${madeAt}`, madeAt, kind: what })
              const gone = new Set(expiredBackups(there, plan, zone, now))
              const newest = there.toSorted((a, b) => (a.madeAt < b.madeAt ? 1 : -1))[0]
              const until = expiryTimes(there, plan, zone, now)
              expect([...until.keys()]).toEqual(there.map(({ name }) => name))
              for (const one of there) {
                const ageMs = now - Date.parse(one.madeAt)
                const isKept =
                  one === newest ||
                  one.kind === 'by-hand' ||
                  (one.kind === 'before-update' && ageMs < 30 * DAY_MS) ||
                  (one.kind === 'scheduled' &&
                    (ageMs < HOUR_MS || standsFor(one, there, plan, dayOf)))
                expect([one.name, gone.has(one.name)]).toEqual([one.name, !isKept])
                // Who was told "until tomorrow" does not find it gone today.
                const end = until.get(one.name)
                if (gone.has(one.name))
                  expect(end !== null && Date.parse(end ?? '') <= now).toBe(true)
                if (one.kind === 'by-hand') expect(end).toBeNull()
              }
              const left = there.filter(({ name }) => !gone.has(name))
              // To remove what goes makes nothing else go.
              expect(expiredBackups(left, plan, zone, now)).toEqual([])
              const settled = left.filter(
                ({ kind, madeAt }) => kind === 'scheduled' && now - Date.parse(madeAt) >= HOUR_MS,
              )
              expect(settled.length).toBeLessThanOrEqual(
                plan.keepDaily + plan.keepWeekly + plan.keepMonthly + 1,
              )
              if (canRemove) there = left
            }
          },
        ),
        runs(60),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'is one a day for what a clinic may ask for, an hour or a year later',
    () => {
      fc.assert(
        fc.property(planArbitrary, fc.integer({ min: 1, max: 400 }), (plan, days) => {
          const there = Array.from({ length: days }, (_, at): RetainedBackup => {
            const madeAt = new Date(
              Date.parse('2026-01-01T01:30:00.000Z') + at * DAY_MS + (at % 7) * MINUTE_MS,
            ).toISOString()
            return { name: madeAt, madeAt, kind: 'scheduled' }
          })
          const now = Date.parse(there.at(-1)?.madeAt ?? '') + HOUR_MS
          const left = days - expiredBackups(there, plan, 'Europe/Berlin', now).length
          expect(left).toBeGreaterThanOrEqual(Math.min(days, plan.keepDaily))
          expect(left).toBeLessThanOrEqual(plan.keepDaily + plan.keepWeekly + plan.keepMonthly)
        }),
        runs(20),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
