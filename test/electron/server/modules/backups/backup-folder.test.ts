import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { backupPlaceOf, checkBackupFolder } from '#server/modules/backups/backup-folder.ts'
import { saying } from '../../../../support/saying.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const verdictsOf = (folder: string, data: string) =>
  checkBackupFolder(folder, { folder: data, databaseBytes: 1 })[0]

it('takes no folder inside the data folder, also behind a link, whether it is there or not', () => {
  using temp = tempFolder()
  const [data, link] = [join(temp.folder, 'data'), join(temp.folder, 'link')]
  mkdirSync(data)
  symlinkSync(data, link)
  for (const folder of [
    data,
    link,
    join(data, 'new'),
    join(link, 'new'),
    join(link, 'new', 'deeper'),
  ])
    expect(verdictsOf(folder, data), folder).toMatchObject({
      verdict: 'bad',
      sentence: saying('inside the data folder'),
    })
  for (const folder of [join(temp.folder, 'data backups'), join(temp.folder, 'new', 'deeper')])
    expect(verdictsOf(folder, data), folder).toMatchObject({ verdict: 'ok' })
})

it('tries to write without writing through a link that is there', () => {
  using temp = tempFolder()
  const [data, target, file] = [
    join(temp.folder, 'data'),
    join(temp.folder, 'target'),
    join(temp.folder, 'kept'),
  ]
  for (const folder of [data, target]) mkdirSync(folder)
  writeFileSync(file, 'as it was')
  symlinkSync(file, join(target, `.isthmus-${process.pid}.tmp`))
  expect(verdictsOf(target, data)).toMatchObject({ verdict: 'ok' })
  expect(readFileSync(file, 'utf8')).toBe('as it was')
})

it('says where a folder is, seen from the data', () => {
  using temp = tempFolder()
  const [data, target, synced] = [
    join(temp.folder, 'data'),
    join(temp.folder, 'target'),
    join(temp.folder, 'OneDrive'),
  ]
  for (const folder of [data, target, synced]) mkdirSync(folder)
  expect(
    [target, synced, join(temp.folder, 'gone')].map((folder) => backupPlaceOf(folder, data)),
  ).toEqual(['same-disk', 'synced', null])
})
