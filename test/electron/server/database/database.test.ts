import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { needing } from '../../../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../../../support/open-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'
import { AT, faultOf, keys, put, tempDatabase } from './database-fixture.ts'

describe('a database', () => {
  const WORDS = ['create table words (word text) strict']
  const insert = (word: string) => rawQuery(`insert into words values ('${word}')`, [])
  function tempWords() {
    const temp = tempFolder()
    const file = join(temp.folder, 'words.sqlite')
    const db = Database.open(file, { migrations: WORDS })
    return {
      ...{ db, file, folder: temp.folder },
      words: () =>
        db.all(rawQuery<{ word: string }>('select word from words', [])).map(({ word }) => word),
      [Symbol.dispose]() {
        db[Symbol.dispose]()
        temp[Symbol.dispose]()
      },
    }
  }

  it('gives the first row of a query, or none, and rows one by one while others are read', () => {
    using temp = tempWords()
    const { db } = temp
    const select = rawQuery<{ word: string }>('select word from words order by word', [])
    expect(db.get(select)).toBeUndefined()
    for (const word of ['b', 'a', 'c']) db.run(insert(word))
    expect(db.get(select)).toEqual({ word: 'a' })
    const seen: string[] = []
    for (const { word } of db.each(select))
      for (const { word: inner } of db.each(select)) seen.push(`${word}${inner}`)
    expect(seen).toEqual(['aa', 'ab', 'ac', 'ba', 'bb', 'bc', 'ca', 'cb', 'cc'])
  })

  it('counts the rows of a change, and gives the id of the last one', () => {
    using temp = tempWords()
    expect(temp.db.run(insert('a'))).toEqual({ changes: 1, lastInsertRowid: 1 })
    expect(temp.db.run(insert('b'))).toEqual({ changes: 1, lastInsertRowid: 2 })
    expect(temp.db.run(rawQuery("update words set word = 'x'", []))).toMatchObject({ changes: 2 })
  })

  it('runs more statements than it keeps prepared, and the first ones again', () => {
    using temp = tempWords()
    temp.db.transaction(() => {
      for (let round = 0; round < 2; round++)
        for (let at = 0; at < 300; at++) temp.db.run(insert(`w${at}`))
    })
    expect(temp.words()).toHaveLength(600)
  })

  it('is copied while it is used, and says how many rows the copy must have', async () => {
    using temp = tempDatabase()
    put(temp.db, 'a')
    // More than is copied in one turn of the event loop.
    temp.db.run(
      temp.db.sql
        .insertInto('settings')
        .values({ key: 'b', value: JSON.stringify('x'.repeat(3 << 20)), updatedAt: AT }),
    )
    const [copy, shares] = [`${temp.file}.copy`, [] as number[]]
    const rows = await temp.db.backup(copy, (share) => shares.push(share))
    expect(rows).toEqual({
      ...{
        settings: 2,
        users: 0,
        devices: 0,
        expressCustomers: 0,
        studies: 0,
        reports: 0,
        imageStudies: 0,
        auditEntries: 0,
      },
    })
    using copied = Database.open(copy)
    expect(keys(copied)).toEqual(['a', 'b'])
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares[0]).toBeLessThan(0.1)
    expect(shares.filter((share) => share > 0.1 && share < 0.9)).not.toEqual([])
  })

  it('proves that it can be written to by writing, and changes nothing', () => {
    using temp = tempWords()
    temp.db.run(insert('a'))
    const sizeOfLog = () => statSync(`${temp.file}-wal`).size
    const before = sizeOfLog()
    temp.db.testWrite()
    expect(sizeOfLog()).toBeGreaterThan(before)
    expect(temp.db.get(rawQuery('pragma user_version', []))).toEqual({ user_version: 1 })
    temp.db.run(rawQuery('pragma query_only = on', []))
    expect(() => temp.db.testWrite()).toThrow('readonly')
  })

  it('says that it is closed', () => {
    using temp = tempDatabase()
    temp.db[Symbol.dispose]()
    expect(faultOf(() => keys(temp.db))).toBe('closed: The database is closed.')
    temp.db[Symbol.dispose]()
  })

  it('leaves nothing open when it is closed', async () => {
    using temp = tempWords()
    await temp.db.commitSoon(() => temp.db.run(insert('a')))
    temp.db[Symbol.dispose]()
    if (!hidesOpenFiles)
      await vi.waitFor(() => expect(openFilesIn(temp.folder)).toEqual([]), { timeout: 5000 })
    expect(existsSync(`${temp.file}-wal`)).toBe(false)
    expect(() => temp.db.changeCount).toThrow('The database is closed.')
  })

  // A log on a device that refuses each sync stands in for a disk that fails.
  it(
    'whose log could not be synced says so, and syncs each commit itself from then on',
    needing('linux'),
    async () => {
      using temp = tempWords()
      const { db } = temp
      const level = () =>
        db.get(rawQuery<{ synchronous: number }>('pragma synchronous', []))?.synchronous
      db.run(insert('a'))
      const reported: string[] = []
      db.onWrite(
        (error) => void reported.push(error === undefined ? 'committed' : (error as Error).message),
      )
      rmSync(`${temp.file}-wal`)
      symlinkSync('/dev/null', `${temp.file}-wal`)
      await expect(db.commitSoon(() => db.run(insert('b')))).rejects.toThrow('EINVAL')
      expect(reported.at(-1)).toContain('EINVAL')
      // PRAGMA synchronous: 1 is normal, 2 is full.
      expect(await db.commitSoon(level)).toBe(2)
      expect(await db.commitSoon(() => db.run(insert('c')))).toMatchObject({ changes: 1 })
      expect(temp.words()).toContain('c')
    },
  )
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
    expect(
      grows(() =>
        db.all(
          db.sql
            .insertInto('settings')
            .values({ key: 'd', value: '1', updatedAt: AT })
            .returningAll(),
        ),
      ),
    ).toBe(true)
    expect(
      grows(() => [
        ...db.each(db.sql.deleteFrom('settings').where('key', '=', 'd').returningAll()),
      ]),
    ).toBe(true)
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
    expect([...db.each(db.sql.selectFrom('settings').select('key'))]).toEqual([])
    db.run(
      db.sql.insertInto('callers').values({
        aeTitle: 'CT1',
        address: '127.0.0.1',
        calledAeTitle: 'A',
        attempts: 1,
        firstAt: AT,
        lastAt: AT,
        services: '[]',
      }),
    )
    db.run(db.sql.updateTable('sessions').set({ lastUsedAt: AT }))
    db.run(db.sql.deleteFrom('sessions'))
    expect(db.changeCount).toBe(before)
    db.run(rawQuery('with gone as (select 1) delete from sessions', []))
    expect(db.changeCount).toBe(before + 1)
  })
})
