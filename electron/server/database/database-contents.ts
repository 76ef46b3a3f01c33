import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { SETTINGS, type SettingKey, type SettingValue } from '#shared/contract/settings.ts'
import { DATABASE_FILE } from './data-directory.ts'
import type { Database } from './database.ts'
import { rawQuery } from './query.ts'

/** Shadow tables of an FTS5 index (FTS5 §9). */
const SHADOW_TABLE = /_(?:config|content|data|docsize|idx)$/
const SELECT_TABLES = `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`

/**
 * Row counts of all tables. Counts one table per turn of the event loop, so that devices do not
 * have to wait.
 */
export async function tableCounts(
  db: Database,
): Promise<readonly { readonly table: string; readonly rows: number }[]> {
  const counts: { table: string; rows: number }[] = []
  for (const { name } of db.all(rawQuery<{ name: string }>(SELECT_TABLES, []))) {
    if (SHADOW_TABLE.test(name)) continue
    const rows =
      db.get(rawQuery<{ rows: number }>(`select count(*) as rows from "${name}"`, []))?.rows ?? 0
    counts.push({ table: name, rows })
    await nextTurn()
  }
  return counts
}

/**
 * Row counts of the given tables, 0 for a table that does not exist. Undefined if the database
 * cannot be read. Opens the database read-only.
 */
export function rowCounts(
  folder: string,
  tables: readonly string[],
): Readonly<Record<string, number>> | undefined {
  let sqlite: Sqlite.Database | undefined
  try {
    const opened = new Sqlite(join(folder, DATABASE_FILE), {
      readonly: true,
      fileMustExist: true,
      timeout: 0,
    })
    sqlite = opened
    const tableQuery = opened.prepare(
      "select 1 from sqlite_schema where type = 'table' and name = ?",
    )
    return Object.fromEntries(
      tables.map((table) => [
        table,
        tableQuery.get(table) === undefined
          ? 0
          : Number(opened.prepare(`select count(*) from "${table}"`).pluck().get()),
      ]),
    )
  } catch {
    return undefined
  } finally {
    sqlite?.close()
  }
}

/**
 * Reads a setting from a database that is damaged or whose key is lost. Settings are not encrypted,
 * and most of a damaged file is usually readable. Opens the database read-only. Undefined if the
 * setting cannot be read or was never set.
 */
export function salvageSetting<K extends SettingKey>(
  folder: string,
  key: K,
): SettingValue<K> | undefined {
  const file = join(folder, DATABASE_FILE)
  if (!existsSync(file)) return undefined
  let sqlite: Sqlite.Database | undefined
  try {
    sqlite = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 0 })
    const text = sqlite.prepare('select value from settings where key = ?').pluck().get(key)
    const parsed = SETTINGS[key].schema.safeParse(
      typeof text === 'string' ? JSON.parse(text) : undefined,
    )
    return parsed.success ? (parsed.data as SettingValue<K>) : undefined
  } catch {
    return undefined
  } finally {
    sqlite?.close()
  }
}

/**
 * Schema version of the database in the folder; 0 if there is none. Opens it read-only.
 * @throws the SQLite error
 */
export function schemaOfFolder(folder: string): number {
  const file = join(folder, DATABASE_FILE)
  if (!existsSync(file)) return 0
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    return Number(sqlite.pragma('user_version', { simple: true }))
  } finally {
    sqlite.close()
  }
}
