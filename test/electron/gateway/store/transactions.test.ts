import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { Database } from '#gateway/store/database.ts'
import { rawQuery } from '#gateway/store/raw-query.ts'
import { keys, put, tempDatabase } from './database-fixture.ts'

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

  it('tell of what an inner one did once the outer has committed', () => {
    using temp = tempDatabase()
    const heard: string[] = []
    temp.db.transaction(() => {
      temp.db.transaction(() => temp.db.afterCommit(() => heard.push('inner')))
      heard.push('outer goes on')
    })
    expect(heard).toEqual(['outer goes on', 'inner'])
  })

  it('fail with the fault itself where SQLite has rolled them back already', () => {
    using temp = tempDatabase()
    expect(() =>
      temp.db.transaction(() => {
        put(temp.db, 'a')
        rollBack(temp.db)
        throw new Error('the disk is full')
      }),
    ).toThrow('the disk is full')
    expect(keys(temp.db)).toEqual([])
  })
})

/** Stands in for a full disk, on which SQLite rolls back by itself. */
const rollBack = (db: Database) => db.run({ compile: () => sql`rollback`.compile(db.sql) })

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
      temp.db.commitSoon(() => rollBack(temp.db)),
      temp.db.commitSoon(() => put(temp.db, 'b')),
    ])
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(keys(temp.db)).toEqual([])
    expect((await temp.db.commitSoon(() => put(temp.db, 'c'))).changes).toBe(1)
    expect(keys(temp.db)).toEqual(['c'])
  })
})
