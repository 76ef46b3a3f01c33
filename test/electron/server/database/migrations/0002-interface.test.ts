import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { init } from '#server/database/migrations/0001-init.ts'
import { facetOf } from '#server/modules/studies/study-facet.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { REPORT_STUDY_STATUSES, VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { tempFolder, tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const TOKEN = 'a'.repeat(64)

/** A database as the first release left it, with a user who is signed in and a key. */
function first(file: string): void {
  Database.open(file, { migrations: [init] })[Symbol.dispose]()
  const old = new Sqlite(file)
  old.exec(`
    insert into users values ('usr_1', 'Eva@clinic.example', 'eva@clinic.example', 'Eva', 'Kern', 'owner', 'Other', 1, 0, 1, 'scrypt', '${AT}', '${AT}', '${AT}', null);
    insert into users values ('usr_2', 'ivo@clinic.example', 'ivo@clinic.example', 'Ivo', 'Horák', 'member', 'Nurse Practitioner', 0, 1, 1, 'scrypt2', '${AT}', '${AT}', null, '${AT}');
    insert into sessions values ('${TOKEN}', 'usr_1', '${AT}', '${AT}', '${AT}');
    insert into signInLinks values ('${TOKEN}', 'sign-in', 'usr_1', '${AT}', '${AT}', null);
    insert into apiKeys values ('k1', '${TOKEN}', 'aaaa', 'RIS', 1, 'self', '${AT}', null, null);
  `)
  old.close()
}

describe('the second schema', () => {
  it('keeps the users, keys, sessions and links of the first', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    first(file)
    using db = Database.open(file)
    const users = db.all(db.sql.selectFrom('users').selectAll().orderBy('userId'))
    expect(
      users.map(({ userId, firstName, passwordHash, canCreateReports, lastLoginAt }) => [
        userId,
        firstName,
        passwordHash,
        canCreateReports,
        lastLoginAt,
      ]),
    ).toEqual([
      ['usr_1', 'Eva', 'scrypt', 0, AT],
      ['usr_2', 'Ivo', 'scrypt2', 1, null],
    ])
    expect(users[1]).toMatchObject({
      middleName: null,
      npiNumber: null,
      invitedSource: 'dashboard',
      deactivatedAt: AT,
    })
    expect(db.all(db.sql.selectFrom('sessions').select('userId'))).toEqual([{ userId: 'usr_1' }])
    expect(db.all(db.sql.selectFrom('signInLinks').select('userId'))).toEqual([{ userId: 'usr_1' }])
    expect(db.get(db.sql.selectFrom('apiKeys').selectAll())).toMatchObject({
      apiKeyId: 'k1',
      scope: 'self',
      oldKeyHash: null,
    })
  })

  it('still refuses a session of nobody, and to take away a user who has one', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    first(file)
    using db = Database.open(file)
    const session = {
      ...{
        tokenHash: 'b'.repeat(64),
        sessionId: 'b',
        userId: 'usr_9',
        createdAt: AT,
        lastUsedAt: AT,
        expiresAt: AT,
      },
      ...{ browser: '', address: '', wrongPasswords: 0 },
    }
    expect(() => db.run(db.sql.insertInto('sessions').values(session))).toThrow(
      'FOREIGN KEY constraint failed',
    )
    expect(() => db.run(db.sql.deleteFrom('users').where('userId', '=', 'usr_1'))).toThrow(
      'FOREIGN KEY constraint failed',
    )
  })

  it('counts the facet of a study as the store does', () => {
    using temp = tempStore()
    const { database } = temp.store
    const expected: number[] = []
    for (const [area, statuses] of Object.entries({
      viewer: VIEWER_STATUSES,
      scribe: REPORT_STUDY_STATUSES,
    }))
      for (const status of statuses)
        for (const severity of SEVERITIES)
          for (const cancelledAt of [null, AT]) {
            const of = `${expected.length}`
            database.run(
              database.sql.insertInto('studies').values({
                ...{
                  studyId: `stu_${of}`,
                  area,
                  status,
                  severity,
                  cancelledAt,
                  studyInstanceUid: `1.2.${of}`,
                },
                ...{
                  studyDescription: 'CT',
                  descriptionFolded: 'ct',
                  assignedTo: null,
                  expressCustomerId: null,
                  sealedDetail: null,
                },
                ...{ createdByApiKeyId: null, createdByUserId: null, createdAt: AT, updatedAt: AT },
              }),
            )
            expected.push(facetOf(status, severity, cancelledAt !== null))
          }
    expect(
      database
        .all(database.sql.selectFrom('studies').select('facet').orderBy('seq'))
        .map(({ facet }) => facet),
    ).toEqual(expected)
    expect(new Set(expected).size).toBe(42)
  })

  it('refuses a status of the other area and a UID twice in one', () => {
    using temp = tempStore()
    const { database } = temp.store
    const row = {
      ...{
        studyId: 'stu_1',
        area: 'viewer',
        status: 'incomplete',
        severity: 'stat',
        cancelledAt: null,
        studyInstanceUid: '1.2',
      },
      ...{
        studyDescription: 'CT',
        descriptionFolded: 'ct',
        assignedTo: null,
        expressCustomerId: null,
        sealedDetail: null,
      },
      ...{ createdByApiKeyId: null, createdByUserId: null, createdAt: AT, updatedAt: AT },
    }
    const insert = (more: object) => () =>
      database.run(database.sql.insertInto('studies').values({ ...row, ...more }))
    expect(insert({ status: 'assigned' })).toThrow('CHECK constraint failed')
    expect(insert({ studyInstanceUid: '1.2a' })).toThrow('CHECK constraint failed')
    expect(insert({ createdAt: '2026-03-10' })).toThrow('CHECK constraint failed')
    expect(insert({ assignedTo: 'usr_9' })).toThrow('FOREIGN KEY constraint failed')
    insert({})()
    expect(insert({ studyId: 'stu_2' })).toThrow('UNIQUE constraint failed')
    insert({ studyId: 'stu_2', area: 'scribe', status: 'assigned' })()
  })
})
