import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openWalSync } from '#server/database/wal-sync.ts'
import { needing } from '../../../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../../../support/open-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'

it('syncs what there is, as often as it is asked, and shares a sync among those who wait', async () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'x')
  writeFileSync(`${file}-wal`, 'frames')
  const wal = openWalSync(file)
  const first = wal.sync()
  const [second, third] = [wal.sync(), wal.sync()]
  expect(second).toBe(third)
  expect(second).not.toBe(first)
  await Promise.all([first, second])
  await wal.sync()
  expect(wal.hasFailed).toBe(false)
  wal.close()
})

it('says so for good where a sync failed', async () => {
  using temp = tempFolder()
  const wal = openWalSync(join(temp.folder, 'missing'))
  await expect(wal.sync()).rejects.toThrow('ENOENT')
  await expect(wal.sync()).rejects.toThrow('ENOENT')
  expect(wal.hasFailed).toBe(true)
  wal.close()
})

// The device refuses a sync, as a disk does that failed.
it('says so also where the disk refuses the sync alone', needing('linux'), async () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'x')
  symlinkSync('/dev/null', `${file}-wal`)
  const wal = openWalSync(file)
  await expect(wal.sync()).rejects.toThrow('EINVAL')
  expect(wal.hasFailed).toBe(true)
  wal.close()
})

it('leaves nothing open, whether or not it was used', async () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'x')
  writeFileSync(`${file}-wal`, 'frames')
  openWalSync(file).close()
  const wal = openWalSync(file)
  await wal.sync()
  if (!hidesOpenFiles) expect(openFilesIn(temp.folder)).toEqual([`${file}-wal`])
  wal.close()
  if (!hidesOpenFiles)
    await vi.waitFor(() => expect(openFilesIn(temp.folder)).toEqual([]), { timeout: 5000 })
})

it('keeps its descriptor until a sync under way is over', async () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'x')
  writeFileSync(`${file}-wal`, 'frames')
  const wal = openWalSync(file)
  const syncs = [wal.sync(), wal.sync()]
  wal.close()
  await expect(Promise.all(syncs)).resolves.toEqual([undefined, undefined])
  rmSync(`${file}-wal`)
})

// What a crash of the whole PC would leave cannot be had here: the calls to the system say whether
// the log was synced before the answer.
it('is what a group commit waits for before it is answered', () => {
  using temp = tempFolder()
  const script = join(temp.folder, 'commit.ts')
  const database = join(import.meta.dirname, '../../../../electron/server/database/database.ts')
  writeFileSync(
    script,
    `import fs from 'node:fs'
     import { syncBuiltinESMExports } from 'node:module'
     const paths = new Map()
     const { open, fdatasync } = fs
     fs.open = (path, flags, done) => open(path, flags, (error, fd) => { paths.set(fd, path); done(error, fd) })
     fs.fdatasync = (fd, done) => setTimeout(() => fdatasync(fd, (error) => { console.log('synced', paths.get(fd)?.slice(-4)); done(error) }), 200)
     syncBuiltinESMExports()
     const { Database } = await import(${JSON.stringify(database)})
     using db = Database.open(${JSON.stringify(join(temp.folder, 'd.sqlite'))}, { migrations: ['create table t (a text) strict'] })
     const insert = { compile: () => ({ sql: "insert into t values ('x')", parameters: [] }) }
     await Promise.all([0, 1].map(() => db.commitSoon(() => db.run(insert)).then(() => console.log('answered'))))`,
  )
  expect(execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim().split('\n')).toEqual(
    ['synced -wal', 'answered', 'answered'],
  )
})
