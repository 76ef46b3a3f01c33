import { describe, expect, it } from 'vitest'
import {
  changesOf,
  faultsOf,
  type Plan,
} from '../../../../renderer/src/features/backups/schedule.ts'

const PLAN: Plan = {
  dailyAt: '02:30',
  everyMinutes: null,
  isContinuous: false,
  keepDaily: 7,
  keepWeekly: 4,
  keepMonthly: 6,
}

describe('the plan of backups', () => {
  it('is saved by the settings that differ, and no others', () => {
    expect(changesOf(PLAN, PLAN)).toEqual({})
    expect(changesOf(PLAN, { ...PLAN, dailyAt: null, everyMinutes: 15 })).toEqual({
      'backup.dailyAt': null,
      'backup.everyMinutes': 15,
    })
    expect(changesOf(PLAN, { ...PLAN, keepMonthly: 12 })).toEqual({ 'backup.keepMonthly': 12 })
  })

  it('is refused where the gateway would refuse it', () => {
    expect(faultsOf(PLAN)).toEqual({})
    expect(faultsOf({ ...PLAN, dailyAt: '' })).toEqual({ dailyAt: 'must be a time such as 02:30' })
    expect(
      Object.keys(faultsOf({ ...PLAN, everyMinutes: 1, keepDaily: 0, keepWeekly: Number.NaN })),
    ).toEqual(['everyMinutes', 'keepDaily', 'keepWeekly'])
  })
})
