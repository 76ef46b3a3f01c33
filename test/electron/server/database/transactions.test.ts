import { statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { AT, keys, put, tempDatabase } from './database-fixture.ts'

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

  it('undo all of themselves where one inside them was undone before', () => {
    using temp = tempDatabase()
    temp.db.transaction(() => {
      put(temp.db, 'outer')
      expect(() =>
        temp.db.transaction(() => {
          put(temp.db, 'middle')
          expect(() =>
            temp.db.transaction(() => {
              throw new Error('inner fails')
            }),
          ).toThrow('inner fails')
          throw new Error('middle fails')
        }),
      ).toThrow('middle fails')
    })
    expect(keys(temp.db)).toEqual(['outer'])
  })

  it('keep other writers out from their start: what they have read is true until they write', () => {
    using temp = tempDatabase()
    const other = new Sqlite(temp.file, { timeout: 0 })
    temp.db.transaction(() => {
      expect(keys(temp.db)).toEqual([])
      expect(() => other.exec('begin immediate')).toThrow('database is locked')
    })
    other.exec('begin immediate; rollback')
    other.close()
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

describe('what became of the writes', () => {
  /** What the database reports of them from now on. */
  function reported(db: Database): string[] {
    const heard: string[] = []
    db.onWrite(
      (error) => void heard.push(error === undefined ? 'committed' : (error as Error).message),
    )
    return heard
  }

  it('is reported after each commit that wrote something, not before it', () => {
    using temp = tempDatabase()
    const { db } = temp
    const heard = reported(db)
    put(db, 'a')
    expect(heard).toEqual(['committed'])
    db.transaction(() => {
      put(db, 'b')
      db.transaction(() => put(db, 'c'))
      expect(heard).toEqual(['committed'])
    })
    expect(heard).toEqual(['committed', 'committed'])
    const insert = db.sql
      .insertInto('settings')
      .values({ key: 'd', value: '1', updatedAt: AT })
      .returning('key')
    expect(db.transaction(() => [...db.each(insert)])).toEqual([{ key: 'd' }])
    expect(heard).toEqual(['committed', 'committed', 'committed'])
  })

  it('is not reported of a transaction that only read', () => {
    using temp = tempDatabase()
    put(temp.db, 'a')
    const heard = reported(temp.db)
    temp.db.transaction(() => {
      keys(temp.db)
      expect([...temp.db.each(temp.db.sql.selectFrom('settings').select('key'))]).toEqual([
        { key: 'a' },
      ])
    })
    expect(heard).toEqual([])
  })

  it('is reported with the error of a write or a transaction that failed', () => {
    using temp = tempDatabase()
    put(temp.db, 'a')
    const heard = reported(temp.db)
    const fault = 'UNIQUE constraint failed: settings.key'
    expect(() => put(temp.db, 'a')).toThrow(fault)
    expect(heard).toEqual([fault])
    expect(() =>
      temp.db.transaction(() => {
        put(temp.db, 'b')
        throw new Error('undone')
      }),
    ).toThrow('undone')
    expect(heard).toEqual([fault, 'undone'])
  })

  it('is no error where the database is closed while writers wait', async () => {
    using temp = tempDatabase()
    const heard = reported(temp.db)
    const waiting = Array.from({ length: 300 }, (_, i) =>
      temp.db.commitSoon(() => put(temp.db, `row ${i}`)),
    )
    temp.db[Symbol.dispose]()
    await Promise.all(waiting)
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(new Set(heard)).toEqual(new Set(['committed']))
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
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(
      results.flatMap((result) =>
        result.status === 'rejected' ? [String(result.reason.message)] : [],
      ),
    ).toEqual(['second fails', 'UNIQUE constraint failed: settings.key'])
    expect(keys(temp.db)).toEqual(['first', 'last'])
  })

  it('leaves every other transaction durable when it returns, before and after each of its own', async () => {
    using temp = tempDatabase()
    // PRAGMA synchronous: 1 is normal, 2 is full.
    const level = () =>
      temp.db.get(rawQuery<{ synchronous: number }>('pragma synchronous', []))?.synchronous
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
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) => temp.db.commitSoon(() => void order.push(i))),
    )
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

  it('answers those who wait before the database is closed: the process may end then', async () => {
    using temp = tempDatabase()
    let isAnswered = false
    void temp.db
      .commitSoon(() => put(temp.db, 'last word'))
      .then(() => {
        isAnswered = true
      })
    temp.db[Symbol.dispose]()
    // Without another turn of the event loop.
    for (let turn = 0; turn < 20; turn++) await null
    expect(isAnswered).toBe(true)
  })

  it('takes no turn of the event loop while nobody waits', async () => {
    using temp = tempDatabase()
    using turns = vi.spyOn(globalThis, 'setImmediate')
    await temp.db.commitSoon(() => put(temp.db, 'a'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(turns).toHaveBeenCalledTimes(1)
  })

  it('leaves an empty log where another connection is open when the database is closed', () => {
    using temp = tempDatabase()
    const beside = new Sqlite(temp.file, { readonly: true })
    put(temp.db, 'a')
    expect(beside.prepare('select count(*) from settings').pluck().get()).toBe(1)
    expect(statSync(`${temp.file}-wal`).size).toBeGreaterThan(0)
    temp.db[Symbol.dispose]()
    expect(statSync(`${temp.file}-wal`).size).toBe(0)
    beside.close()
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
