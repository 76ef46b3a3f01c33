import type { BackupsState } from '#shared/contract/dashboard-backups.ts'
import type { Tone } from '../../format/tones.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** How the backups stand, the gravest first. */
type BackupHealth =
  | 'fault'
  | 'noFolder'
  | 'running'
  | 'failed'
  | 'none'
  | 'byHand'
  | 'old'
  | 'unplanned'
  | 'sameDisk'
  | 'fine'
export const BACKUP_TONES: Readonly<Record<BackupHealth, Tone>> = {
  fault: 'danger',
  noFolder: 'warning',
  running: 'info',
  failed: 'danger',
  none: 'warning',
  byHand: 'warning',
  old: 'danger',
  unplanned: 'warning',
  sameDisk: 'warning',
  fine: 'good',
}

type Plan = BackupsState['plan']
const isPlanned = ({ dailyAt, everyMinutes }: Plan) => dailyAt !== null || everyMinutes !== null

/**
 * As late as this the newest may be: a day and the hour after which a failed one is tried again, or
 * three of the shorter spans.
 */
const maxBackupAgeMs = ({ everyMinutes }: Plan) =>
  everyMinutes === null ? 26 * HOUR_MS : Math.min(26 * HOUR_MS, 3 * everyMinutes * MINUTE_MS)

/** @param now ms */
export function backupHealth(
  { folder, place, fault, running, last, backups, plan }: BackupsState,
  now: number,
): BackupHealth {
  if (folder === null) return 'noFolder'
  if (fault) return 'fault'
  if (running !== null && running.phase !== 'rehearsing') return 'running'
  if (last?.success === false) return 'failed'
  const newest = backups[0]
  if (!newest) return 'none'
  if (!isPlanned(plan)) return 'byHand'
  const isRecent = ({ madeAt }: { readonly madeAt: string }) =>
    now - Date.parse(madeAt) <= maxBackupAgeMs(plan)
  if (!isRecent(newest)) return 'old'
  // One made by hand says nothing of whether the plan works.
  if (!backups.some((one) => one.kind === 'scheduled' && isRecent(one))) return 'unplanned'
  return place === 'same-disk' ? 'sameDisk' : 'fine'
}

/** How the rehearsal stands. */
type RehearsalHealth = 'running' | 'never' | 'good' | 'bad'
export const REHEARSAL_TONES: Readonly<Record<RehearsalHealth, Tone>> = {
  running: 'info',
  never: 'plain',
  good: 'good',
  bad: 'danger',
}
export function rehearsalHealth({ running, rehearsal }: BackupsState): RehearsalHealth {
  if (running?.phase === 'rehearsing') return 'running'
  if (rehearsal.last === null) return 'never'
  return rehearsal.last.success ? 'good' : 'bad'
}

/** How the copy elsewhere stands. */
type StandbyHealth = 'none' | 'good' | 'late'
export const STANDBY_TONES: Readonly<Record<StandbyHealth, Tone>> = {
  none: 'plain',
  good: 'good',
  late: 'warning',
}
export function standbyHealth({ standby, plan }: BackupsState, now: number): StandbyHealth {
  if (standby === null) return 'none'
  return standby.recoveryPoint === null ||
    now - Date.parse(standby.recoveryPoint) > maxBackupAgeMs(plan)
    ? 'late'
    : 'good'
}
