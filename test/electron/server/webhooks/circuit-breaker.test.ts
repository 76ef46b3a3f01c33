import { describe, expect, it } from 'vitest'
import { openCircuitBreakers } from '#server/webhooks/circuit-breaker.ts'
import { verbatim } from '#shared/messages/message.ts'

function fixture() {
  let now = 0
  const circuits = openCircuitBreakers(() => now)
  return {
    circuits,
    pass: (ms: number) => {
      now += ms
    },
    fail: (times: number, key = 'a') => {
      for (let time = 0; time < times; time++)
        circuits.enter(key).failed(verbatim('the connection was refused'))
    },
  }
}
const OPEN = expect.objectContaining({ fault: 'circuit-open' })

describe('a circuit', () => {
  it('stays closed through four failures and opens at the fifth, with the reason in words', () => {
    const { circuits, fail } = fixture()
    fail(4)
    expect(() => circuits.enter('a').failed(verbatim('timeout'))).not.toThrow()
    expect(() => circuits.enter('a')).toThrow(
      expect.objectContaining({
        fault: 'circuit-open',
        detail:
          'not queried, because the last 5 requests failed (timeout); the next attempt is in 15 s',
      }),
    )
  })

  it('counts failures in a row only', () => {
    const { circuits, fail } = fixture()
    fail(4)
    circuits.enter('a').succeeded()
    fail(4)
    expect(() => circuits.enter('a')).not.toThrow()
  })

  it('is of one key', () => {
    const { circuits, fail } = fixture()
    fail(5, 'a')
    expect(() => circuits.enter('b')).not.toThrow()
    expect(() => circuits.enter('a')).toThrow(OPEN)
  })

  it('lets one call through after 15 s, and no second beside it', () => {
    const { circuits, fail, pass } = fixture()
    fail(5)
    pass(14_999)
    expect(() => circuits.enter('a')).toThrow(OPEN)
    pass(1)
    const probe = circuits.enter('a')
    expect(() => circuits.enter('a')).toThrow(
      expect.objectContaining({
        detail: expect.stringContaining('another attempt is in progress'),
      }),
    )
    probe.succeeded()
    expect(() => circuits.enter('a')).not.toThrow()
  })

  it('opens for another 15 s when that call fails', () => {
    const { circuits, fail, pass } = fixture()
    fail(5)
    pass(15_000)
    circuits.enter('a').failed(verbatim('timeout'))
    pass(14_999)
    expect(() => circuits.enter('a')).toThrow(OPEN)
    pass(1)
    expect(() => circuits.enter('a')).not.toThrow()
  })

  it('lets the next call through when that one was given up by its caller', () => {
    const { circuits, fail, pass } = fixture()
    fail(5)
    pass(15_000)
    circuits.enter('a').abandoned()
    expect(() => circuits.enter('a')).not.toThrow()
  })

  it('stays with its one call of every 15 s while a person asks beside it', () => {
    const { circuits, fail, pass } = fixture()
    fail(5)
    pass(15_000)
    const probe = circuits.enter('a')
    circuits.enter('a', true).abandoned()
    expect(() => circuits.enter('a')).toThrow(OPEN)
    probe.abandoned()
    expect(() => circuits.enter('a')).not.toThrow()
  })

  it('says how many calls failed, why the last one did, and when the next goes out, in seconds rounded up', () => {
    const { circuits, fail, pass } = fixture()
    fail(5)
    pass(1000)
    circuits.enter('a', true).failed(verbatim('timeout'))
    pass(1500)
    expect(() => circuits.enter('a')).toThrow(
      expect.objectContaining({
        detail:
          'not queried, because the last 6 requests failed (timeout); the next attempt is in 14 s',
      }),
    )
    pass(13_500)
    circuits.enter('a')
    expect(() => circuits.enter('a')).toThrow(
      expect.objectContaining({
        detail:
          'not queried, because the last 6 requests failed (timeout); another attempt is in progress',
      }),
    )
  })

  it('is as patient as it is told to be', () => {
    let now = 0
    const circuits = openCircuitBreakers(() => now, 1, 10)
    circuits.enter('a').failed(verbatim('timeout'))
    expect(() => circuits.enter('a')).toThrow(OPEN)
    now = 10
    expect(() => circuits.enter('a')).not.toThrow()
  })

  it('lets a person ask while it is open, and closes when that works', () => {
    const { circuits, fail } = fixture()
    fail(5)
    circuits.enter('a', true).failed(verbatim('timeout'))
    expect(() => circuits.enter('a')).toThrow(OPEN)
    circuits.enter('a', true).succeeded()
    expect(() => circuits.enter('a')).not.toThrow()
  })
})
