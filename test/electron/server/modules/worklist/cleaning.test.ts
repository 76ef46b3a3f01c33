import { describe, expect, it } from 'vitest'
import {
  cleanIdentifier,
  cleanName,
  cleanText,
  isDamaged,
  normalizeDate,
  normalizeDecimal,
  normalizeTime,
  truncateToLo,
} from '#server/modules/worklist/cleaning.ts'

describe('cleaned text', () => {
  it.each([
    ['  plain ', 'plain'],
    ['two\r\nlines\tand more', 'two lines and more'],
    ['a\\b', 'a/b'],
    ['bell\u0007 and \u001b[31mcolour', 'bell and [31mcolour'],
    ['e\u0301', 'é'],
    ['\ufeffmark', 'mark'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
  ])('%j becomes %j', (given, clean) => expect(cleanText(given)).toBe(clean))
})

it('changes no identifier: it is as given, or there is none', () => {
  expect(cleanIdentifier(' A-1 ')).toBe('A-1')
  expect(cleanIdentifier('Ä1')).toBe('Ä1')
  for (const bad of ['A\\1', 'A\u00001', 'A\t1', 'A\ufffd1', 'A\ud800'])
    expect(cleanIdentifier(bad)).toBeUndefined()
})

it('sees damage', () => {
  expect(['M\ufffdller', '\ud83d', '\ude00', '😀', 'Müller'].map(isDamaged)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

it('puts names in order', () => {
  expect(cleanName('A ^ B^^^^')).toBe('A^B')
  expect(cleanName('A==')).toBe('A')
  expect(cleanName('=山田^太郎')).toBe('=山田^太郎')
  expect(cleanName('A^B^C^D^E^F^G')).toBe('A^B^C^D^E F G')
})

it('cuts LO by characters, never through one', () => {
  expect([...truncateToLo('😀'.repeat(65))]).toHaveLength(64)
  expect(truncateToLo('x'.repeat(64))).toHaveLength(64)
})

it.each([
  ['2026-11-20', '20261120'],
  ['2026.11.20', '20261120'],
  ['20261120', '20261120'],
  ['2026-11.20', '2026-11.20'],
])('reads the date %s as %s', (given, date) => expect(normalizeDate(given)).toBe(date))

it.each([
  ['081530', '081530'],
  ['08:15', '081500'],
  ['08', '080000'],
  ['235960', '235959'],
  ['24', undefined],
  ['8:15', undefined],
])('reads the time %s as %s', (given, time) => expect(normalizeTime(given)).toBe(time))

it.each([
  ['1.75', '1.75'],
  [' 1.75 ', '1.75'],
  ['1,75', '1.75'],
  ['1,234.5', undefined],
  ['-1', undefined],
  ['NaN', undefined],
  ['3.01', undefined],
  ['1.23456789012345678', '1.23456789012'],
])('reads the measure %j as %j', (given, value) =>
  expect(normalizeDecimal(given, 0.2, 3)).toBe(value),
)
