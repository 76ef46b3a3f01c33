import { expect, it } from 'vitest'
import type { Settings } from '#server/configuration/settings.ts'
import { type BackupPlan, nextBackupAt, planOf } from '#server/modules/backups/backup-plan.ts'

const PLAN: BackupPlan = {
  dailyAt: '02:30',
  everyMinutes: null,
  isContinuous: false,
  keepDaily: 7,
  keepWeekly: 4,
  keepMonthly: 6,
}
const due = (after: string, plan: Partial<BackupPlan> = {}, timeZone = 'Europe/Berlin') => {
  const at = nextBackupAt(Date.parse(after), { ...PLAN, ...plan }, timeZone)
  return at === null ? null : new Date(at).toISOString()
}

it('is due at the time of the clinic’s day, the next one after the last', () => {
  expect(due('2026-01-10T12:00:00Z')).toBe('2026-01-11T01:30:00.000Z')
  expect(due('2026-07-10T12:00:00Z')).toBe('2026-07-11T00:30:00.000Z')
  expect(due('2026-01-10T01:29:59.900Z')).toBe('2026-01-10T01:30:00.000Z')
  expect(due('2026-01-10T01:30:00.000Z')).toBe('2026-01-11T01:30:00.000Z')
  expect(due('2026-01-10T01:30:00.500Z')).toBe('2026-01-11T01:30:00.000Z')
  expect(due('2026-01-10T12:00:00Z', {}, 'Pacific/Kiritimati')).toBe('2026-01-10T12:30:00.000Z')
})

it('is due once on the day whose clock skips that time, and once on the day that has it twice', () => {
  // In Berlin 2026-03-29 has no 02:30, the first moment after it is 03:00; 2026-10-25 has two.
  expect(due('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z')
  expect(due('2026-03-29T01:00:00Z')).toBe('2026-03-30T00:30:00.000Z')
  expect(due('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z')
  expect(due('2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z')
})

it('is due after so many minutes where a standby wants it, and at the time of the day all the same', () => {
  expect(due('2026-01-10T12:00:00Z', { everyMinutes: 15 })).toBe('2026-01-10T12:15:00.000Z')
  expect(due('2026-01-10T01:20:00Z', { everyMinutes: 15 })).toBe('2026-01-10T01:30:00.000Z')
  expect(due('2026-01-10T12:00:00Z', { everyMinutes: 1440, dailyAt: null })).toBe(
    '2026-01-11T12:00:00.000Z',
  )
})

it('is never due by itself without a plan', () => {
  expect(due('2026-01-10T12:00:00Z', { dailyAt: null })).toBeNull()
})

it('is what the settings say', () => {
  const values = {
    'backup.dailyAt': '04:15',
    'backup.everyMinutes': 30,
    'backup.keepDaily': 8,
    'backup.keepWeekly': 5,
    'backup.keepMonthly': 9,
  }
  const get = ((name: keyof typeof values) => values[name]) as Settings['get']
  expect(planOf({ get })).toEqual({
    dailyAt: '04:15',
    everyMinutes: 30,
    keepDaily: 8,
    keepWeekly: 5,
    keepMonthly: 9,
  })
})
