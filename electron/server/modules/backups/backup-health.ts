import type { Context } from '#server/context.ts'
import { StoreError } from '#server/database/store-error.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { bad, type Finding, ok, warn } from '#server/platform/finding.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { nextBackupAt, planOf } from './backup-plan.ts'
import { readRecord } from './backup-record.ts'
import { listBackups } from './make-backup.ts'

/** A problem with backups that requires action. */
export interface BackupFault {
  readonly tone: 'danger' | 'warning'
  readonly since: string | null
  readonly sentence: Message
}

/**
 * Current problems by subject; `undefined` if there is none. Reads only the database, since the
 * disk with the backups may be disconnected.
 */
export type BackupHealth = Readonly<
  Record<'backup' | 'rehearsal' | 'standby', BackupFault | undefined>
>

const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS
/** Interval between restore tests. */
export const RESTORE_TEST_DAYS = 30
/**
 * When a restore test is overdue. A test follows a scheduled backup, and a PC may be off over a
 * weekend.
 */
const OVERDUE_DAYS = RESTORE_TEST_DAYS + 7
/** Missed intervals before a warning; one or two missed copies usually recover on their own. */
const MAX_MISSED_INTERVALS = 3
/** A standby that receives every change within seconds notes it each minute. */
const CONTINUOUS_INTERVAL_MS = 2 * MINUTE_MS

export function backupHealth(context: Context): BackupHealth {
  const folder = context.settings.get('backup.folder')
  if (folder === null) return { backup: undefined, rehearsal: undefined, standby: undefined }
  const now = context.clock()
  const plan = planOf(context.settings)
  const timeZone = timeZoneOf(context.settings.get('clinic.timeZone'))
  const known = readRecord(context, 'backup')
  const made = known?.folder === folder ? known : undefined

  function backupFault(): BackupFault | undefined {
    if (made?.last && !made.last.success)
      return { tone: 'danger', since: made.last.at, sentence: made.last.sentence }
    const due = made?.madeAt ? nextBackupAt(msOf(made.madeAt), plan, timeZone) : null
    if (due === null || now - due <= DAY_MS) return undefined
    const sentence = message('backups.overdue', { day: made?.madeAt?.slice(0, 10) ?? '' })
    return { tone: 'danger', since: instantOf(due), sentence }
  }

  function restoreTestFault(): BackupFault | undefined {
    const last = readRecord(context, 'rehearsal')
    if (last && !last.success) return { tone: 'danger', since: last.at, sentence: last.sentence }
    const since = last?.at ?? made?.since ?? null
    if (since === null || now - msOf(since) <= OVERDUE_DAYS * DAY_MS) return undefined
    const sentence = last
      ? message('backups.test-overdue', { day: last.at.slice(0, 10) })
      : message('backups.never-tested')
    return { tone: 'warning', since, sentence }
  }

  function standbyFault(): BackupFault | undefined {
    const copy = readRecord(context, 'standby')
    if (!copy) return undefined
    const backupInterval = plan.everyMinutes === null ? DAY_MS : plan.everyMinutes * MINUTE_MS
    const interval = plan.isContinuous ? CONTINUOUS_INTERVAL_MS : backupInterval
    if (now - msOf(copy.recoveryPoint) <= MAX_MISSED_INTERVALS * interval) return undefined
    const { day, time } = wallClock(msOf(copy.recoveryPoint), timeZone)
    const sentence = message('backups.standby-behind', { to: copy.to, day, time: time.slice(0, 5) })
    return { tone: 'warning', since: copy.recoveryPoint, sentence }
  }

  return { backup: backupFault(), rehearsal: restoreTestFault(), standby: standbyFault() }
}

/** Age after which a backup is reported as old. */
const MAX_AGE_MS = 7 * DAY_MS

/** Checks whether the database could be restored from the newest backup in the folder. */
export async function backupFinding(context: Context): Promise<Finding> {
  const folder = context.settings.get('backup.folder')
  if (folder === null)
    return warn(message('backups.no-folder'), message('backups.no-folder-remedy'))
  const backups = await listBackups(folder).catch((error: unknown) => {
    if (error instanceof StoreError) return error.explanation
    throw error
  })
  if (!Array.isArray(backups)) return bad(backups, message('backups.folder-away-remedy'))
  const fault = backupHealth(context).backup
  if (fault) return bad(fault.sentence, message('backups.overdue-remedy'))
  const newest = backups[0]
  if (!newest) return warn(message('backups.none-yet', { folder }), message('backups.make-now'))
  if (!newest.hasRecoveryKey)
    return warn(message('backups.no-recovery-key'), message('backups.no-recovery-key-remedy'))
  const days = Math.floor((context.clock() - msOf(newest.madeAt)) / DAY_MS)
  return context.clock() - msOf(newest.madeAt) > MAX_AGE_MS
    ? warn(message('backups.old', { days }), message('backups.make-now'))
    : ok(message('backups.newest', { day: newest.madeAt.slice(0, 10) }))
}

/** Reports the last restore test, or that one is due. */
export function restoreTestFinding(context: Context): Finding {
  const fault = backupHealth(context).rehearsal
  if (fault)
    return fault.tone === 'danger'
      ? bad(fault.sentence, message('backups.test-failed-remedy'))
      : warn(fault.sentence, message('backups.test-remedy'))
  const last = readRecord(context, 'rehearsal')
  return last
    ? ok(message('backups.tested', { day: last.at.slice(0, 10) }))
    : warn(message('backups.never-tested-yet'), message('backups.test-remedy'))
}

/** Reports the age of the standby copy, or that there is none. */
export function standbyFinding(context: Context): Finding {
  const fault = backupHealth(context).standby
  if (fault) return warn(fault.sentence, message('backups.standby-behind-remedy'))
  const copy = readRecord(context, 'standby')
  if (copy)
    return ok(
      message('backups.standby', {
        to: copy.to,
        until: copy.recoveryPoint.slice(0, 16).replace('T', ' '),
      }),
    )
  return context.settings.get('backup.everyMinutes') === null
    ? ok(message('backups.no-standby'))
    : warn(message('backups.standby-silent'), message('backups.standby-silent-remedy'))
}
