import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { activityRows } from './golden/activity-rows.ts'
import { GOLDEN_KEY, type Row, type Rows } from './golden/clinic.ts'
import { firstRows } from './golden/first-rows.ts'
import { imageRows } from './golden/image-rows.ts'
import { interfaceRows } from './golden/interface-rows.ts'
import { reportRows } from './golden/report-rows.ts'
import { searchRows } from './golden/search-rows.ts'
import { securityRows } from './golden/security-rows.ts'
import { viewingRows } from './golden/viewing-rows.ts'

// Data folders as each release left them: the migrations up to then, and rows by the SQL of that
// time. What the program of then did (the seal, the chain of the audit trail) is written out here
// once more and stays as it is, whatever today's store does.

export {
  GOLDEN,
  GOLDEN_AT,
  GOLDEN_DAY,
  GOLDEN_KEY,
  PDF_SHA256,
  type Row,
  type Rows,
} from './golden/clinic.ts'
export { goldenAudit } from './golden/first-rows.ts'

const APPLICATION_ID = 0x49535448

/**
 * Makes a folder of the schema: the key, the database with `rows`, its migrations up to `version`.
 * The database is closed, in WAL mode.
 */
export function goldenFolder(
  folder: string,
  version: number,
  rows: Rows = goldenRows(version),
): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'data.key'), GOLDEN_KEY, { mode: 0o600 })
  const file = join(folder, 'gateway.sqlite')
  const sqlite = new Sqlite(file)
  sqlite.pragma('journal_mode = wal')
  sqlite.pragma('foreign_keys = on')
  sqlite.transaction(() => {
    for (const text of MIGRATIONS.slice(0, version)) sqlite.exec(text)
    sqlite.pragma(`application_id = ${APPLICATION_ID}`)
    sqlite.pragma(`user_version = ${version}`)
    for (const [table, some] of Object.entries(rows))
      for (const row of some) insert(sqlite, table, row)
  })()
  sqlite.close()
  chmodSync(file, 0o600)
  return file
}

function insert(sqlite: Sqlite.Database, table: string, row: Row): void {
  const columns = Object.keys(row)
  sqlite
    .prepare(
      `insert into "${table}" (${columns.map((name) => `"${name}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    )
    .run(...Object.values(row))
}

/** What a clinic of that release has, a few rows of each kind. */
export function goldenRows(version: number): Rows {
  const since = (first: number, rows: () => Rows): Rows => (version >= first ? rows() : {})
  return {
    ...firstRows(version),
    ...since(2, () => interfaceRows(version)),
    ...since(3, () => imageRows(version)),
    ...since(4, reportRows),
    ...since(5, viewingRows),
    ...since(6, searchRows),
    ...since(7, securityRows),
    ...since(8, activityRows),
  }
}

/**
 * Where today's program has another value than the row had: what the migrations since then made of
 * it.
 */
export const CHANGED: Readonly<Record<string, readonly string[]>> = {
  // Migration 7 gives running sessions a name, migration 8 makes a code of the words.
  sessions: ['sessionId'],
  endpoints: ['disabledReason'],
  // An entry says that entries are keyed from then on.
  auditHead: ['sealed'],
}
