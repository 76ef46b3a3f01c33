import { expect, it } from 'vitest'
import { windowOf } from '#server/modules/worklist/query-window.ts'
import { dateSpan } from '#server/modules/worklist/span.ts'

const context = { today: '2026-11-20', daysBack: 1, daysForward: 2 }

it.each([
  ['no date: the days around today', '', false, '2026-11-19', '2026-11-22', false],
  ['no date but an order: a month before and after', '', true, '2026-10-21', '2026-12-20', false],
  ['one day', '20261124', false, '2026-11-24', '2026-11-24', false],
  ['one day and an order: that day', '20261124', true, '2026-11-24', '2026-11-24', false],
  [
    'a range over the end of the year',
    '20261230-20270102',
    false,
    '2026-12-30',
    '2027-01-02',
    false,
  ],
  ['a range of 31 days as it is', '20261101-20261201', false, '2026-11-01', '2026-12-01', false],
  [
    'a range of a year around today: 31 days with today in their middle',
    '20260601-20270601',
    false,
    '2026-11-05',
    '2026-12-05',
    true,
  ],
  [
    'a range of the past: its last 31 days',
    '19950101-19960101',
    false,
    '1995-12-02',
    '1996-01-01',
    true,
  ],
  [
    'a range of the future: its first 31 days',
    '20270101-20280101',
    false,
    '2027-01-01',
    '2027-01-31',
    true,
  ],
  ['open end from today', '20261120-', false, '2026-11-20', '2026-12-20', true],
  ['open end from long ago', '20200101-', false, '2026-11-05', '2026-12-05', true],
  ['open beginning until today', '-20261120', false, '2026-10-21', '2026-11-20', true],
  ['open beginning until soon', '-20261125', false, '2026-10-26', '2026-11-25', true],
] as const)('asks the partner for %s', (_, dates, namesOrder, dateStart, dateEnd, isClamped) => {
  expect(windowOf(dateSpan(dates), namesOrder, context)).toEqual({ dateStart, dateEnd, isClamped })
})
