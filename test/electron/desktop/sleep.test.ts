import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stayAwake, watchSleep } from '../../../electron/desktop/sleep.ts'
import * as fake from '../../support/electron.ts'

beforeEach(() => {
  fake.forgetAll()
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

it('hears that nobody sits there, that the PC is back, and that it ends', () => {
  const heard: string[] = []
  const [away, back, shutDown] = ['away', 'back', 'shutdown'].map((one) => () => heard.push(one))
  watchSleep(away as () => void, back as () => void, shutDown as () => void)
  fake.powerMonitor.fire('lock-screen')
  fake.powerMonitor.fire('suspend')
  fake.powerMonitor.fire('resume')
  expect(heard).toEqual(['away', 'away'])
  vi.advanceTimersByTime(10_000)
  expect(heard).toEqual(['away', 'away', 'back'])
  fake.powerMonitor.fire('resume')
  fake.powerMonitor.fire('suspend')
  vi.advanceTimersByTime(60_000)
  expect(heard).toEqual(['away', 'away', 'back', 'away'])
  const ending = fake.event()
  fake.powerMonitor.fire('shutdown', ending)
  expect([heard.at(-1), ending.defaultPrevented]).toEqual(['shutdown', true])
})

it('keeps the PC awake once, however often it is told to', () => {
  const awake = stayAwake()
  awake.release()
  awake.hold()
  awake.hold()
  expect([...fake.blockers.values()]).toEqual(['prevent-app-suspension'])
  awake.release()
  awake.release()
  expect(fake.blockers.size).toBe(0)
})
