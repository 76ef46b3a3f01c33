import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T09:00:00.000Z'
const ROWS = {
  users: `insert into users (userId, email, emailKey, firstName, lastName, level, clinicRole, canManageStudies, canCreateReports,
      hasDashboardAccess, passwordHash, invitedSource, createdAt, updatedAt)
    values ('usr_1', 'o@clinic.example', 'o@clinic.example', 'O', 'O', 'owner', 'Other', 1, 1, 1, 'hash', 'dashboard', '${AT}', '${AT}')`,
  devices: `insert into devices (deviceId, aeTitle, name, isEnabled, stationMode, alwaysSendCharacterSet, createdAt, updatedAt)
    values ('d1', 'CT1', '', 1, 'echo', 0, '${AT}', '${AT}')`,
  endpoints: `insert into endpoints (endpointId, url, events, allowsPlaintext, createdAt, updatedAt)
    values ('e1', 'https://partner.example/', '[]', 0, '${AT}', '${AT}')`,
}

function settingAfter(rows: readonly (keyof typeof ROWS)[]): string | undefined {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  Database.open(file, { migrations: MIGRATIONS.slice(0, 8) })[Symbol.dispose]()
  const old = new Sqlite(file)
  for (const row of rows) old.exec(ROWS[row])
  old.close()
  using db = Database.open(file)
  return db.get(db.sql.selectFrom('settings').select('value').where('key', '=', 'setup.isDone'))
    ?.value
}

it('asks no clinic that works already to go through the wizard', () => {
  expect(settingAfter(['users', 'devices', 'endpoints'])).toBe('true')
})

it('asks a new installation, and one that lacks the most needed', () => {
  expect(settingAfter([])).toBeUndefined()
  expect(settingAfter(['users', 'devices'])).toBeUndefined()
  expect(settingAfter(['users', 'endpoints'])).toBeUndefined()
})
