import { describe, expect, it } from 'vitest'
import { dateSpan, SpanFault, timeSpan } from '#gateway/worklist/span.ts'

describe('a date key', () => {
  it.each(['', '*', '**', '-', ' - ', '   '])('is universal as %j', (text) => expect(dateSpan(text)).toBeUndefined())
  it.each([
    ['20261120', '20261120', '20261120', false],
    ['2026.11.20', '20261120', '20261120', false],
    ['20261120-20261122', '20261120', '20261122', true],
    ['20261120 - 20261122', '20261120', '20261122', true],
    ['2026.11.20-', '20261120', '', true],
    ['-20261122', '', '20261122', true],
    ['20261120-20261120', '20261120', '20261120', true],
  ] as const)('%s is read', (text, from, to, isRange) => expect(dateSpan(text)).toEqual({ from, to, isRange }))
  it.each(['notadate', '20261131', '2026112', '20261122-20261120', '20261120-20261121-', '20261120\\20261121', '2026-11-20'])(
    '%s is refused',
    (text) => expect(() => dateSpan(text)).toThrow(SpanFault),
  )
})

describe('a time key', () => {
  it.each([
    ['101500', '101500.000000', '101500.999999', false],
    ['1015', '101500.000000', '101559.999999', false],
    ['10:15', '101500.000000', '101559.999999', false],
    ['10', '100000.000000', '105959.999999', false],
    ['101500.5', '101500.500000', '101500.599999', false],
    ['0800-12', '080000.000000', '125959.999999', true],
    ['120000-', '120000.000000', '', true],
    ['-1300', '', '130059.999999', true],
  ] as const)('%s is read, with what it leaves out', (text, from, to, isRange) => expect(timeSpan(text)).toEqual({ from, to, isRange }))
  it.each(['2400', '1060', 'noon', '1200-1100'])('%s is refused', (text) => expect(() => timeSpan(text)).toThrow(SpanFault))
})
