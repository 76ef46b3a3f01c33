import { describe, expect, it } from 'vitest'
import {
  deleteSecret,
  hasSecret,
  readSecret,
  storeSecret,
} from '#server/configuration/secret-queries.ts'
import { sealWith } from '#server/database/encryption.ts'
import { matchesKey } from '#server/database/key-proof.ts'
import { tempStore } from '../../../support/temp-store.ts'

describe('secrets', () => {
  it('are kept by name, replaced, and removed', () => {
    using temp = tempStore()

    expect([
      hasSecret(temp.store, 'a'),
      readSecret(temp.store, 'a'),
      deleteSecret(temp.store, 'a'),
    ]).toEqual([false, undefined, false])
    storeSecret(temp.store, 'a', 'one')
    storeSecret(temp.store, 'b', 'two')
    storeSecret(temp.store, 'a', 'three ✓')
    expect([
      hasSecret(temp.store, 'a'),
      readSecret(temp.store, 'a'),
      readSecret(temp.store, 'b'),
    ]).toEqual([true, 'three ✓', 'two'])
    expect([
      deleteSecret(temp.store, 'a'),
      readSecret(temp.store, 'a'),
      readSecret(temp.store, 'b'),
    ]).toEqual([true, undefined, 'two'])
  })

  it('are sealed for their name, with the time they were set', () => {
    using temp = tempStore()
    const { database } = temp.store
    storeSecret(temp.store, 'a', 'seven calm otters')
    temp.clock.pass(1000)
    storeSecret(temp.store, 'b', 'other')
    const rows = database.all(database.sql.selectFrom('secrets').selectAll().orderBy('name'))
    expect(rows.map(({ updatedAt }) => updatedAt)).toEqual([
      '2026-03-10T09:00:00.000Z',
      '2026-03-10T09:00:01.000Z',
    ])
    expect(rows[0]?.sealed.includes('otters')).toBe(false)
    const sealed = rows[0]?.sealed ?? Buffer.alloc(0)
    database.run(database.sql.updateTable('secrets').set({ sealed }).where('name', '=', 'b'))
    expect(readSecret(temp.store, 'a')).toBe('seven calm otters')
    expect(() => readSecret(temp.store, 'b')).toThrow(
      expect.objectContaining({ fault: 'seal-broken' }),
    )
  })
})

describe('the key of a database', () => {
  const own = sealWith(Buffer.alloc(32, 7))
  const sealedBy = (seal: typeof own, context: string) => ({
    sealed: seal.seal(Buffer.from('x'), context),
    context,
  })
  const foreign = sealWith(Buffer.alloc(32, 8))

  /** Answers queries as a database with these tables does, each with one row or none. */
  const database = (tables: Readonly<Record<string, object | undefined>>) => (sql: string) => {
    const schema = /sqlite_schema where type = 'table' and name = '(\w+)'/.exec(sql)?.[1]
    if (schema !== undefined) return Object.hasOwn(tables, schema) ? { 1: 1 } : undefined
    return tables[/ from (\w+)/.exec(sql)?.[1] ?? '']
  }

  it.each([
    ['without tables', {}, undefined],
    [
      'with nothing sealed',
      { secrets: undefined, auditHead: undefined, auditEntries: undefined },
      undefined,
    ],
    ['with a secret', { secrets: sealedBy(own, 'a') }, true],
    ['with a secret under another key', { secrets: sealedBy(foreign, 'a') }, false],
    ['with audit entries alone', { secrets: undefined, auditEntries: sealedBy(own, 'a') }, true],
    [
      'whose secret was tampered with',
      { secrets: sealedBy(foreign, 'a'), auditHead: sealedBy(own, 'b') },
      true,
    ],
    [
      'whose audit log was tampered with',
      { secrets: sealedBy(own, 'a'), auditHead: sealedBy(foreign, 'b') },
      true,
    ],
  ])('%s fits: %s', (_, tables, expected) => {
    expect(matchesKey(database(tables), own)).toBe(expected)
  })

  it('is not judged by a fault that has nothing to do with it', () => {
    const broken = {
      open: () => {
        throw new TypeError('no memory')
      },
    }
    expect(() => matchesKey(database({ secrets: sealedBy(own, 'a') }), broken)).toThrow(TypeError)
  })
})
