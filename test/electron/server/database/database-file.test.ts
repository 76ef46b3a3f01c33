import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { APPLICATION_ID } from '#server/database/database-file.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { needing } from '../../../support/needs.ts'
import { tempFolder } from '../../../support/temp-store.ts'
import { AT, faultOf, keys, put, tempDatabase } from './database-fixture.ts'

describe('opening a database', () => {
  it('runs in a write-ahead log, and makes what it writes durable', () => {
    using temp = tempDatabase()
    put(temp.db, 'a')
    const beside = new Sqlite(temp.file, { readonly: true })
    expect(beside.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(beside.pragma('application_id', { simple: true })).toBe(APPLICATION_ID)
    expect(beside.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length)
    expect(beside.prepare('select key from settings').pluck().all()).toEqual(['a'])
    beside.close()
  })

  it(
    'makes its files readable by their owner only, and mends a mode that was loosened',
    needing('posix'),
    () => {
      using temp = tempFolder()
      const file = join(temp.folder, 'gateway.sqlite')
      Database.open(file)[Symbol.dispose]()
      expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
      chmodSync(file, 0o644)
      using db = Database.open(file)
      put(db, 'a')
      const modes = ['', '-wal', '-shm'].map((suffix) =>
        (statSync(`${file}${suffix}`).mode & 0o777).toString(8),
      )
      expect(modes).toEqual(['600', '600', '600'])
    },
  )

  it('opens again what it made, with its rows and without migrating twice', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    {
      using db = Database.open(file)
      put(db, 'kept')
    }
    using db = Database.open(file)
    expect(keys(db)).toEqual(['kept'])
    expect(existsSync(`${file}.schema-${MIGRATIONS.length}`)).toBe(false)
  })

  it('refuses a folder that is not there', () => {
    using temp = tempFolder()
    expect(faultOf(() => Database.open(join(temp.folder, 'nowhere', 'gateway.sqlite')))).toMatch(
      /^bad-folder: The database in the folder .*nowhere cannot be opened or created: /,
    )
  })

  it('refuses a file that is no database and leaves it as it is', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    const text = 'These are the minutes of the meeting. '.repeat(100)
    writeFileSync(file, text)
    expect(faultOf(() => Database.open(file))).toMatch(
      /^not-a-database: .* is not a database; it was not changed\.$/,
    )
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it("refuses another program's database and leaves it as it is", () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    const other = new Sqlite(file)
    other.exec('create table notes (text)')
    other.close()
    const before = readFileSync(file)
    expect(faultOf(() => Database.open(file))).toMatch(
      /^foreign-database: .* belongs to another program/,
    )
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('refuses a schema that is newer than it knows', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    Database.open(file, { migrations: [...MIGRATIONS, 'create table later (a integer) strict'] })[
      Symbol.dispose
    ]()
    expect(faultOf(() => Database.open(file))).toContain(
      `newer version of Isthmus (schema ${MIGRATIONS.length + 1}; this version supports up to ${MIGRATIONS.length})`,
    )
  })

  it('refuses a damaged database', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    {
      using db = Database.open(file)
      db.transaction(() => {
        for (let i = 0; i < 500; i++) put(db, `key ${i} ${'x'.repeat(100)}`)
      })
    }
    const bytes = readFileSync(file)
    bytes.fill(0xa5, bytes.length - 3 * 4096 + 8, bytes.length - 4096)
    writeFileSync(file, bytes)
    expect(faultOf(() => Database.open(file))).toMatch(
      /^damaged: .*nothing was changed\. Keep the file and restore a backup: .*isthmus restore --data .* --from BACKUP\.$/,
    )
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })
})

describe('migrations', () => {
  it('run once each, in order, and keep a copy of what was there before', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    {
      using db = Database.open(file)
      put(db, 'old')
    }
    const later = [
      ...MIGRATIONS,
      `insert into settings values ('second', '2', '${AT}')`,
      `insert into settings values ('third', '3', '${AT}')`,
    ]
    {
      using db = Database.open(file, { migrations: later })
      expect(keys(db)).toEqual(['old', 'second', 'third'])
    }
    {
      using db = Database.open(file, { migrations: later })
      expect(keys(db)).toEqual(['old', 'second', 'third'])
    }
    using before = Database.open(`${file}.schema-${MIGRATIONS.length}`)
    expect(keys(before)).toEqual(['old'])
  })

  it('keep the two newest copies, and nobody else’s file', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    const others = ['gateway.sqlite.schema-old', 'gateway.sqlite.schema-2.txt']
    for (const name of ['gateway.sqlite.schema-1', 'gateway.sqlite.schema-2', ...others])
      writeFileSync(join(temp.folder, name), name)
    // As a kill left it while it was written.
    writeFileSync(`${file}.schema-${MIGRATIONS.length}.part`, 'half')
    Database.open(file)[Symbol.dispose]()
    Database.open(file, {
      migrations: [...MIGRATIONS, `insert into settings values ('second', '2', '${AT}')`],
    })[Symbol.dispose]()
    const copies = readdirSync(temp.folder).filter((name) => name.includes('.schema-'))
    expect(copies.sort()).toEqual(
      [...others, 'gateway.sqlite.schema-2', `gateway.sqlite.schema-${MIGRATIONS.length}`].sort(),
    )
    if (process.platform !== 'win32')
      expect(statSync(`${file}.schema-${MIGRATIONS.length}`).mode & 0o777).toBe(0o600)
  })

  it('do not begin where the copy cannot be made', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    Database.open(file)[Symbol.dispose]()
    mkdirSync(`${file}.schema-${MIGRATIONS.length}`)
    const before = readFileSync(file)
    const later = [...MIGRATIONS, `insert into settings values ('second', '2', '${AT}')`]
    expect(faultOf(() => Database.open(file, { migrations: later }))).toMatch(
      /^bad-folder: The database was not migrated to this version, because the copy .* could not be made first: /,
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    using db = Database.open(file)
    expect(keys(db)).toEqual([])
  })

  it('change nothing when one of them fails', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    Database.open(file)[Symbol.dispose]()
    const broken = [
      ...MIGRATIONS,
      `insert into settings values ('half', '2', '${AT}'); insert into nowhere values (1)`,
    ]
    expect(() => Database.open(file, { migrations: broken })).toThrow(/no such table: nowhere/)
    using db = Database.open(file)
    expect(keys(db)).toEqual([])
  })

  it('refuse to leave a row without the row it refers to', () => {
    using temp = tempFolder()
    const columns = 'endpointId, url, events, apiKeyId, allowsPlaintext, createdAt, updatedAt'
    const orphan = `insert into endpoints (${columns}) values ('e', 'https://ris.example/', '[]', 'no such key', 0, '${AT}', '${AT}')`
    expect(() =>
      Database.open(join(temp.folder, 'gateway.sqlite'), { migrations: [...MIGRATIONS, orphan] }),
    ).toThrow(/leaves 1 rows without the row they refer to/)
  })
})
