import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { ownEvents } from '#server/database/migrations/0026-own-events.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { findEvent, listEvents } from '#server/modules/events/queries.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const EVENT = `whe_${'0'.repeat(31)}1`

it('gives no key of an older data folder a right, and shows its events to no key', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(ownEvents))
  Database.open(file, { migrations: before })[Symbol.dispose]()
  const raw = new Sqlite(file)
  raw.exec(`
    insert into apiKeys (apiKeyId, keyHash, last4, description, isViewerEnabled, scope, createdAt)
    values ('k1', '${'a'.repeat(64)}', 'aaaa', '', 1, 'all', '${AT}');
    insert into events (eventId, type, subject, state, outcome, createdAt, updatedAt)
    values ('${EVENT}', 'report.delivered', 'rep_1', 'done', 'accepted', '${AT}', '${AT}');
  `)
  raw.close()

  using database = Database.open(file)
  expect(findApiKey(database, 'k1')).toMatchObject({
    ...{ eventAccess: 'none', seesClinicEvents: false, managesEndpoints: false },
  })
  expect(findEvent(database, EVENT)?.eventId).toBe(EVENT)
  expect(findEvent(database, EVENT, ['k1', 'clinic'])).toBeUndefined()
  const query = { show: 'all', limit: 10 } as const
  expect(listEvents(database, query).items).toHaveLength(1)
  expect(listEvents(database, { ...query, owners: ['k1', 'clinic'] }).items).toEqual([])
})
