import { describe, expect, it } from 'vitest'
import { dateSpan, SpanFault, timeSpan } from '#server/modules/worklist/span.ts'

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
  ])('%s is refused: %s', (text, why) => expect(() => dateSpan(text)).toThrow(new SpanFault(why)))
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
  ])('%s is refused: %s', (text, why) => expect(() => timeSpan(text)).toThrow(new SpanFault(why)))
})
