import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import {
  clockText,
  dayAfter,
  dayText,
  fullClockText,
  timeText,
  todayIn,
} from '../../../renderer/src/format/dates.ts'
import { nameText, shownName } from '../../../renderer/src/format/patient-name.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../support/property-runs.ts'

// What screens show of days, times and names, in every zone of the clinic and of the PC.

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
const ownZone = process.env.TZ
afterEach(() => {
  if (ownZone === undefined) delete process.env.TZ
  else process.env.TZ = ownZone
})
const two = (value: number) => String(value).padStart(2, '0')
const days = fc
  .integer({ min: 0, max: 73_000 })
  .map((count) => new Date(Date.UTC(1900, 0, 1) + count * 86_400_000).toISOString().slice(0, 10))
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
/** `20 Nov 2026` read back. */
function readDay(text: string): string {
  const [date = '', month = '', year = ''] = text.split(' ')
  return `${year}-${two(MONTHS.indexOf(month) + 1)}-${two(Number(date))}`
}

describe('what a screen shows', () => {
  it(
    'of a day is that day, and the day after it is the next',
    () => {
      fc.assert(
        fc.property(zones, days, (pc, day) => {
          process.env.TZ = pc
          expect([readDay(dayText(day)), readDay(dayText(day.replaceAll('-', '')))]).toEqual([
            day,
            day,
          ])
          const next = dayAfter(day)
          expect(Date.parse(next) - Date.parse(day)).toBe(86_400_000)
        }),
        runs(200),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'of an instant is the clock of the clinic, not that of the PC',
    () => {
      fc.assert(
        fc.property(
          zones,
          zones,
          fc.integer({ min: 0, max: 86_400_000 * 7300 }),
          fc.integer({ min: 0, max: 86_400_000 * 400 }),
          (pc, zone, ms, later) => {
            process.env.TZ = pc
            const at = new Date(Date.UTC(2026, 0, 1) + ms)
            const wall = new Intl.DateTimeFormat('sv-SE', {
              timeZone: zone,
              dateStyle: 'short',
              timeStyle: 'medium',
            }).format(at)
            const [day = '', clock = ''] = wall.split(' ')
            expect(todayIn(zone, at)).toBe(day)
            expect(fullClockText(at.toISOString(), zone)).toBe(
              `${dayText(day)}, ${clock} (${zone})`,
            )
            expect(clockText(at.toISOString(), zone, at)).toBe(clock)
            expect(
              clockText(at.toISOString(), zone, new Date(at.getTime() + later)).endsWith(clock),
            ).toBe(true)
          },
        ),
        runs(100),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'of a time has its hour and minute',
    () => {
      fc.assert(
        fc.property(
          fc.nat({ max: 86_399 }),
          fc.constantFrom('', '.5', '.000000'),
          (seconds, fraction) => {
            const [hour, minute, second] = [
              two(Math.floor(seconds / 3600)),
              two(Math.floor(seconds / 60) % 60),
              two(seconds % 60),
            ]
            expect(timeText(`${hour}${minute}${second}${fraction}`)).toBe(
              `${hour}:${minute}${second === '00' ? '' : `:${second}`}`,
            )
            expect(timeText(`${hour}${minute}`)).toBe(`${hour}:${minute}`)
          },
        ),
        runs(100),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'of a name has every letter of the group that it shows, unchanged',
    () => {
      const part = fc
        .string({ unit: 'grapheme', maxLength: 8 })
        .map((text) => text.replace(/[\^=]/g, '').trim())
      const group = fc.array(part, { maxLength: 5 })
      fc.assert(
        fc.property(fc.array(group, { minLength: 1, maxLength: 3 }), (groups) => {
          const name = groups.map((parts) => parts.join('^')).join('=')
          const first = groups.find((parts) => parts.some((one) => one !== '')) ?? []
          const { family, rest } = shownName(name)
          for (const one of first.slice(0, 5)) expect(`${family}\n${rest}`).toContain(one)
          expect(nameText(name)).not.toBe('')
        }),
        runs(300),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
