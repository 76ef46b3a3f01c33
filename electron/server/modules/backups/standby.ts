import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { type StandbyRecord, upkeepRecord } from './backup-record.ts'
import { listBackups } from './make-backup.ts'

/**
 * What a copy elsewhere has. The copying itself is a script's work (docs/STANDBY.md), which notes
 * here what has arrived whole.
 */
export interface Standby {
  /**
   * Notes that this back-up, and the images it speaks of, are elsewhere too.
   * @throws ApiError refused: no folder; not-found: no such back-up in it. StoreError bad-folder
   */
  note(copy: { readonly to: string; readonly backup: string }, actor: Actor): Promise<StandbyRecord>
  /** There is no copy elsewhere any more: nobody is warned that it is old. */
  forget(actor: Actor): void
}

export function openStandby(
  deps: DomainDeps & { readonly settings: Pick<Settings, 'get'> },
): Standby {
  const { store, clock, settings } = deps
  const record = upkeepRecord(store)
  return {
    async note({ to, backup }, actor) {
      const folder = settings.get('backup.folder')
      if (folder === null) throw new ApiError('refused', 'Choose a folder for back-ups first.')
      const made = (await listBackups(folder)).find(({ name }) => name === backup)
      if (!made) throw new ApiError('not-found', `There is no back-up ${backup} in ${folder}.`)
      const before = record.get('standby')
      const copy: StandbyRecord = {
        to,
        name: backup,
        copiedAt: instantOf(clock()),
        recoveryPoint: made.madeAt,
      }
      store.database.transaction(() => {
        record.set('standby', copy)
        // A copy is noted every few minutes: the trail has that there is one, and where.
        if (before?.to !== to)
          note(deps.store, actor, 'standby.note', backup, { to, recoveryPoint: made.madeAt })
      })
      return copy
    },
    forget(actor) {
      store.database.transaction(() => {
        if (!record.remove('standby')) throw new ApiError('not-found', 'No standby was noted.')
        note(deps.store, actor, 'standby.forget', '')
      })
    },
  }
}
