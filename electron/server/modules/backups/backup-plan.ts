import { Cron } from 'croner'
import type { Settings } from '#server/configuration/settings.ts'
import type { BackupsState } from '#shared/contract/dashboard-backups.ts'

/** When scheduled backups are made, and which backups are kept. */
export type BackupPlan = BackupsState['plan']

const MINUTE_MS = 60_000

export const planOf = ({ get }: Pick<Settings, 'get'>): BackupPlan => ({
  dailyAt: get('backup.dailyAt'),
  everyMinutes: get('backup.everyMinutes'),
  isContinuous: get('backup.isContinuous'),
  keepDaily: get('backup.keepDaily'),
  keepWeekly: get('backup.keepWeekly'),
  keepMonthly: get('backup.keepMonthly'),
})

/** When the next backup is due after one at `madeAt` (ms); `null` if none is scheduled. */
export function nextBackupAt(
  madeAt: number,
  { dailyAt, everyMinutes }: BackupPlan,
  timeZone: string,
): number | null {
  const times = [
    ...(everyMinutes === null ? [] : [madeAt + everyMinutes * MINUTE_MS]),
    ...(dailyAt === null ? [] : [nextDailyRun(madeAt, dailyAt, timeZone)]),
  ]
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * The next time `dailyAt` occurs after `after` (ms). If a daylight saving change skips it, this is
 * the first instant after the gap; if it repeats it, only one of the two counts.
 */
function nextDailyRun(after: number, dailyAt: string, timeZone: string): number {
  const [hour = 0, minute = 0] = dailyAt.split(':').map(Number)
  // Without a callback, Cron starts no timer and only computes times.
  const next = new Cron(`${minute} ${hour} * * *`, { timezone: timeZone }).nextRun(new Date(after))
  // A daily pattern always has a next run, so this is never null.
  return (next as Date).getTime()
}
