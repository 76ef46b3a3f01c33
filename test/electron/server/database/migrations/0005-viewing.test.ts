import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { rawQuery } from '#server/database/query.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T09:00:00.000Z'
const [LINK, OTHER] = ['a'.repeat(64), 'b'.repeat(64)]

/**
 * A database as the fourth release left it, with a study, a link that was used and one that was
 * not.
 */
function fourth(file: string): void {
  Database.open(file, { migrations: MIGRATIONS.slice(0, 4) })[Symbol.dispose]()
  const old = new Sqlite(file)
  old.exec(`
    insert into studies (studyId, area, studyInstanceUid, studyDescription, descriptionFolded, severity, status, createdAt, updatedAt)
      values ('stu_1', 'viewer', '1.2.3', 'CT', 'ct', 'normal', 'incomplete', '${AT}', '${AT}');
    insert into links values ('${LINK}', 'viewer', 'viewer', 'stu_1', null, null, null, null, '${AT}', '${AT}', '${AT}');
    insert into links values ('${OTHER}', 'viewer', 'viewer', 'stu_1', null, null, null, null, '${AT}', '${AT}', null);
  `)
  old.close()
}

const view = {
  tokenHash: LINK,
  kind: 'viewer',
  area: 'viewer',
  studyId: 'stu_1',
  studyInstanceUid: '1.2.3',
  userId: null,
} as const
const by = {
  createdByApiKeyId: null,
  createdByUserId: null,
  sealedSession: null,
  createdAt: AT,
  lastUsedAt: AT,
  expiresAt: AT,
}

describe('the fifth schema', () => {
  it('keeps the studies and links of the fourth, none of them revoked', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    fourth(file)
    using db = Database.open(file)
    expect(
      db.all(
        db.sql
          .selectFrom('links')
          .select(['tokenHash', 'studyId', 'usedAt', 'revokedAt'])
          .orderBy('tokenHash'),
      ),
    ).toEqual([
      { tokenHash: LINK, studyId: 'stu_1', usedAt: AT, revokedAt: null },
      { tokenHash: OTHER, studyId: 'stu_1', usedAt: null, revokedAt: null },
    ])
    for (const table of ['views', 'viewFiles', 'annotations', 'captures'] as const)
      expect(db.all(db.sql.selectFrom(table).selectAll())).toEqual([])
    db.run(db.sql.insertInto('views').values({ viewId: 'v1', ...view, ...by }))
    expect(db.get(rawQuery('pragma user_version', []))).toEqual({ user_version: MIGRATIONS.length })
  })

  it('takes no view that is of nothing, of two things, or for nobody where it is for somebody', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    fourth(file)
    using db = Database.open(file)
    const insert = (differs: object) => () =>
      db.run(db.sql.insertInto('views').values({ viewId: 'v1', ...view, ...by, ...differs }))
    for (const differs of [
      { kind: 'other' },
      { studyId: null },
      { studyInstanceUid: null },
      { area: null },
      { kind: 'reroute', area: 'scribe' },
      { kind: 'window' },
      { kind: 'ephemeral', sealedSession: Buffer.of(1) },
      { kind: 'ephemeral', studyId: null, studyInstanceUid: null },
      { sealedSession: Buffer.of(1) },
      { expiresAt: 'tomorrow' },
      { tokenHash: 'abc' },
    ])
      expect(insert(differs), JSON.stringify(differs)).toThrow('CHECK constraint failed')
    expect(insert({ studyId: 'stu_2' })).toThrow('FOREIGN KEY constraint failed')
    insert({})()
    expect(insert({ viewId: 'v2' })).toThrow('UNIQUE constraint failed')
  })

  it('leaves the answers of the interface as they were while images are looked at', () => {
    using temp = tempFolder()
    using db = Database.open(join(temp.folder, 'gateway.sqlite'))
    const before = db.changeCount
    for (const text of [
      'update views set lastUsedAt = lastUsedAt',
      'delete from "viewFiles"',
      'delete from annotations',
      'update captures set attempts = attempts',
    ])
      db.all(rawQuery(`${text} returning 1`, []))
    expect(db.changeCount).toBe(before)
  })
})
