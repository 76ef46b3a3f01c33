import { vi } from 'vitest'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import { backupHealth } from '#server/modules/backups/backup-health.ts'
import { Backups } from '#server/modules/backups/backups.ts'
import { tempFolder, tempStore } from '../../../../support/temp-store.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/**
 * A clinic in Berlin with a folder for backups, on a standing clock, made from the ready store and
 * settings.
 */
export function backupStage(
  settings: SettingOverrides = {},
  temp: ReturnType<typeof tempStore> = tempStore(),
) {
  const target = tempFolder()
  temp.store.settings.change(
    { 'clinic.timeZone': 'Europe/Berlin', 'backup.folder': target.folder, ...settings },
    'command-line',
  )
  const errors = vi.spyOn(temp.store.log, 'error')
  const open = () => new Backups(temp.store, '1.2.3')
  let backups = open()
  return {
    ...temp,
    target: target.folder,
    /** Errors of ours. */
    get faults() {
      return errors.mock.calls
    },
    get backups() {
      return backups
    },
    health: () => backupHealth(temp.store),
    audited: (action: string) =>
      temp.store.audit.list({ limit: 1000 }).items.filter((entry) => entry.action === action),
    /** As a minute's look at the plan, again and again while the time passes. */
    async live(ms: number, step = 30 * MINUTE_MS) {
      for (const end = temp.clock.now + ms; temp.clock.now < end; ) {
        temp.clock.pass(Math.min(step, end - temp.clock.now))
        await backups.check()
      }
    },
    /** Another run of the gateway. */
    async restart() {
      await backups[Symbol.asyncDispose]()
      backups = open()
    },
    async [Symbol.asyncDispose]() {
      await backups[Symbol.asyncDispose]()
      target[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}
