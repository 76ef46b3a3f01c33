import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { findSession } from '#server/modules/users/session-queries.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'

it('leaves people signed in: a session of before gets a name of its own, and is not locked', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  Database.open(file, { migrations: MIGRATIONS.slice(0, 6) })[Symbol.dispose]()
  const raw = new Sqlite(file)
  const ids = ['a', 'b'].map((letter) => letter.repeat(64))
  raw.exec(`
    insert into users (userId, email, emailKey, firstName, lastName, level, clinicRole, canManageStudies, canCreateReports,
      hasDashboardAccess, passwordHash, invitedSource, createdAt, updatedAt)
    values ('usr_1', 'o@clinic.example', 'o@clinic.example', 'O', 'O', 'owner', 'Other', 1, 1, 1, 'hash', 'dashboard', '${AT}', '${AT}')
  `)
  for (const id of ids)
    raw
      .prepare(
        'insert into sessions (tokenHash, userId, createdAt, lastUsedAt, expiresAt) values (?, ?, ?, ?, ?)',
      )
      .run(id, 'usr_1', AT, AT, AT)
  raw.close()

  using db = Database.open(file)
  const [first, second] = ids.map((id) => findSession(db, id))
  expect(first).toMatchObject({
    browser: '',
    address: '',
    workstationId: null,
    lockedAt: null,
    wrongPasswords: 0,
  })
  expect(first?.sessionId).toMatch(/^[0-9a-f]{32}$/)
  expect(second?.sessionId).not.toBe(first?.sessionId)
})
