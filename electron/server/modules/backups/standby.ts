import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { BackupsState } from '#shared/contract/dashboard-backups.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { readRecord, removeRecord, type StandbyRecord, saveRecord } from './backup-record.ts'
import { listBackups } from './make-backup.ts'

/**
 * Records that a backup and its images were copied to a standby. A script copies them
 * (docs/STANDBY.md).
 * @param upTo everything written until then is there, by the copied log
 * @throws ApiError refused if there is no backup folder; not-found if it has no such backup
 * @throws StoreError bad-folder
 */
export async function recordStandby(
  context: Context,
  to: string,
  name: string,
  actor: Actor,
  upTo?: string,
): Promise<StandbyRecord> {
  const folder = context.settings.get('backup.folder')
  if (folder === null) throw new ApiError('refused', message('backups.choose-folder-first'))
  const backup = (await listBackups(folder)).find((backup) => backup.name === name)
  if (!backup) throw new ApiError('not-found', message('backups.unknown', { name, folder }))
  const before = readRecord(context, 'standby')
  const recoveryPoint = upTo ?? backup.madeAt
  const copy = { to, name, copiedAt: instantOf(context.clock()), recoveryPoint }
  context.database.transaction(() => {
    saveRecord(context, 'standby', copy)
    // Copies are recorded every few minutes, so only the first to each place is audited.
    if (before?.to !== to) note(context, actor, 'standby.note', name, { to, recoveryPoint })
  })
  return copy
}

/**
 * Removes the record of the standby copy, so that no warning about its age is shown.
 * @throws ApiError not-found
 */
export function removeStandby(context: Context, actor: Actor): void {
  context.database.transaction(() => {
    if (!removeRecord(context, 'standby'))
      throw new ApiError('not-found', message('backups.no-standby-noted'))
    note(context, actor, 'standby.forget', '')
  })
}

/** What is shown of the copy on the standby; `null` if there is none. */
export function standbyState(context: Context): BackupsState['standby'] {
  const standby = readRecord(context, 'standby')
  if (!standby) return null
  const { copiedAt, recoveryPoint, to } = standby
  return { copiedAt, recoveryPoint, to }
}
