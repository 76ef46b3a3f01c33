import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { Database } from '#gateway/store/database.ts'
import { APPLICATION_ID } from '#gateway/store/database-file.ts'
import { MIGRATIONS } from '#gateway/store/migrations.ts'
import { rawQuery } from '#gateway/store/raw-query.ts'
import { StoreError } from '#gateway/store/store-error.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'

function tempDatabase(): { readonly db: Database; readonly file: string } & Disposable {
  const temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  const db = Database.open(file)
  return {
    db,
    file,
    [Symbol.dispose]() {
      db[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

const put = (db: Database, key: string) => db.run(db.sql.insertInto('settings').values({ key, value: '1', updatedAt: AT }))
const keys = (db: Database) => db.all(db.sql.selectFrom('settings').select('key').orderBy('key')).map((row) => row.key)

function faultOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof StoreError) return `${error.fault}: ${error.message}`
    throw error
  }
  return 'none'
}

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

  it.skipIf(process.platform === 'win32')('makes its files readable by their owner only, and mends a mode that was loosened', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    Database.open(file)[Symbol.dispose]()
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    chmodSync(file, 0o644)
    using db = Database.open(file)
    put(db, 'a')
    const modes = ['', '-wal', '-shm'].map((suffix) => (statSync(`${file}${suffix}`).mode & 0o777).toString(8))
    expect(modes).toEqual(['600', '600', '600'])
  })

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
      /^bad-folder: The folder .*nowhere cannot hold/,
    )
  })

  it('refuses a file that is no database and leaves it as it is', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    const text = 'These are the minutes of the meeting. '.repeat(100)
    writeFileSync(file, text)
    expect(faultOf(() => Database.open(file))).toMatch(/^not-a-database: .* is not a database; it was left as it is\.$/)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it("refuses another program's database and leaves it as it is", () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    const other = new Sqlite(file)
    other.exec('create table notes (text)')
    other.close()
    const before = readFileSync(file)
    expect(faultOf(() => Database.open(file))).toMatch(/^foreign-database: .* belongs to another program/)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('refuses a schema that is newer than it knows', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    Database.open(file, [...MIGRATIONS, 'create table later (a integer) strict'])[Symbol.dispose]()
    expect(faultOf(() => Database.open(file))).toContain(
      `newer version of Isthmus (schema ${MIGRATIONS.length + 1}, this one knows ${MIGRATIONS.length})`,
    )
  })

  it('refuses a damaged database', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    {
      using db = Database.open(file)
      for (let i = 0; i < 500; i++) put(db, `key ${i} ${'x'.repeat(100)}`)
    }
    const bytes = readFileSync(file)
    bytes.fill(0xa5, bytes.length - 3 * 4096 + 8, bytes.length - 4096)
    writeFileSync(file, bytes)
    expect(faultOf(() => Database.open(file))).toMatch(
      /^damaged: .*nothing was changed\. Keep the file, and put a back-up in its place: .*isthmus restore --data .* --from BACKUP\.$/,
    )
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  it('says that it is closed', () => {
    using temp = tempDatabase()
    temp.db[Symbol.dispose]()
    expect(faultOf(() => keys(temp.db))).toBe('closed: The database is closed.')
    temp.db[Symbol.dispose]()
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
      using db = Database.open(file, later)
      expect(keys(db)).toEqual(['old', 'second', 'third'])
    }
    {
      using db = Database.open(file, later)
      expect(keys(db)).toEqual(['old', 'second', 'third'])
    }
    using before = Database.open(`${file}.schema-${MIGRATIONS.length}`)
    expect(keys(before)).toEqual(['old'])
  })

  it('keep the two newest copies, and nobody else’s file', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    const others = ['gateway.sqlite.schema-old', 'gateway.sqlite.schema-2.txt']
    for (const name of ['gateway.sqlite.schema-1', 'gateway.sqlite.schema-2', ...others]) writeFileSync(join(temp.folder, name), name)
    // As a kill left it while it was written.
    writeFileSync(`${file}.schema-${MIGRATIONS.length}.part`, 'half')
    Database.open(file)[Symbol.dispose]()
    Database.open(file, [...MIGRATIONS, `insert into settings values ('second', '2', '${AT}')`])[Symbol.dispose]()
    const copies = readdirSync(temp.folder).filter((name) => name.includes('.schema-'))
    expect(copies.sort()).toEqual([...others, 'gateway.sqlite.schema-2', `gateway.sqlite.schema-${MIGRATIONS.length}`].sort())
    if (process.platform !== 'win32') expect(statSync(`${file}.schema-${MIGRATIONS.length}`).mode & 0o777).toBe(0o600)
  })

  it('do not begin where the copy cannot be made', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    Database.open(file)[Symbol.dispose]()
    mkdirSync(`${file}.schema-${MIGRATIONS.length}`)
    const before = readFileSync(file)
    const later = [...MIGRATIONS, `insert into settings values ('second', '2', '${AT}')`]
    expect(faultOf(() => Database.open(file, later))).toMatch(
      /^bad-folder: The database was not brought to this version, because the copy .* could not be made first: /,
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    using db = Database.open(file)
    expect(keys(db)).toEqual([])
  })

  it('change nothing when one of them fails', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    Database.open(file)[Symbol.dispose]()
    const broken = [...MIGRATIONS, `insert into settings values ('half', '2', '${AT}'); insert into nowhere values (1)`]
    expect(() => Database.open(file, broken)).toThrow(/no such table: nowhere/)
    using db = Database.open(file)
    expect(keys(db)).toEqual([])
  })

  it('refuse to leave a row without the row it refers to', () => {
    using temp = tempFolder()
    const columns = 'endpointId, url, events, apiKeyId, allowsPlaintext, createdAt, updatedAt'
    const orphan = `insert into endpoints (${columns}) values ('e', 'https://ris.example/', '[]', 'no such key', 0, '${AT}', '${AT}')`
    expect(() => Database.open(join(temp.folder, 'gateway.sqlite'), [...MIGRATIONS, orphan])).toThrow(/foreign key|FOREIGN KEY/i)
  })
})

describe('transactions', () => {
  it('keep all or nothing', () => {
    using temp = tempDatabase()
    expect(() =>
      temp.db.transaction(() => {
        put(temp.db, 'a')
        throw new Error('changed my mind')
      }),
    ).toThrow('changed my mind')
    expect(keys(temp.db)).toEqual([])
    expect(temp.db.transaction(() => put(temp.db, 'a').changes)).toBe(1)
    expect(keys(temp.db)).toEqual(['a'])
  })

  it('inside another undo only themselves', () => {
    using temp = tempDatabase()
    temp.db.transaction(() => {
      put(temp.db, 'outer')
      expect(() =>
        temp.db.transaction(() => {
          put(temp.db, 'inner')
          temp.db.transaction(() => put(temp.db, 'innermost'))
          throw new Error('inner fails')
        }),
      ).toThrow('inner fails')
      temp.db.transaction(() => put(temp.db, 'second'))
    })
    expect(keys(temp.db)).toEqual(['outer', 'second'])
  })

  it('undo an inner one with the outer', () => {
    using temp = tempDatabase()
    expect(() =>
      temp.db.transaction(() => {
        temp.db.transaction(() => put(temp.db, 'inner'))
        throw new Error('outer fails')
      }),
    ).toThrow('outer fails')
    expect(keys(temp.db)).toEqual([])
  })

  it('refuse work that waits', () => {
    using temp = tempDatabase()
    expect(() =>
      temp.db.transaction(() => {
        put(temp.db, 'a')
        return Promise.resolve()
      }),
    ).toThrow('A transaction is synchronous')
    expect(keys(temp.db)).toEqual([])
  })

  it('tell of the commit after it, and never of what was rolled back', () => {
    using temp = tempDatabase()
    const heard: string[] = []
    temp.db.transaction(() => {
      temp.db.afterCommit(() => heard.push(`outer ${temp.db.inTransaction}`))
      try {
        temp.db.transaction(() => {
          temp.db.afterCommit(() => heard.push('inner'))
          throw new Error('inner fails')
        })
      } catch {
        heard.push('caught')
      }
    })
    expect(heard).toEqual(['caught', 'outer false'])
    temp.db.afterCommit(() => heard.push('at once'))
    expect(heard.at(-1)).toBe('at once')
  })
})

describe('group commit', () => {
  it('commits everybody who waits in one transaction', async () => {
    using temp = tempDatabase()
    const beside = new Sqlite(temp.file, { readonly: true })
    const seen = beside.prepare('select count(*) from settings').pluck()
    const order: string[] = []
    const waiting = Array.from({ length: 100 }, (_, i) =>
      temp.db.commitSoon(() => {
        put(temp.db, `row ${i}`)
        order.push(`${i}: ${seen.get()}`)
        return i
      }),
    )
    expect(order).toEqual([])
    expect(await waiting[0]).toBe(0)
    expect(seen.get()).toBe(100)
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(order).toEqual(Array.from({ length: 100 }, (_, i) => `${i}: 0`))
    beside.close()
  })

  it('rejects the one that fails, undoes what it wrote, and keeps the others', async () => {
    using temp = tempDatabase()
    const results = await Promise.allSettled([
      temp.db.commitSoon(() => put(temp.db, 'first')),
      temp.db.commitSoon(() => {
        put(temp.db, 'half')
        throw new Error('second fails')
      }),
      temp.db.commitSoon(() => put(temp.db, 'first')),
      temp.db.commitSoon(() => put(temp.db, 'last')),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason.message)] : []))).toEqual([
      'second fails',
      'UNIQUE constraint failed: settings.key',
    ])
    expect(keys(temp.db)).toEqual(['first', 'last'])
  })

  it('leaves every other transaction durable when it returns, before and after each of its own', async () => {
    using temp = tempDatabase()
    // PRAGMA synchronous: 1 is normal, 2 is full.
    const level = () => temp.db.get(rawQuery<{ synchronous: number }>('pragma synchronous', []))?.synchronous
    const levels = [level()]
    for (let round = 0; round < 3; round++) {
      levels.push(await temp.db.commitSoon(level))
      levels.push(level())
      await expect(
        temp.db.commitSoon(() => {
          throw new Error('undone')
        }),
      ).rejects.toThrow('undone')
      levels.push(level())
    }
    expect(levels).toEqual([2, 1, 2, 2, 1, 2, 2, 1, 2, 2])
  })

  it('takes more writers than fit into one transaction, in their order', async () => {
    using temp = tempDatabase()
    const order: number[] = []
    await Promise.all(Array.from({ length: 1000 }, (_, i) => temp.db.commitSoon(() => void order.push(i))))
    expect(order).toEqual(Array.from({ length: 1000 }, (_, i) => i))
  })

  it('writes what waits when the database is closed', async () => {
    using temp = tempDatabase()
    const waiting = temp.db.commitSoon(() => put(temp.db, 'last word'))
    temp.db[Symbol.dispose]()
    expect((await waiting).changes).toBe(1)
    using again = Database.open(temp.file)
    expect(keys(again)).toEqual(['last word'])
    await expect(temp.db.commitSoon(() => 1)).rejects.toThrow('The database is closed.')
  })

  it('tells everybody that nothing was written when SQLite gives up the whole transaction', async () => {
    using temp = tempDatabase()
    const results = await Promise.allSettled([
      temp.db.commitSoon(() => put(temp.db, 'a')),
      // Stands in for a full disk, on which SQLite rolls back by itself.
      temp.db.commitSoon(() => temp.db.run({ compile: () => sql`rollback`.compile(temp.db.sql) })),
      temp.db.commitSoon(() => put(temp.db, 'b')),
    ])
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(keys(temp.db)).toEqual([])
    expect((await temp.db.commitSoon(() => put(temp.db, 'c'))).changes).toBe(1)
    expect(keys(temp.db)).toEqual(['c'])
  })
})

describe('the count of changes', () => {
  it('grows with a change, also one that is rolled back or returns rows, and with one of another connection', () => {
    using temp = tempDatabase()
    const { db, file } = temp
    const grows = (work: () => unknown) => {
      const before = db.changeCount
      try {
        work()
      } catch {}
      return db.changeCount > before
    }
    expect(grows(() => put(db, 'a'))).toBe(true)
    expect(grows(() => put(db, 'b'))).toBe(true)
    expect(
      grows(() =>
        db.transaction(() => {
          put(db, 'c')
          throw new Error('undone')
        }),
      ),
    ).toBe(true)
    expect(grows(() => db.all(db.sql.insertInto('settings').values({ key: 'd', value: '1', updatedAt: AT }).returningAll()))).toBe(true)
    expect(grows(() => [...db.each(db.sql.deleteFrom('settings').where('key', '=', 'd').returningAll())])).toBe(true)
    using other = Database.open(file)
    db.changeCount
    expect(grows(() => put(other, 'e'))).toBe(true)
    expect(grows(() => put(other, 'f'))).toBe(true)
  })

  it('stands while nothing is changed but the gateway’s own records', () => {
    using temp = tempDatabase()
    const { db } = temp
    const before = db.changeCount
    keys(db)
    db.transaction(() => keys(db))
    db.run(
      db.sql
        .insertInto('callers')
        .values({ aeTitle: 'CT1', address: '127.0.0.1', calledAeTitle: 'A', attempts: 1, firstAt: AT, lastAt: AT, services: '[]' }),
    )
    db.run(db.sql.updateTable('sessions').set({ lastUsedAt: AT }))
    db.run(db.sql.deleteFrom('sessions'))
    expect(db.changeCount).toBe(before)
    db.run(rawQuery('with gone as (select 1) delete from sessions', []))
    expect(db.changeCount).toBe(before + 1)
  })
})
