import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS, rights } from '#server/database/migrations.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { findSession } from '#server/modules/users/session-queries.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const HASH = 'a'.repeat(64)

/**
 * Name, level, password (null: has not accepted), access to the window, and the right afterwards.
 */
const PEOPLE = [
  ['owner', 'owner', 'hash', 1, 'owner'],
  ['administrator', 'admin', 'hash', 1, 'admin'],
  ['member', 'member', 'hash', 1, 'member'],
  ['invited', 'admin', null, 1, 'member'],
  ['without the window', 'admin', 'hash', 0, 'member'],
] as const

it('leaves the right to whoever had it, gives it to nobody, and keeps the level that partners read', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  Database.open(file, { migrations: MIGRATIONS.slice(0, MIGRATIONS.indexOf(rights)) })[
    Symbol.dispose
  ]()
  const raw = new Sqlite(file)
  const person = raw.prepare(`
    insert into users (userId, email, emailKey, firstName, lastName, level, clinicRole, canManageStudies,
      canCreateReports, hasDashboardAccess, passwordHash, invitedSource, createdAt, updatedAt)
    values (?, ?, ?, 'A', 'B', ?, 'Other', 1, 1, ?, ?, 'api', '${AT}', '${AT}')
  `)
  for (const [name, level, password, access] of PEOPLE)
    person.run(`usr_${name}`, name, name, level, access, password)
  const key = raw.prepare(`
    insert into apiKeys (apiKeyId, keyHash, last4, description, isViewerEnabled, scope, createdAt, revokedAt)
    values (?, ?, 'aaaa', '', 1, 'self', '${AT}', ?)
  `)
  key.run('live', HASH, null)
  key.run('revoked', HASH.replaceAll('a', 'b'), AT)
  raw.exec(`
    insert into sessions (tokenHash, sessionId, userId, createdAt, lastUsedAt, expiresAt)
    values ('${HASH}', 's1', 'usr_owner', '${AT}', '${AT}', '${AT}')
  `)
  raw.close()

  using db = Database.open(file)
  for (const [name, level, , , right] of PEOPLE)
    expect([name, findUser(db, `usr_${name}`)]).toMatchObject([
      name,
      { level: right, interfaceLevel: level },
    ])
  expect([findApiKey(db, 'live')?.managesPeople, findApiKey(db, 'revoked')?.managesPeople]).toEqual(
    [true, false],
  )
  expect(findSession(db, HASH)?.confirmedAt).toBeNull()
})
