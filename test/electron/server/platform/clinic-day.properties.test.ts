import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { mergedValues } from '#server/modules/images/study-values.ts'
import { ageAt, daOf, dayOf, secondsAt } from '#server/modules/worklist/dates.ts'
import {
  addDays,
  clinicDay,
  daysBetween,
  dicomTime,
  nextMidnight,
  startOfDay,
  wallClock,
} from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { isDa } from '#shared/dicom-values.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../support/property-runs.ts'
import { HEADER } from '../modules/images/intake-fixture.ts'

// Days, ages and times in every zone of the clinic and of the PC: never off by one.

const ZONES = Intl.supportedValuesOf('timeZone')
const zones = fc.constantFrom(...ZONES)
const ownZone = process.env.TZ
afterEach(() => {
  if (ownZone === undefined) delete process.env.TZ
  else process.env.TZ = ownZone
})

const FIRST = Date.UTC(1900, 0, 1)
const DAY_MS = 86_400_000
/** Days from 1900 to 2100, as text. */
const days = fc
  .integer({ min: 0, max: 73_000 })
  .map((count) => new Date(FIRST + count * DAY_MS).toISOString().slice(0, 10))
/** Of the zones as they are now: the past has days that begin twice. */
const instants = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2040, 0, 1) })
const usual = { zone: zones, pc: zones }

describe('the clinic’s days', () => {
  it('are looked at on a PC whose zone these tests can set', () => {
    process.env.TZ = 'Asia/Tokyo'
    expect(new Date(0).getHours()).toBe(9)
    process.env.TZ = 'America/New_York'
    expect(new Date(0).getHours()).toBe(19)
  })

  it(
    'begin and end where its wall clock says, whatever the zone of the PC',
    () => {
      fc.assert(
        fc.property(fc.record({ ...usual, at: instants }), ({ zone, pc, at }) => {
          process.env.TZ = pc
          const day = clinicDay(at, zone)
          const [start, end] = [startOfDay(day, zone), nextMidnight(at, zone)]
          expect(start).toBeLessThanOrEqual(at)
          expect(end).toBeGreaterThan(at)
          expect([clinicDay(start, zone), clinicDay(end - 1, zone), clinicDay(end, zone)]).toEqual([
            day,
            day,
            addDays(day, 1),
          ])
          expect(clinicDay(start - 1, zone)).toBe(addDays(day, -1))
          // Days last from 23 to 25 hours, nowhere more or less.
          expect(Math.abs((end - start) / 3_600_000 - 24)).toBeLessThanOrEqual(1)
        }),
        runs(150),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'come back as the same instant from DICOM’s date, time and offset',
    () => {
      fc.assert(
        fc.property(fc.record({ ...usual, at: instants }), ({ zone, pc, at }) => {
          process.env.TZ = pc
          const { date, time, offset } = dicomTime(instantOf(at), zone)
          expect([isDa(date), /^\d{6}$/.test(time), /^[+-]\d{4}$/.test(offset)]).toEqual([
            true,
            true,
            true,
          ])
          const { day, time: clock } = wallClock(at, zone)
          expect([dayOf(date), `${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`]).toEqual(
            [day, clock],
          )
          const ahead =
            (offset[0] === '-' ? -1 : 1) *
            (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3))) *
            60_000
          expect(Date.parse(`${dayOf(date)}T${clock}Z`) - ahead).toBe(Math.floor(at / 1000) * 1000)
        }),
        runs(150),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'are counted, written and read without a zone',
    () => {
      fc.assert(
        fc.property(
          zones,
          days,
          days,
          fc.integer({ min: -5000, max: 5000 }),
          (pc, one, other, count) => {
            process.env.TZ = pc
            expect([dayOf(daOf(one)), isDa(daOf(one))]).toEqual([one, true])
            expect(daysBetween(one, addDays(one, count))).toBe(count)
            expect(addDays(one, daysBetween(one, other))).toBe(other)
            expect(Math.sign(daysBetween(one, other))).toBe(one < other ? 1 : one > other ? -1 : 0)
            expect(secondsAt(daOf(other), '000001') - secondsAt(daOf(one), '000000')).toBe(
              daysBetween(one, other) * 86_400 + 1,
            )
          },
        ),
        runs(200),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})

/** A birthday has come: by month and day alone. */
const yearsOf = (birth: string, at: string) =>
  Number(at.slice(0, 4)) - Number(birth.slice(0, 4)) - (at.slice(5) < birth.slice(5) ? 1 : 0)

describe('ages', () => {
  it(
    'change on the birthday and on no other day, on the worklist and in the study, in any zone',
    () => {
      fc.assert(
        fc.property(zones, days, fc.integer({ min: 0, max: 40_000 }), (pc, birth, lived) => {
          process.env.TZ = pc
          const at = addDays(birth, lived)
          const age = ageAt(daOf(birth), daOf(at))
          expect(age).toMatch(/^\d{3}[YMD]$/)
          const count = Number(age.slice(0, 3))
          const years = yearsOf(birth, at)
          if (years >= 2) expect(age).toBe(`${String(years).padStart(3, '0')}Y`)
          else expect(age.at(3)).not.toBe('Y')
          if (age.endsWith('D')) expect(count).toBe(lived)
          if (age.endsWith('M'))
            expect([lived >= count * 28, lived <= (count + 1) * 31]).toEqual([true, true])
          // Never younger than yesterday.
          const order = (text: string) =>
            ['D', 'M', 'Y'].indexOf(text[3] ?? '') * 1000 + Number(text.slice(0, 3))
          const yesterday = lived > 0 ? ageAt(daOf(birth), daOf(addDays(at, -1))) : age
          expect(order(yesterday)).toBeLessThanOrEqual(order(age))
          expect(ageAt(daOf(at), daOf(birth))).toBe(lived === 0 ? '000D' : '')

          const { values } = mergedValues(
            { ...HEADER, patientBirthDate: daOf(birth), studyDate: daOf(at) },
            'CT',
            {},
          )
          const { age: inWords, dateOfBirth, scanDate } = values.reportMetadata
          expect([dateOfBirth, scanDate]).toEqual([birth, at])
          if (years >= 2) expect(inWords).toBe(`${years} years`)
          else expect(inWords).toMatch(/^\d+ (days?|months)$/)
        }),
        runs(200),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
