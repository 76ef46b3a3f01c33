import { StoreError } from '#server/database/store-error.ts'
import { bad, type Finding, ok, warn } from '#server/modules/diagnostics/host-checks.ts'
import type { Parts } from '#server/parts.ts'
import { msOf } from '#server/platform/clock.ts'
import { upkeepHealth } from './backup-health.ts'
import { upkeepRecord } from './backup-record.ts'
import { listBackups } from './make-backup.ts'

const DAY_MS = 24 * 60 * 60_000
/** An old back-up is one that leaves a week to be written again by hand. */
const OLD_MS = 7 * DAY_MS

/** Whether the database could be put back, by what is in the folder now. */
export async function backupFinding({ deps, settings }: Parts): Promise<Finding> {
  const folder = settings.get('backup.folder')
  if (folder === null)
    return warn(
      'No folder for back-ups is chosen.',
      'Choose one, best on another disk, and make a back-up.',
    )
  const backups = await listBackups(folder).catch((error: unknown) => {
    if (error instanceof StoreError) return error.message
    throw error
  })
  if (typeof backups === 'string')
    return bad(backups, 'See whether its disk is connected, or choose another folder.')
  const fault = upkeepHealth({ ...deps, settings }).backup
  if (fault)
    return bad(
      fault.sentence,
      'See Back-ups under Settings: it is tried again by itself, and can be made now.',
    )
  const newest = backups[0]
  if (!newest) return warn(`No back-up is in ${folder} yet.`, 'Make one now.')
  if (!newest.hasRecoveryKey)
    return warn(
      'The newest back-up has no recovery key in it: without this PC’s data.key it cannot be opened.',
      'Make a recovery key, then another back-up.',
    )
  const days = Math.floor((deps.clock() - msOf(newest.madeAt)) / DAY_MS)
  return deps.clock() - msOf(newest.madeAt) > OLD_MS
    ? warn(`The newest back-up is ${days} days old.`, 'Make one now.')
    : ok(`The newest back-up is of ${newest.madeAt.slice(0, 10)}.`)
}

/** Whether it was tried that one can be put back. */
export function rehearsalFinding({ deps, settings }: Parts): Finding {
  const fault = upkeepHealth({ ...deps, settings }).rehearsal
  if (fault)
    return fault.tone === 'danger'
      ? bad(
          fault.sentence,
          'Make another back-up and try it. If it fails too, choose another disk, and tell the vendor.',
        )
      : warn(fault.sentence, 'Try the newest one under Settings, Back-ups.')
  const last = upkeepRecord(deps.store).get('rehearsal')
  return last
    ? ok(`A back-up was tried on ${last.at.slice(0, 10)}, and would do.`)
    : warn(
        'No back-up was tried yet: that one can be put back is known only then.',
        'Try the newest one under Settings, Back-ups.',
      )
}

/** Whether there is a copy elsewhere, and how old it is. */
export function standbyFinding({ deps, settings }: Parts): Finding {
  const fault = upkeepHealth({ ...deps, settings }).standby
  if (fault)
    return warn(
      fault.sentence,
      'See whether its script runs: systemctl status isthmus-standby.timer, or the task planner.',
    )
  const copy = upkeepRecord(deps.store).get('standby')
  if (copy)
    return ok(
      `The standby at ${copy.to} has everything up to ${copy.recoveryPoint.slice(0, 16).replace('T', ' ')} UTC.`,
    )
  return settings.get('backup.everyMinutes') === null
    ? ok('No standby is kept: back-ups are put back on another PC by hand.')
    : warn(
        'Back-ups are made for a standby, but none has told what it has.',
        'Set the script for it up as docs/STANDBY.md says.',
      )
}
