import { describe, expect, it } from 'vitest'
import { rawQuery, withFixedPlan } from '#server/database/query.ts'
import { tempDatabase } from './database-fixture.ts'

describe('a statement with a fixed plan', () => {
  const fixed = (sql: string) => withFixedPlan(sql, new Set(['state', 'where']))

  it('has a unary plus before what is compared by =, and before a limit', () => {
    expect(fixed('select * from a where b = ? and c.d = ? and "e"."f" = ? limit ?')).toBe(
      'select * from a where b = +? and c.d = +? and "e"."f" = +? limit +?',
    )
  })

  it('compares a column of a partial index as it is, whose value may tell that the index applies', () => {
    const sql = 'select * from a where a.state = ? and "state" = ?'
    expect(fixed(sql)).toBe(sql)
  })

  it('is otherwise as it was', () => {
    const sql = `insert into a values (?, ?) on conflict do update set b = excluded.b where c > ? and d in (?)`
    expect(fixed(sql)).toBe(sql)
  })

  it('uses the same indexes, of partial ones too, and finds the same', () => {
    using temp = tempDatabase()
    const { db } = temp
    const planOf = (sql: string, ...values: unknown[]) =>
      db
        .all(rawQuery<{ detail: string }>(`explain query plan ${sql}`, values))
        .map(({ detail }) => detail)
        .join('\n')
    expect(planOf('select * from instances where file = ?', 'x')).toContain('USING INDEX')
    expect(
      planOf(`select * from instances where sopInstanceUid = ? and state = 'current'`, '1.2'),
    ).toContain('instancesCurrent (sopInstanceUid=?)')
    const select = rawQuery<{ one: unknown }>('select 1 as one where ? = ? limit ?', ['a', 'a', 1])
    expect(db.all(select)).toEqual([{ one: 1 }])
    for (const value of ['a', 1, 1.5, null, Buffer.from('b')])
      expect(
        db.get(rawQuery('select value from (select ? as value) where value is ?', [value, value])),
      ).toEqual({ value })
  })
})
