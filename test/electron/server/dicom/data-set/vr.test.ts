import { expect, it } from 'vitest'
import { trimTrailing, withoutPadding } from '#server/dicom/data-set/vr.ts'

it.each([
  ['', ''],
  ['CT1', 'CT1'],
  ['1.2.3\0', '1.2.3'],
  ['A B \0 ', 'A B'],
  [' \0 ', ''],
  [' A', ' A'],
])('takes the padding off %j', (text, plain) => {
  expect(withoutPadding(text)).toBe(plain)
})

it('takes other characters off the end, and only there', () => {
  expect(trimTrailing('^A^^B^^', '^')).toBe('^A^^B')
})

it('takes a megabyte of spaces before a letter as it is', () => {
  const text = `a${' '.repeat(1 << 20)}b`
  expect(withoutPadding(text)).toBe(text)
})
