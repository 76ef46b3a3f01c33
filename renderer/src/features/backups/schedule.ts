import type { BackupsState } from '#shared/contract/dashboard-backups.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import type { Message } from '#shared/messages/message.ts'

export type Plan = BackupsState['plan']
type SettingValue = string | number | boolean | null

/** The settings of which the plan is made. */
const PLAN_SETTINGS = {
  dailyAt: 'backup.dailyAt',
  everyMinutes: 'backup.everyMinutes',
  isContinuous: 'backup.isContinuous',
  keepDaily: 'backup.keepDaily',
  keepWeekly: 'backup.keepWeekly',
  keepMonthly: 'backup.keepMonthly',
} as const satisfies Readonly<Record<keyof Plan, keyof typeof SETTINGS>>
const PLAN_FIELDS = Object.keys(PLAN_SETTINGS) as (keyof Plan)[]

/** The settings that differ, as the call that changes them takes them. */
export const changesOf = (before: Plan, after: Plan): Record<string, SettingValue> =>
  Object.fromEntries(
    PLAN_FIELDS.filter((name) => before[name] !== after[name]).map((name) => [
      PLAN_SETTINGS[name],
      after[name],
    ]),
  )

/** What is wrong with each part of a plan, in the gateway's words; none where it can be saved. */
export function faultsOf(plan: Plan): Partial<Record<keyof Plan, Message>> {
  const faults: Partial<Record<keyof Plan, Message>> = {}
  for (const name of PLAN_FIELDS) {
    const [issue] = SETTINGS[PLAN_SETTINGS[name]].schema.safeParse(plan[name]).error?.issues ?? []
    if (issue) faults[name] = issueMessage(issue)
  }
  return faults
}

/** Begun with when a part of the plan is switched on. */
export const INITIAL_SCHEDULE = {
  dailyAt: String(SETTINGS['backup.dailyAt'].initial),
  everyMinutes: 15,
} as const
