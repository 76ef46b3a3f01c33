import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { unsupportedRowsIn } from '#server/database/older-schema.ts'
import { continueRollback } from '#server/modules/backups/way-back.ts'
import { isthmus, serving } from '../support/command-line.ts'
import { goldenFolder } from '../support/golden.ts'
import { reading, schemaOf } from '../support/golden-checks.ts'
import { smallDisk } from '../support/mount.ts'
import { needs } from '../support/needs.ts'
import { tempFolder } from '../support/temp-store.ts'

// An update of a data folder by the program in processes of its own, and the way back.

vi.setConfig({ testTimeout: 120_000 })

const NEWEST = MIGRATIONS.length
const OLDER = 21

const aeTitles = (file: string) =>
  reading(file, (sqlite) => sqlite.prepare('select aeTitle from devices').pluck().all())

it('checks before an update, and goes back with everything that came since', async () => {
  using temp = tempFolder()
  const data = join(temp.folder, 'data')
  const file = goldenFolder(data, OLDER)
  expect(await isthmus(['preflight', '--data', data])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `ok +There is enough disk space[\\s\\S]*no damage was found[\\s\\S]*From schema ${OLDER} to ${NEWEST}: up to \\d+ s`,
      ),
    ),
  })
  expect(schemaOf(file)).toBe(OLDER)
  {
    await using _gateway = await serving(data)
    expect(schemaOf(file)).toBe(NEWEST)
    expect(await isthmus(['device', 'add', '--data', data, '--ae-title', 'SINCE'])).toMatchObject({
      exitCode: 0,
    })
    expect(await isthmus(['way-back', '--data', data, '--yes'])).toMatchObject({ exitCode: 1 })
  }
  const before = aeTitles(file)
  expect(before).toContain('SINCE')
  expect(JSON.parse(readFileSync(join(data, 'version.json'), 'utf8'))).toMatchObject({
    schema: NEWEST,
    previous: { version: null, schema: OLDER },
  })

  expect(await isthmus(['way-back', '--data', data])).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('Add --yes to convert it'),
  })
  expect(schemaOf(file)).toBe(NEWEST)
  expect(await isthmus(['way-back', '--data', data, '--yes'])).toMatchObject({
    exitCode: 0,
    stdout: `The data are ready for version (schema ${OLDER}): install it now.\n`,
  })
  expect(schemaOf(file)).toBe(OLDER)
  expect(aeTitles(file)).toEqual(before)
  const aside = readdirSync(data).find((name) => name.startsWith('newer-')) ?? ''
  expect(schemaOf(join(data, aside, 'gateway.sqlite'))).toBe(NEWEST)
  // The older version opens it.
  Database.open(file, { migrations: MIGRATIONS.slice(0, OLDER) })[Symbol.dispose]()

  expect(await isthmus(['serve', '--data', data])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('was prepared for version'),
  })
  expect(schemaOf(file)).toBe(OLDER)
  rmSync(join(data, 'way-back.json'))
  await using _gateway = await serving(data)
  expect(schemaOf(file)).toBe(NEWEST)
  expect(aeTitles(file)).toEqual(before)
})

it('changes nothing, and goes on with this version, where the disk has no space for the way back', async (context) => {
  needs(context, 'mounts')
  using disk = smallDisk(60)
  const data = join(disk.path, 'data')
  const file = goldenFolder(data, OLDER)
  {
    await using _gateway = await serving(data)
  }
  const { bavail, bsize } = statfsSync(data)
  const ballast = join(disk.path, 'ballast')
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - statSync(file).size / 2))
  expect(await isthmus(['way-back', '--data', data, '--yes'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Going back needs'),
  })
  expect(existsSync(join(data, 'way-back.json'))).toBe(false)
  // Ordered while there was space, which is gone when it is carried out.
  const order = { state: 'ordered', version: '', schema: OLDER, unheld: [] }
  writeFileSync(join(data, 'way-back.json'), JSON.stringify(order))
  expect(continueRollback(data, Date.now())).toMatchObject({ code: 'SQLITE_FULL' })
  expect(readdirSync(data).filter((name) => /way-back|older|newer/.test(name))).toEqual([])
  expect(schemaOf(file)).toBe(NEWEST)
})

it('refuses the way back in one sentence where the older version cannot hold something', async () => {
  using temp = tempFolder()
  const data = join(temp.folder, 'data')
  const file = goldenFolder(data, OLDER)
  {
    await using _gateway = await serving(data)
    const words = ['--ae-title', 'PACS', '--retrieval', 'query']
    expect(await isthmus(['device', 'add', '--data', data, ...words])).toMatchObject({
      exitCode: 0,
    })
  }
  expect(await isthmus(['way-back', '--data', data, '--yes'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /cannot hold everything that this version has stored: devices\.retrieval \(1\)\. Nothing was changed\./,
    ),
  })
  expect(schemaOf(file)).toBe(NEWEST)
  expect(existsSync(join(data, 'way-back.json'))).toBe(false)
})

it('builds nothing after a start that an older version could not be given', async () => {
  using temp = tempFolder()
  const data = join(temp.folder, 'data')
  const oldest = 15
  // Not built from others: who was told of a critical result.
  const ESCALATED = 'criticalEscalations'
  const file = goldenFolder(data, oldest)
  const read = (sql: string) => reading(file, (sqlite) => sqlite.prepare(sql).all())
  {
    await using _gateway = await serving(data)
    // What is built from other tables is built by then.
    await vi.waitFor(() => expect(read('select * from searchFill')).toEqual([]), 20_000)
  }
  for (let schema = oldest; schema < NEWEST; schema++)
    expect([
      schema,
      unsupportedRowsIn(read, schema).filter(({ table }) => table !== ESCALATED),
    ]).toEqual([...[schema, []]])
})

it('has an older version refuse a newer folder in one sentence, and change nothing', () => {
  using temp = tempFolder()
  const file = goldenFolder(join(temp.folder, 'data'), OLDER)
  openContext({ folder: join(temp.folder, 'data') })[Symbol.dispose]()
  expect(() => Database.open(file, { migrations: MIGRATIONS.slice(0, OLDER) })).toThrow(
    /was written by a newer version of Isthmus/,
  )
  expect(schemaOf(file)).toBe(NEWEST)
})
