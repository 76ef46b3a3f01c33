import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { dashboardRescue } from '#shared/contract/dashboard-backups.ts'
import { serving } from '../support/command-line.ts'
import { clinicWithBackup } from '../support/damaged-clinic.ts'
import { signIn } from '../support/gateway.ts'
import { damageLastRows, enlarge } from '../support/large-database.ts'
import { expectRestored, line, rescueOf, until } from '../support/rescue.ts'
import { tempFolder } from '../support/temp-store.ts'

// A large database is checked while the gateway serves it (docs/decisions/0077).
vi.setConfig({ testTimeout: 240_000 })

it('shows the rescue page once the check finds damage, and accepts no change before', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  const file = join(clinic.folder, DATABASE_FILE)
  enlarge(file)
  damageLastRows(file)
  await using serve = await serving(clinic.folder, '--rescue')
  const first = await line(serve, 1)
  expect(first.rescue).toBeUndefined()
  // A change: it waits for the check, and is refused or cut off with the listener.
  await expect(signIn(first.http)).rejects.toThrow()
  const second = await line(serve, 2)
  expect(second.rescue).toBe(true)
  await rescueOf(second)(dashboardRescue.restore, {
    body: { folder: clinic.backupFolder, name: clinic.backup.name },
  })
  await expectRestored(await line(serve, 3), clinic)
  expect(await serve.end('SIGTERM')).toBe(0)
})

it('ends with the sentence where nothing else is asked for, as it does at the next start', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  const file = join(clinic.folder, DATABASE_FILE)
  enlarge(file)
  damageLastRows(file)
  await using serve = await serving(clinic.folder)
  await line(serve, 1)
  await until(() =>
    expect(serve.stderr.join('')).toMatch(/is damaged \(.*restore a backup: .* --from BACKUP\./),
  )
  await until(() => expect(serve.child.exitCode).toBe(1))
  await expect(serving(clinic.folder)).rejects.toThrow(/it ended with 1: .*is damaged/)
})

it('serves a large database that is whole, and changes it after the check', async () => {
  using temp = tempFolder()
  const clinic = await clinicWithBackup(temp.folder)
  enlarge(join(clinic.folder, DATABASE_FILE))
  await using serve = await serving(clinic.folder)
  await signIn((await line(serve, 1)).http)
  expect(await serve.end('SIGTERM')).toBe(0)
})
