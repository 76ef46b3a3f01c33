import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { rawQuery } from '#server/database/query.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'

it('keeps why an endpoint is off: by a person, or since its address was gone', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'gateway.sqlite')
  Database.open(file, { migrations: MIGRATIONS.slice(0, 7) })[Symbol.dispose]()
  const old = new Sqlite(file)
  const insert =
    old.prepare(`insert into endpoints (endpointId, url, events, allowsPlaintext, createdAt, updatedAt, disabledReason)
    values (?, 'https://partner.example/', '[]', 0, '${AT}', '${AT}', ?)`)
  insert.run('a', 'It was switched off here.')
  insert.run('b', 'It answered a report with 410: this address is no longer used.')
  insert.run('c', null)
  old.close()

  using db = Database.open(file)
  const rows = db.all(
    rawQuery<{ reason: string | null }>(
      'select disabledReason as reason from endpoints order by endpointId',
      [],
    ),
  )
  expect(rows.map(({ reason }) => reason)).toEqual(['person', 'gone', null])
})
