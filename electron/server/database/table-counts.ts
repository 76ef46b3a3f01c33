import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from './database.ts'
import { rawQuery } from './raw-query.ts'

/** What SQLite keeps for an index of words (FTS5 §9). */
const OF_INDEX = /_(?:config|content|data|docsize|idx)$/
const TABLES = `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`

/** Rows of every table, one table a turn of the event loop: devices must not wait for a count. */
export async function tableCounts(
  db: Database,
): Promise<readonly { readonly table: string; readonly rows: number }[]> {
  const counts: { table: string; rows: number }[] = []
  for (const { name } of db.all(rawQuery<{ name: string }>(TABLES, []))) {
    if (OF_INDEX.test(name)) continue
    const rows =
      db.get(rawQuery<{ rows: number }>(`select count(*) as rows from "${name}"`, []))?.rows ?? 0
    counts.push({ table: name, rows })
    await nextTurn()
  }
  return counts
}
