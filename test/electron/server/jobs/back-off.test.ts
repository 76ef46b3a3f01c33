import { describe, expect, it } from 'vitest'
import { backOffMs, isGivenUp } from '#server/jobs/back-off.ts'

const minutes = (attempts: number) => backOffMs(attempts) / 60_000

describe('the back-off', () => {
  it('grows from a minute to an hour and stays there', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 1000].map(minutes)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  })

  it('gives an instance up when its pauses come to more than the hours that are set', () => {
    // 1 + 2 + 4 + 8 + 16 = 31 minutes, and 32 more.
    expect(isGivenUp(5, 1)).toBe(false)
    expect(isGivenUp(6, 1)).toBe(true)
    // 63 minutes, then one an hour.
    expect(isGivenUp(76, 72)).toBe(false)
    expect(isGivenUp(77, 72)).toBe(true)
  })
})
