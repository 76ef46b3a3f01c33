import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { DATABASE_FILE } from './data-directory.ts'
import { MIGRATIONS } from './migrations.ts'

/** A table or an index that a migration reads or writes as a whole. */
const TOUCHED_TABLE =
  /\b(?:alter table|drop table|update|insert into|delete from|from|join|index \w+ on|references) "?(\w+)/gi

/** What opening a data folder with this version would have to do. */
export interface PendingMigrations {
  /** Schema of the database, and of this version. */
  readonly schema: number
  readonly newest: number
  /** Size of the database, and of the tables with their indexes that the migrations touch. */
  readonly bytes: number
  readonly touchedBytes: number
  /** What SQLite's check of all pages found; `ok` if nothing. */
  readonly verdict: string
  /** Jobs that wait to be sent. */
  readonly waiting: number
}

/**
 * Examines the database of a folder without changing it; a gateway of an older version may have it
 * open. @throws the SQLite error
 */
export function pendingMigrations(folder: string): PendingMigrations {
  const file = join(folder, DATABASE_FILE)
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    const schema = Number(sqlite.pragma('user_version', { simple: true }))
    const sizes = sqlite
      .prepare(
        `select t.tbl_name as name, sum(s.pgsize) as bytes from dbstat s
          join sqlite_schema t on t.name = s.name where s.aggregate = true group by t.tbl_name`,
      )
      .all() as { name: string; bytes: number }[]
    const touched = touchedTables(MIGRATIONS.slice(schema))
    const has = (table: string) =>
      sqlite.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined
    const count = (table: string) =>
      has(table)
        ? Number(
            sqlite.prepare(`select count(*) from "${table}" where state = 'waiting'`).pluck().get(),
          )
        : 0
    return {
      ...{ schema, newest: MIGRATIONS.length, bytes: statSync(file).size },
      touchedBytes: sizes
        .filter(({ name }) => touched.has(name))
        .reduce((sum, { bytes }) => sum + bytes, 0),
      verdict: String(sqlite.pragma('quick_check(1)', { simple: true })).replace(/\s+/g, ' '),
      waiting: count('outbox') + count('forwards'),
    }
  } finally {
    sqlite.close()
  }
}

/** Names of the tables in the statements. */
export const touchedTables = (migrations: readonly string[]): ReadonlySet<string> =>
  new Set(
    migrations.flatMap((text) => [...text.matchAll(TOUCHED_TABLE)].map(([, name = '']) => name)),
  )
