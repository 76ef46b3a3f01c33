import { expect, it } from 'vitest'
import { ageAt, daOf, dayOf, secondsAt } from '#server/modules/worklist/calendar.ts'

it('turns days from one form into the other', () => {
  expect([daOf('2026-11-20'), dayOf('20261120')]).toEqual(['20261120', '2026-11-20'])
})

it('measures distances over midnight and the leap day', () => {
  expect(secondsAt('20240301', '000010') - secondsAt('20240228', '235950')).toBe(86_420)
})

it.each([
  ['19700102', '20261120', '056Y'],
  ['19701121', '20261120', '055Y'],
  ['20241120', '20261120', '002Y'],
  ['20241121', '20261120', '023M'],
  ['20261020', '20261120', '001M'],
  ['20261021', '20261120', '030D'],
  ['20261120', '20261120', '000D'],
  ['20261121', '20261120', ''],
  ['', '20261120', ''],
])('tells the age of someone born %s at %s as %j', (birth, day, age) =>
  expect(ageAt(birth, day)).toBe(age),
)
