import { describe, expect, it } from 'vitest'
import { dateSpan, timeSpan } from '#server/dicom/matching/range.ts'
import { ageAt, daOf, dayOf, requestWindowOf, secondsAt } from '#server/modules/worklist/dates.ts'

describe('a date key', () => {
  it.each(['', '*', '**', '-', ' - ', '   '])('is universal as %j', (text) =>
    expect(dateSpan(text)).toBeUndefined(),
  )
  it.each([
    ['20261120', '20261120', '20261120', false],
    ['2026.11.20', '20261120', '20261120', false],
    ['20261120-20261122', '20261120', '20261122', true],
    ['20261120 - 20261122', '20261120', '20261122', true],
    ['2026.11.20-', '20261120', '', true],
    ['-20261122', '', '20261122', true],
    ['20261120-20261120', '20261120', '20261120', true],
  ] as const)('%s is read', (text, from, to, isRange) =>
    expect(dateSpan(text)).toEqual({ from, to, isRange }),
  )
  it.each([
    ['notadate', 'not a date'],
    ['20261131', 'not a date'],
    ['2026112', 'not a date'],
    ['x2026.11.20', 'not a date'],
    ['2026.11.201', 'not a date'],
    ['20261122-20261120', 'the range ends before it begins'],
    ['20261120-20261121-', 'more than one hyphen'],
    ['20261120\\20261121', 'not a date'],
    ['2026-11-20', 'more than one hyphen'],
  ])('%s is refused: %s', (text, why) =>
    expect(() => dateSpan(text)).toThrow(
      expect.objectContaining({ name: 'SpanFault', message: why }),
    ),
  )
})

describe('a time key', () => {
  it.each([
    ['101500', '101500.000000', '101500.999999', false],
    ['1015', '101500.000000', '101559.999999', false],
    ['10:15', '101500.000000', '101559.999999', false],
    ['10', '100000.000000', '105959.999999', false],
    ['101500.5', '101500.500000', '101500.599999', false],
    ['101500.123456', '101500.123456', '101500.123456', false],
    ['0800-12', '080000.000000', '125959.999999', true],
    ['120000-', '120000.000000', '', true],
    ['-1300', '', '130059.999999', true],
    // Of two days it is a night, which the date alone can say.
    ['2200-0700', '220000.000000', '070059.999999', true],
  ] as const)('%s is read, with what it leaves out', (text, from, to, isRange) =>
    expect(timeSpan(text)).toEqual({ from, to, isRange }),
  )
  it.each([
    ['2400', 'not a time'],
    ['1060', 'not a time'],
    ['101561', 'not a time'],
    ['101500.1234567', 'not a time'],
    ['noon', 'not a time'],
  ])('%s is refused: %s', (text, why) =>
    expect(() => timeSpan(text)).toThrow(
      expect.objectContaining({ name: 'SpanFault', message: why }),
    ),
  )
})

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
  expect(requestWindowOf(dateSpan(dates), namesOrder, context)).toEqual({
    dateStart,
    dateEnd,
    isClamped,
  })
})
