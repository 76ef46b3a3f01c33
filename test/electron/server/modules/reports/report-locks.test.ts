import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import * as reportLocks from '#server/modules/reports/report-locks.ts'
import { idFromUuid } from '#shared/ids.ts'
import { bound } from '../../../../support/bound.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const holder = (name: string) => ({
  userId: idFromUuid('usr', randomUUID()),
  name,
  windowId: randomUUID(),
})
const [una, ben] = [holder('Una'), holder('Ben')]

function locksOn() {
  const temp = tempStore()
  return { ...temp, locks: bound(reportLocks, temp.store) }
}

it('is had until some time after the last sign of life', () => {
  using on = locksOn()
  const { clock, locks } = on
  expect(locks.holdReportLock('rep_1', una)).toEqual({ ...una, until: '2026-03-10T09:01:00.000Z' })
  clock.pass(59_000)
  expect(locks.holdReportLock('rep_1', ben)).toBeUndefined()
  expect(locks.holdReportLock('rep_1', una)?.until).toBe('2026-03-10T09:01:59.000Z')
  clock.pass(60_000)
  expect(locks.findReportLock('rep_1')).toBeUndefined()
  expect(locks.holdReportLock('rep_1', ben)?.name).toBe('Ben')
})

it('is another window’s too where the person is the same', () => {
  using on = locksOn()
  const { locks } = on
  locks.holdReportLock('rep_1', una)
  expect(locks.holdReportLock('rep_1', { ...una, windowId: ben.windowId })).toBeUndefined()
  expect(locks.holdReportLock('rep_1', { ...ben, windowId: una.windowId })).toBeUndefined()
})

it('is taken from whoever has it, and given up only by who has it', () => {
  using on = locksOn()
  const { locks } = on
  locks.holdReportLock('rep_1', una)
  expect(locks.takeReportLock('rep_1', ben).name).toBe('Ben')
  locks.releaseReportLock('rep_1', una.windowId)
  expect(locks.findReportLock('rep_1')?.name).toBe('Ben')
  locks.releaseReportLock('rep_1', ben.windowId)
  expect(locks.findReportLock('rep_1')).toBeUndefined()
})

it('is of one draft', () => {
  using on = locksOn()
  const { locks } = on
  locks.holdReportLock('rep_1', una)
  expect(locks.holdReportLock('rep_2', ben)?.name).toBe('Ben')
  locks.clearReportLock('rep_1')
  expect([locks.findReportLock('rep_1'), locks.findReportLock('rep_2')?.name]).toEqual([
    undefined,
    'Ben',
  ])
})
