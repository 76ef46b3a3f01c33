import { expect, it } from 'vitest'
import {
  IMAGE_WIDTH_PERCENT,
  shareAfter,
  shareAt,
} from '../../../../renderer/src/ui/image-panel/split.ts'

it('splits the width where the pointer is, and leaves room for both sides', () => {
  expect(shareAt(700, 100, 1000)).toBe(60)
  expect(shareAt(-50, 100, 1000)).toBe(IMAGE_WIDTH_PERCENT.least)
  expect(shareAt(5000, 100, 1000)).toBe(IMAGE_WIDTH_PERCENT.most)
  expect(shareAt(10, 0, 0)).toBe(IMAGE_WIDTH_PERCENT.initial)
})

it('moves by arrow keys, further with Shift, to the ends with Home and End', () => {
  expect(shareAfter(60, 'ArrowLeft', false)).toBe(58)
  expect(shareAfter(60, 'ArrowRight', true)).toBe(70)
  expect(shareAfter(IMAGE_WIDTH_PERCENT.most, 'ArrowRight', false)).toBe(IMAGE_WIDTH_PERCENT.most)
  expect([shareAfter(60, 'Home', false), shareAfter(60, 'End', false)]).toEqual([
    IMAGE_WIDTH_PERCENT.least,
    IMAGE_WIDTH_PERCENT.most,
  ])
})

it('leaves other keys to the page', () => {
  for (const key of ['Tab', 'Enter', 'ArrowUp', 'a', 'toString'])
    expect(shareAfter(60, key, false)).toBeUndefined()
})
