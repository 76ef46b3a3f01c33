import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import Sqlite from 'better-sqlite3'

const PAGE = 4096

/** Adds rows to a closed database until it is checked only while it is served (40 MB). */
export function enlarge(file: string): void {
  const sqlite = new Sqlite(file)
  sqlite.exec('create table filler (bytes blob not null) strict')
  sqlite.exec(
    `insert into filler with recursive row (n) as (values (1) union all select n + 1 from row
     where n < 40000) select zeroblob(900) from row`,
  )
  sqlite.close()
}

/** Overwrites a page of the rows that `enlarge` has added, which nothing reads but a check. */
export function damageLastRows(file: string): void {
  const handle = openSync(file, 'r+')
  const pages = Math.floor(statSync(file).size / PAGE)
  writeSync(handle, Buffer.alloc(PAGE - 8, 0xa5), 0, PAGE - 8, (pages - 3) * PAGE + 8)
  closeSync(handle)
}
