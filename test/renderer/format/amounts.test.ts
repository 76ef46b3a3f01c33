import { expect, it } from 'vitest'
import { bytesText, countText, durationText } from '../../../renderer/src/format/amounts.ts'

it('says durations in the unit a person reads', () => {
  expect([0.42, 3.16, 412.4, 1299, 125_000].map(durationText)).toEqual([
    '0.4 ms',
    '3.2 ms',
    '412 ms',
    '1.3 s',
    '2 min 5 s',
  ])
})

it('says sizes in powers of ten', () => {
  expect([0, 812, 12_412, 3_100_000, 18_240_000_000, 4e12].map(bytesText)).toEqual([
    '0 B',
    '812 B',
    '12.4 kB',
    '3.1 MB',
    '18.2 GB',
    '4.0 TB',
  ])
})

it('says counts with their noun', () => {
  expect([
    countText(1, 'exam'),
    countText(0, 'exam'),
    countText(1240, 'exam'),
    countText(2, 'query', 'queries'),
  ]).toEqual(['1 exam', '0 exams', '1,240 exams', '2 queries'])
})
