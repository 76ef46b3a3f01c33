import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { Database } from '#server/database/database.ts'
import { IntegrityCheck } from '#server/database/integrity-check.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { damageLastRows, enlarge } from '../../../support/large-database.ts'
import { tempDataFolder } from '../../../support/temp-store.ts'
import { AT, faultOf, put } from './database-fixture.ts'

function largeDatabase(): { readonly file: string } & Disposable {
  const temp = tempDataFolder()
  const file = join(temp.folder, DATABASE_FILE)
  enlarge(file)
  return { file, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

describe('a large database that was closed', () => {
  it('is opened at once, and checked afterwards', async () => {
    using temp = largeDatabase()
    using db = Database.open(temp.file, { check: 'later' })
    expect(db.integrity.hasPassed).toBe(false)
    db.integrity.begin()
    db.integrity.begin()
    await db.integrity.passed
    expect(db.integrity.hasPassed).toBe(true)
  })

  it('is checked while it is read and written', async () => {
    using temp = largeDatabase()
    using db = Database.open(temp.file, { check: 'later' })
    db.integrity.begin()
    for (let key = 0; key < 50; key++) put(db, `key ${key}`)
    await db.commitSoon(() => put(db, 'last'))
    await db.integrity.passed
  })

  it('refuses those who wait for the check, if it is damaged', async () => {
    using temp = largeDatabase()
    damageLastRows(temp.file)
    using db = Database.open(temp.file, { check: 'later' })
    db.integrity.begin()
    await expect(db.integrity.passed).rejects.toMatchObject({
      fault: 'damaged',
      message: expect.stringMatching(/is damaged \(.+\); nothing was changed/),
    })
    expect(db.integrity.hasPassed).toBe(false)
    db[Symbol.dispose]()
    expect(faultOf(() => Database.open(temp.file, { check: 'later' }))).toMatch(/^damaged: /)
  })

  it('refuses them, too, if the check is ended', async () => {
    using temp = largeDatabase()
    using db = Database.open(temp.file, { check: 'later' })
    db.integrity.begin()
    await db.integrity.end()
    await expect(db.integrity.passed).rejects.toMatchObject({ fault: 'closed' })
    db[Symbol.dispose]()
    using again = Database.open(temp.file, { check: 'later' })
    expect(again.integrity.hasPassed).toBe(false)
  })

  it('is checked first where nothing was said of it', () => {
    using temp = largeDatabase()
    damageLastRows(temp.file)
    expect(faultOf(() => Database.open(temp.file))).toMatch(/^damaged: /)
    using db = Database.open(temp.file, { check: 'done' })
    expect(db.integrity.hasPassed).toBe(true)
  })

  it('is checked first if the run before did not close it', () => {
    using temp = largeDatabase()
    damageLastRows(temp.file)
    const killed = `${temp.file}-killed`
    {
      using db = Database.open(temp.file, { check: 'later' })
      put(db, 'kept')
      for (const part of ['', '-wal']) copyFileSync(`${temp.file}${part}`, `${killed}${part}`)
    }
    expect(statSync(`${killed}-wal`).size).toBeGreaterThan(0)
    expect(faultOf(() => Database.open(killed, { check: 'later' }))).toMatch(/^damaged: /)
  })

  it('is not if it was only looked at, which leaves an empty log', () => {
    using temp = largeDatabase()
    const reader = new Sqlite(temp.file, { readonly: true })
    reader.prepare('select count(*) from settings').get()
    reader.close()
    expect(existsSync(`${temp.file}-wal`)).toBe(true)
    using db = Database.open(temp.file, { check: 'later' })
    expect(db.integrity.hasPassed).toBe(false)
  })

  it('is checked first if it has to be migrated', () => {
    using temp = largeDatabase()
    damageLastRows(temp.file)
    const later = [...MIGRATIONS, `insert into settings values ('second', '2', '${AT}')`]
    expect(faultOf(() => Database.open(temp.file, { check: 'later', migrations: later }))).toMatch(
      /^damaged: /,
    )
  })
})

it('checks a small database before it is opened', () => {
  using temp = tempDataFolder()
  using db = Database.open(join(temp.folder, DATABASE_FILE), { check: 'later' })
  expect(db.integrity.hasPassed).toBe(true)
})

it('takes a file that cannot be read for a damaged one', async () => {
  using temp = tempDataFolder()
  const check = new IntegrityCheck(join(temp.folder, 'nowhere.sqlite'), false)
  check.begin()
  await expect(check.passed).rejects.toMatchObject({ fault: 'damaged' })
})
