import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { salvageSetting } from '#server/database/salvage.ts'
import { clinicWithBackup, DAMAGES, digestOf } from '../../../support/damaged-clinic.ts'
import { tempFolder } from '../../../support/temp-store.ts'

it('reads settings without the data key, and leaves the database as it is', async () => {
  using temp = tempFolder()
  const { folder, backupFolder } = await clinicWithBackup(temp.folder)
  DAMAGES['no data key'](folder)
  const before = digestOf(join(folder, DATABASE_FILE))
  expect(salvageSetting(folder, 'backup.folder')).toBe(backupFolder)
  expect(salvageSetting(folder, 'http.port')).toBeUndefined()
  expect(salvageSetting(folder, 'dimse.tlsPort')).toBeNull()
  expect(digestOf(join(folder, DATABASE_FILE))).toBe(before)
})

it('knows nothing of a file that is no database, or is not there', async () => {
  using temp = tempFolder()
  const { folder } = await clinicWithBackup(temp.folder)
  DAMAGES['a beginning overwritten'](folder)
  expect(salvageSetting(folder, 'backup.folder')).toBeUndefined()
  rmSync(join(folder, DATABASE_FILE))
  expect(salvageSetting(folder, 'backup.folder')).toBeUndefined()
  expect(readdirSync(folder)).not.toContain(DATABASE_FILE)
})
