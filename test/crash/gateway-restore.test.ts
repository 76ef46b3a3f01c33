import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { dashboardRescue } from '#shared/contract/dashboard-backups.ts'
import { serving } from '../support/command-line.ts'
import { clinicWithBackup, DAMAGES, digestOf, keptAside } from '../support/damaged-clinic.ts'
import { expectRestored, line, rescueOf, until } from '../support/rescue.ts'
import { tempFolder } from '../support/temp-store.ts'

/**
 * Phases of a restore: the backup is unsealed and made ready, then it takes the place of the
 * database.
 */
const MOMENTS = [
  { after: 'asked', waitMs: 0 },
  { after: 'asked', waitMs: 30 },
  { after: 'asked', waitMs: 150 },
  { after: 'starting again', waitMs: 0 },
  { after: 'starting again', waitMs: 15 },
] as const

it('comes back from a SIGKILL at any moment of a restore, with the damaged database or the restored one', {
  timeout: 400_000,
}, async () => {
  using temp = tempFolder()
  const made = await clinicWithBackup(temp.folder)
  DAMAGES['pages overwritten in the middle'](made.folder)
  const damaged = digestOf(join(made.folder, DATABASE_FILE))
  const body = { folder: made.backupFolder, name: made.backup.name }
  for (const [index, { after, waitMs }] of MOMENTS.entries()) {
    const clinic = { ...made, folder: join(temp.folder, `data-${index}`) }
    cpSync(made.folder, clinic.folder, { recursive: true })
    {
      await using serve = await serving(clinic.folder, '--rescue')
      await rescueOf(await line(serve, 1))(dashboardRescue.restore, { body })
      if (after !== 'asked')
        await until(() =>
          expect(serve.stderr.some((text) => text.includes(`"${after}"`))).toBe(true),
        )
      await wait(waitMs)
      await serve.end('SIGKILL')
    }
    await using serve = await serving(clinic.folder, '--rescue')
    const first = await line(serve, 1)
    if (first.rescue) {
      expect(digestOf(join(clinic.folder, DATABASE_FILE))).toBe(damaged)
      await rescueOf(first)(dashboardRescue.restore, { body })
    }
    await expectRestored(await line(serve, first.rescue ? 2 : 1), clinic)
    expect(
      keptAside(clinic.folder).map((aside) => digestOf(join(clinic.folder, aside, DATABASE_FILE))),
    ).toEqual([damaged])
  }
})
