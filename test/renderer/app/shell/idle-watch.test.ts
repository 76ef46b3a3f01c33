import { describe, expect, it } from 'vitest'
import { openIdleWatch } from '../../../../renderer/src/app/shell/idle-watch.ts'

const MINUTE = 60_000

function opened() {
  let now = 1_000_000
  let locks = 0
  const told: number[] = []
  const watch = openIdleWatch({
    now: () => now,
    limit: 10 * MINUTE,
    tell: (at) => told.push(at),
    onIdle: () => locks++,
  })
  return {
    watch,
    told,
    locks: () => locks,
    now: () => now,
    pass(milliseconds: number) {
      now += milliseconds
    },
  }
}

describe('the watch for use', () => {
  it('locks once, after the time without use', () => {
    const { watch, pass, locks } = opened()
    pass(10 * MINUTE - 1)
    watch.look()
    expect(locks()).toBe(0)
    pass(1)
    watch.look()
    watch.look()
    expect(locks()).toBe(1)
  })

  it('begins anew with every use', () => {
    const { watch, pass, locks } = opened()
    pass(9 * MINUTE)
    watch.used()
    pass(9 * MINUTE)
    watch.look()
    expect(locks()).toBe(0)
  })

  it('counts use in another window of the browser', () => {
    const { watch, pass, locks, now } = opened()
    pass(9 * MINUTE)
    watch.usedElsewhere(now() - MINUTE)
    pass(8 * MINUTE)
    watch.look()
    expect(locks()).toBe(0)
    pass(MINUTE)
    watch.look()
    expect(locks()).toBe(1)
  })

  it('does not trust use that is still to come', () => {
    const { watch, pass, locks, now } = opened()
    watch.usedElsewhere(now() + 100 * MINUTE)
    pass(10 * MINUTE)
    watch.look()
    expect(locks()).toBe(1)
  })

  it('takes the first movement after the PC slept for no use', () => {
    const { watch, pass, locks, told } = opened()
    pass(60 * MINUTE)
    watch.used()
    expect(locks()).toBe(1)
    expect(told).toEqual([])
  })

  it('tells other windows, but not each movement', () => {
    const { watch, pass, told } = opened()
    for (let at = 0; at < 100; at++) {
      pass(100)
      watch.used()
    }
    expect(told.length).toBe(3)
  })
})
