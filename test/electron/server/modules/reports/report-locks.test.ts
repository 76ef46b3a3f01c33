import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openReportLocks } from '#server/modules/reports/report-locks.ts'
import { idFromUuid } from '#shared/ids.ts'
import { standingClock } from '../../../../support/temp-store.ts'

const holder = (name: string) => ({
  userId: idFromUuid('usr', randomUUID()),
  name,
  windowId: randomUUID(),
})
const [una, ben] = [holder('Una'), holder('Ben')]

function locksOn() {
  const clock = standingClock('2026-03-10T09:00:00.000Z')
  return { clock, locks: openReportLocks({ clock, seconds: () => 60 }) }
}

it('is had until some time after the last sign of life', () => {
  const { clock, locks } = locksOn()
  expect(locks.hold('rep_1', una)).toEqual({ ...una, until: '2026-03-10T09:01:00.000Z' })
  clock.pass(59_000)
  expect(locks.hold('rep_1', ben)).toBeUndefined()
  expect(locks.hold('rep_1', una)?.until).toBe('2026-03-10T09:01:59.000Z')
  clock.pass(60_000)
  expect(locks.of('rep_1')).toBeUndefined()
  expect(locks.hold('rep_1', ben)?.name).toBe('Ben')
})

it('is another window’s too where the person is the same', () => {
  const { locks } = locksOn()
  locks.hold('rep_1', una)
  expect(locks.hold('rep_1', { ...una, windowId: ben.windowId })).toBeUndefined()
  expect(locks.hold('rep_1', { ...ben, windowId: una.windowId })).toBeUndefined()
})

it('is taken from whoever has it, and given up only by who has it', () => {
  const { locks } = locksOn()
  locks.hold('rep_1', una)
  expect(locks.take('rep_1', ben).name).toBe('Ben')
  locks.release('rep_1', una.windowId)
  expect(locks.of('rep_1')?.name).toBe('Ben')
  locks.release('rep_1', ben.windowId)
  expect(locks.of('rep_1')).toBeUndefined()
})

it('is of one draft', () => {
  const { locks } = locksOn()
  locks.hold('rep_1', una)
  expect(locks.hold('rep_2', ben)?.name).toBe('Ben')
  locks.clear('rep_1')
  expect([locks.of('rep_1'), locks.of('rep_2')?.name]).toEqual([undefined, 'Ben'])
})
