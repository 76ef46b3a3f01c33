import { expect, it } from 'vitest'
import { SHARE, shareAfter, shareAt } from '../../../../renderer/src/ui/image-panel/split.ts'

it('splits the width where the pointer is, and leaves room for both sides', () => {
  expect(shareAt(700, 100, 1000)).toBe(60)
  expect(shareAt(-50, 100, 1000)).toBe(SHARE.least)
  expect(shareAt(5000, 100, 1000)).toBe(SHARE.most)
  expect(shareAt(10, 0, 0)).toBe(SHARE.initial)
})

it('moves by arrow keys, further with Shift, to the ends with Home and End', () => {
  expect(shareAfter(60, 'ArrowLeft', false)).toBe(58)
  expect(shareAfter(60, 'ArrowRight', true)).toBe(70)
  expect(shareAfter(SHARE.most, 'ArrowRight', false)).toBe(SHARE.most)
  expect([shareAfter(60, 'Home', false), shareAfter(60, 'End', false)]).toEqual([
    SHARE.least,
    SHARE.most,
  ])
})

it('leaves other keys to the page', () => {
  for (const key of ['Tab', 'Enter', 'ArrowUp', 'a', 'toString'])
    expect(shareAfter(60, key, false)).toBeUndefined()
})
