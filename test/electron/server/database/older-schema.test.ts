import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { Database } from '#server/database/database.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import {
  DERIVED_TABLES,
  unsupportedRowsIn,
  writeOlderSchema,
} from '#server/database/older-schema.ts'
import { goldenFolder } from '../../../support/golden.ts'
import { faultsOf, lost, reading, rowsIn, schemaOf } from '../../../support/golden-checks.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const NEWEST = MIGRATIONS.length
/** Older ones lack rights that every account and API key has since. */
const OLDEST = 15
const SCHEMAS = Array.from({ length: NEWEST - OLDEST }, (_, index) => OLDEST + index)

/** A folder of the schema, brought up to date. */
function updated(schema: number) {
  const temp = tempFolder()
  const data = join(temp.folder, 'data')
  const file = goldenFolder(data, schema)
  const before = rowsIn(file)
  openContext({ folder: data })[Symbol.dispose]()
  return {
    ...{ data, file, before, older: join(temp.folder, 'older.sqlite') },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

function change(file: string, sql: string): void {
  const sqlite = new Sqlite(file)
  sqlite.exec(sql)
  sqlite.close()
}

const objectsOf = (file: string) =>
  reading(file, (sqlite) =>
    sqlite
      .prepare(
        "select name, sql from sqlite_schema where name not like 'sqlite_%' and sql is not null order by name",
      )
      .all(),
  )

/** Tables since then whose rows come from people, devices and partners: none may be lost. */
const OWN: readonly string[] = [
  'auditSending',
  'confirmationItems',
  'confirmations',
  'criticalEscalations',
  'erasures',
  'fileRemovals',
  'formerTierStudies',
  'foundVersions',
  'hangingProtocols',
  'instanceCopies',
  'legalHolds',
  'lifecycleRules',
  'movedPlaces',
  'tierCopies',
  'tierMigrations',
  'tierRecalls',
  'tiers',
  'userIdentities',
]

const tablesOf = (schema: number): string[] => {
  const sqlite = new Sqlite(':memory:')
  for (const migration of MIGRATIONS.slice(0, schema)) sqlite.exec(migration)
  const tables = sqlite
    .prepare(
      `select name from sqlite_schema t where type = 'table' and name not like 'sqlite_%'
        and not exists (select 1 from sqlite_schema v where v.sql like 'create virtual%'
          and (t.name = v.name or t.name like v.name || '!_%' escape '!')) order by name`,
    )
    .pluck()
    .all() as string[]
  sqlite.close()
  return tables
}

it('has every newer table in DERIVED_TABLES or OWN', () => {
  const newest = tablesOf(NEWEST)
  const before = tablesOf(OLDEST)
  const later = newest.filter((table) => !before.includes(table))
  // Rows of a table that is in neither list would refuse the way back without need, or be lost.
  expect(later.filter((table) => !DERIVED_TABLES.includes(table) && !OWN.includes(table))).toEqual(
    [],
  )
  expect(DERIVED_TABLES.filter((table) => OWN.includes(table) || !newest.includes(table))).toEqual(
    [],
  )
  expect(OWN.filter((table) => !later.includes(table))).toEqual([])
})

describe('writeOlderSchema', () => {
  it.each(SCHEMAS)('gives schema %i all rows, as the version of then left them', (schema) => {
    using on = updated(schema)
    expect(writeOlderSchema(on.file, on.older, schema)).toEqual([])
    expect(schemaOf(on.older)).toBe(schema)
    expect(faultsOf(on.older)).toEqual([])
    expect(lost(on.before, rowsIn(on.older))).toEqual([])
    expect(lost(rowsIn(on.older), rowsIn(on.file))).toEqual([])
    // The version of then opens it, and the one of now brings it up to date again.
    const migrations = MIGRATIONS.slice(0, schema)
    Database.open(on.older, { migrations })[Symbol.dispose]()
    const fresh = `${on.older}.fresh`
    Database.open(fresh, { migrations })[Symbol.dispose]()
    expect(objectsOf(on.older)).toEqual(objectsOf(fresh))
    Database.open(on.older)[Symbol.dispose]()
    expect(schemaOf(on.older)).toBe(NEWEST)
    expect(lost(on.before, rowsIn(on.older))).toEqual([])
  })

  it('refuses where a value has no column, and leaves no file', () => {
    using on = updated(21)
    change(on.file, "update devices set retrieval = 'retrieve'")
    const devices = on.before.devices?.length ?? 0
    expect(devices).toBeGreaterThan(0)
    const unheld = [{ table: 'devices', column: 'retrieval', rows: devices }]
    expect(writeOlderSchema(on.file, on.older, 21)).toEqual(unheld)
    expect(existsSync(on.older)).toBe(false)
    expect(
      reading(on.file, (sqlite) => unsupportedRowsIn((sql) => sqlite.prepare(sql).all(), 21)),
    ).toEqual(unheld)
  })

  it('refuses where rows have no table', () => {
    using on = updated(15)
    const rows = rowsIn(on.file)
    const [user] = rows.users ?? []
    change(
      on.file,
      `insert into hangingProtocols values ('${String(user?.userId)}', 1, x'00', '2026-03-10T09:00:00.000Z')`,
    )
    expect(writeOlderSchema(on.file, on.older, 15)).toEqual([
      { table: 'hangingProtocols', column: null, rows: 1 },
    ])
  })

  it('leaves out what the next update builds again: studies that need an addendum', () => {
    using on = updated(17)
    change(
      on.file,
      "insert or ignore into neededAddenda select min(seq), '2026-03-10T09:00:00.000Z' from studies",
    )
    expect(writeOlderSchema(on.file, on.older, 17)).toEqual([])
  })

  it('leaves out what is built from other tables', () => {
    using on = updated(19)
    // It says what of the search index is still to be built, and that index came later.
    const before = rowsIn(on.file).searchFill?.length ?? 0
    change(on.file, "insert or replace into searchFill values ('retrieval', 5)")
    expect(writeOlderSchema(on.file, on.older, 19)).toEqual([])
    expect(rowsIn(on.older).searchFill?.length).toBeLessThanOrEqual(before)
  })
})
