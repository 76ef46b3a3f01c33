import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openAlarm } from '#server/jobs/due-job-scheduler.ts'

describe('an alarm', () => {
  it('works at one round at a time, and once more for what came meanwhile', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let rounds = 0
    let running = 0
    await using alarm = openAlarm({
      clock: () => 0,
      next: () => undefined,
      async work() {
        expect(++running).toBe(1)
        await gates[rounds++]?.promise
        running--
      },
      onError: () => expect.unreachable(),
    })
    alarm.wake()
    await new Promise((resolve) => setImmediate(resolve))
    alarm.wake()
    alarm.wake()
    gates[0]?.resolve()
    gates[1]?.resolve()
    await alarm.settled()
    expect(rounds).toBe(2)
  })

  it('rings by itself when something is due', async () => {
    const done = Promise.withResolvers<void>()
    let rounds = 0
    await using alarm = openAlarm({
      clock: () => Date.parse('2026-03-10T09:00:00.000Z'),
      next: () => (rounds < 2 ? '2026-03-10T09:00:00.001Z' : undefined),
      async work() {
        if (++rounds === 2) done.resolve()
      },
      onError: () => expect.unreachable(),
    })
    alarm.wake()
    await done.promise
    expect(rounds).toBe(2)
  })

  it('goes on after a fault, in a minute: on a full disk nothing that was done can be written, and it is not to be done four times a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const errors: unknown[] = []
    let rounds = 0
    await using alarm = openAlarm({
      clock: () => Date.parse('2026-03-10T09:00:00.000Z'),
      next: () => '2026-03-10T08:00:00.000Z',
      async work() {
        rounds++
        throw new Error('broken')
      },
      onError: (error) => errors.push(error),
    })
    alarm.wake()
    await alarm.settled()
    vi.advanceTimersByTime(59_000)
    await alarm.settled()
    expect(rounds).toBe(1)
    vi.advanceTimersByTime(1_000)
    await alarm.settled()
    expect(rounds).toBe(2)
    alarm.wake()
    await alarm.settled()
    expect(rounds).toBe(3)
    expect(errors).toHaveLength(3)
  })

  it('is silent once it is disposed of', async () => {
    let rounds = 0
    const alarm = openAlarm({
      clock: () => 0,
      next: () => undefined,
      async work() {
        rounds++
      },
      onError: () => undefined,
    })
    await alarm[Symbol.asyncDispose]()
    alarm.wake()
    await alarm.settled()
    expect(rounds).toBe(0)
  })
})
