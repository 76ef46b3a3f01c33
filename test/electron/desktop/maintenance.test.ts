import { expect, it } from 'vitest'
import { isMaintenance } from '../../../electron/desktop/maintenance.ts'

const at = (instant: string) => Date.parse(instant)

it.each([
  ['a minute before', '2026-03-02T02:29:59Z', false],
  ['at the minute', '2026-03-02T02:30:00Z', true],
  ['in its last minute', '2026-03-02T03:29:59Z', true],
  ['an hour later', '2026-03-02T03:30:00Z', false],
  ['at noon', '2026-03-02T12:00:00Z', false],
])('lasts one hour of the clinic’s day: %s', (_, instant, expected) => {
  expect(isMaintenance({ at: '03:30', timeZone: 'Europe/Madrid' }, at(instant))).toBe(expected)
})

it('goes on over midnight', () => {
  const update = { at: '23:40', timeZone: 'UTC' }
  expect(
    ['2026-03-02T23:40:00Z', '2026-03-03T00:39:00Z', '2026-03-03T00:40:00Z'].map((one) =>
      isMaintenance(update, at(one)),
    ),
  ).toEqual([true, true, false])
})

it('comes at the clinic’s clock on both sides of a change of clocks', () => {
  const update = { at: '03:30', timeZone: 'Europe/Madrid' }
  expect(isMaintenance(update, at('2026-03-28T02:30:00Z'))).toBe(true)
  expect(isMaintenance(update, at('2026-03-29T01:30:00Z'))).toBe(true)
  expect(isMaintenance(update, at('2026-03-29T02:30:00Z'))).toBe(false)
})
