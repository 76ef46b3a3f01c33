import { describe, expect, it } from 'vitest'
import { limitedBy } from './http-fixture.ts'

function limited(perSecond: number, burst: number) {
  const time = { now: 1_000_000, perSecond, burst }
  return { time, limit: limitedBy(time) }
}

describe('the rate of a key', () => {
  it('allows a burst, then what the rate refills', () => {
    const { time, limit } = limited(2, 3)
    const taken = () => limit.take('a').isAllowed
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, true, false])
    time.now += 500
    expect([taken(), taken()]).toEqual([true, false])
    time.now += 60_000
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, true, false])
  })

  it('is said on every answer, with the time to wait on a refusal', () => {
    const { time, limit } = limited(1, 2)
    expect(limit.take('a').headers).toEqual({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': '1',
    })
    limit.take('a')
    expect(limit.take('a').headers).toEqual({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '2',
      'retry-after': '1',
    })
    time.perSecond = 0.001
    expect(limit.take('a').headers['retry-after']).toBe('60')
  })

  it('is each key’s own, follows the settings and a clock that is set back', () => {
    const { time, limit } = limited(1, 1)
    expect([
      limit.take('a').isAllowed,
      limit.take('b').isAllowed,
      limit.take('a').isAllowed,
    ]).toEqual([true, true, false])
    time.now -= 3_600_000
    expect(limit.take('a').isAllowed).toBe(false)
    time.now += 1000
    expect(limit.take('a').isAllowed).toBe(true)
    time.burst = 10
    time.now += 60_000
    expect(limit.take('a').headers['ratelimit-remaining']).toBe('9')
  })

  it('is remembered of 10,000 callers, those of longest ago forgotten first', () => {
    const { limit } = limited(1, 1)
    for (let n = 0; n < 10_000; n++) limit.take(`caller ${n}`)
    expect(limit.take('caller 0').isAllowed).toBe(false)
    limit.take('one more')
    expect([limit.take('caller 0').isAllowed, limit.take('caller 1').isAllowed]).toEqual([
      false,
      true,
    ])
  })
})
