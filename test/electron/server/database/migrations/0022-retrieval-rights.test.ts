import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS, retrievalRights } from '#server/database/migrations.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { findDevice } from '#server/modules/devices/device-queries.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'

it('gives no device and no key of an older data folder a right', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(retrievalRights))
  Database.open(file, { migrations: before })[Symbol.dispose]()
  const raw = new Sqlite(file)
  raw.exec(`
    insert into devices (deviceId, aeTitle, name, isEnabled, stationMode, alwaysSendCharacterSet, createdAt, updatedAt)
    values ('d1', 'CT1', '', 1, 'echo', 0, '${AT}', '${AT}');
    insert into apiKeys (apiKeyId, keyHash, last4, description, isViewerEnabled, scope, createdAt)
    values ('k1', '${'a'.repeat(64)}', 'aaaa', '', 1, 'self', '${AT}');
  `)
  raw.close()

  using database = Database.open(file)
  expect([findDevice(database, 'd1')?.retrieval, findApiKey(database, 'k1')?.dicomweb]).toEqual([
    'none',
    'none',
  ])
  // The rule of `api-keys.ts` also holds in the database.
  const raws = new Sqlite(file)
  expect(() => raws.exec(`update apiKeys set dicomweb = 'read'`)).toThrow(/CHECK/)
  raws.close()
})
