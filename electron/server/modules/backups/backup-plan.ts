import { Cron } from 'croner'
import type { Settings } from '#server/configuration/settings.ts'
import type { BackupsState } from '#shared/contract/dashboard-backups.ts'

/** When backups are made by themselves, and which are kept. */
export type BackupPlan = BackupsState['plan']

const MINUTE_MS = 60_000

export const planOf = ({ get }: Pick<Settings, 'get'>): BackupPlan => ({
  dailyAt: get('backup.dailyAt'),
  everyMinutes: get('backup.everyMinutes'),
  keepDaily: get('backup.keepDaily'),
  keepWeekly: get('backup.keepWeekly'),
  keepMonthly: get('backup.keepMonthly'),
})

/** When the next backup is due after one of this instant, in ms; null: none is made by itself. */
export function nextBackupAt(
  madeAt: number,
  { dailyAt, everyMinutes }: BackupPlan,
  timeZone: string,
): number | null {
  const times = [
    ...(everyMinutes === null ? [] : [madeAt + everyMinutes * MINUTE_MS]),
    ...(dailyAt === null ? [] : [dailyAfter(madeAt, dailyAt, timeZone)]),
  ]
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * Where the clock skips that time of the day: the first moment after the gap. Where it comes twice:
 * once.
 */
function dailyAfter(after: number, dailyAt: string, timeZone: string): number {
  const [hour = 0, minute = 0] = dailyAt.split(':').map(Number)
  // Without a function it starts no timer: it only computes.
  const next = new Cron(`${minute} ${hour} * * *`, { timezone: timeZone }).nextRun(new Date(after))
  // Null would say that there is none: a daily pattern always has one.
  return (next as Date).getTime()
}
