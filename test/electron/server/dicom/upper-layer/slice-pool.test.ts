import { describe, expect, it } from 'vitest'
import { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'

describe('the slice pool', () => {
  it('uses again what was given back, cut to the length that is wanted', () => {
    const pool = new SlicePool(1024)
    const first = pool.take(10)
    pool.give(first)
    const second = pool.take(1000)
    expect(second.buffer).toBe(first.buffer)
    expect([first.length, second.length]).toEqual([10, 1000])
  })

  it('never hands the same bytes to two', () => {
    const pool = new SlicePool(1024)
    expect(pool.take(10).buffer).not.toBe(pool.take(10).buffer)
  })

  it('extends a slice in its own memory, and where that has no room gives both', () => {
    const pool = new SlicePool(8)
    const slice = pool.take(3)
    slice.write('abc')
    const [extended, ...others] = pool.extend(slice, Buffer.from('defgh'))
    expect([extended?.toString(), extended?.buffer === slice.buffer, others]).toEqual([
      'abcdefgh',
      true,
      [],
    ])
    const more = Buffer.from('defghi')
    expect(pool.extend(slice, more)).toEqual([slice, more])
    const long = pool.take(9)
    expect(pool.extend(long, more)).toEqual([long, more])
  })

  it('makes longer slices for the occasion and keeps no more than it should', () => {
    const pool = new SlicePool(16, 1)
    const long = pool.take(17)
    pool.give(long)
    expect(long.length).toBe(17)
    expect(pool.take(16).buffer).not.toBe(long.buffer)
    const [a, b] = [pool.take(16), pool.take(16)]
    pool.give(a)
    pool.give(b)
    expect(pool.take(16).buffer).toBe(a.buffer)
    expect(pool.take(16).buffer).not.toBe(b.buffer)
  })
})
