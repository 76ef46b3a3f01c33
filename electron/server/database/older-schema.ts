import { chmodSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { APPLICATION_ID } from './database-file.ts'
import { MIGRATIONS } from './migrations.ts'

/**
 * Tables that every version builds from others: what of them an older version has no place for is
 * built again after the next update. A test asks of each new table whether it belongs here.
 */
export const DERIVED_TABLES: readonly string[] = [
  'searchFill',
  'retrievalStudies',
  'retrievalModalities',
  'imageStudyNumbers',
  'neededAddenda',
  'auditUnkeyed',
]

/** Rows that an older schema has no place for. */
export interface UnsupportedRows {
  readonly table: string
  /** The column whose value has no place; `null` if the rows have none. */
  readonly column: string | null
  readonly rows: number
}

interface Entry {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  readonly sql: string
}

/**
 * Writes all rows of the database `from` to a new database `to` with the schema that the version
 * with `schema` migrations has, so that it can be opened by it. Nothing is left out: if rows or
 * values have no place there, they are returned, and no file is left. `from` is only read.
 * @throws if what was written fails SQLite's checks
 */
export function writeOlderSchema(
  from: string,
  to: string,
  schema: number,
): readonly UnsupportedRows[] {
  const entries = entriesOf(schema)
  rmSync(to, { force: true })
  const sqlite = new Sqlite(to)
  try {
    // The tables of a search index are copied as they are, which SQLite refuses otherwise.
    sqlite.unsafeMode()
    sqlite.pragma('synchronous = off')
    sqlite.pragma('journal_mode = off')
    sqlite.pragma('foreign_keys = off')
    sqlite.prepare('attach ? as newer').run(from)
    const unsupported = sqlite.transaction(() => copyRows(sqlite, entries))()
    if (unsupported.length === 0) finish(sqlite, schema)
    sqlite.prepare('detach newer').run()
    sqlite.close()
    if (unsupported.length > 0) rmSync(to, { force: true })
    else chmodSync(to, 0o600)
    return unsupported
  } catch (error) {
    sqlite.close()
    rmSync(to, { force: true })
    throw error
  }
}

/**
 * What an older schema has no place for, as far as tables and columns tell it. `read` runs a query
 * on the database and returns its rows.
 */
export function unsupportedRowsIn(read: ReadRows, schema: number): readonly UnsupportedRows[] {
  const inMemory = schemaInMemory(schema)
  const readOlder: ReadRows = (sql) => inMemory.prepare(sql).all()
  try {
    const olderTables = tablesOf(readOlder, 'main')
    return tablesOf(read, 'main')
      .filter((table) => !isDerived(read, 'main', table))
      .flatMap((table) =>
        olderTables.includes(table)
          ? unsupportedColumns(read, 'main', table, columnsOf(readOlder, 'main', table))
          : rowsOf(read, 'main', table, null),
      )
  } finally {
    inMemory.close()
  }
}

type ReadRows = (sql: string) => unknown[]

function copyRows(sqlite: Sqlite.Database, entries: readonly Entry[]): UnsupportedRows[] {
  const read: ReadRows = (sql) => sqlite.prepare(sql).all()
  // Triggers would count the copied rows once more, and indexes are built faster afterwards.
  const tables = entries.filter(({ type, name }) => type === 'table' && !isShadow(name, entries))
  for (const { sql } of tables) sqlite.exec(sql)
  const unsupported = tablesOf(read, 'newer')
    .filter((name) => !isDerived(read, 'newer', name))
    .filter((name) => !entries.some((entry) => entry.name === name))
    .flatMap((name) => rowsOf(read, 'newer', name, null))
  for (const table of tablesOf(read, 'main')) unsupported.push(...copyTable(sqlite, read, table))
  if (unsupported.length > 0) return unsupported
  sqlite.exec(`delete from main.sqlite_sequence;
    insert into main.sqlite_sequence select name, seq from newer.sqlite_sequence
      where name in (select name from main.sqlite_schema where type = 'table')`)
  for (const type of ['index', 'view', 'trigger'])
    for (const entry of entries) if (entry.type === type) sqlite.exec(entry.sql)
  return []
}

function copyTable(sqlite: Sqlite.Database, read: ReadRows, table: string): UnsupportedRows[] {
  const olderColumns = columnsOf(read, 'main', table)
  const newer = columnsOf(read, 'newer', table)
  if (isVirtual(read, table) || newer.length === 0) return []
  const isDerivedTable = isDerived(read, 'newer', table)
  const unsupported = isDerivedTable ? [] : unsupportedColumns(read, 'newer', table, olderColumns)
  const sharedColumns = olderColumns
    .filter((column) => newer.includes(column))
    .map((column) => `"${column}"`)
  // A search index has rows of its own as soon as it is created.
  sqlite.exec(`delete from main."${table}"`)
  sqlite.exec(
    `insert or ignore into main."${table}" (${sharedColumns}) select ${sharedColumns} from newer."${table}"`,
  )
  const rows = countRows(read, 'newer', table) - countRows(read, 'main', table)
  if (!isDerivedTable && rows !== 0) unsupported.push({ table, column: null, rows })
  return unsupported
}

function finish(sqlite: Sqlite.Database, schema: number): void {
  sqlite.pragma(`application_id = ${APPLICATION_ID}`)
  sqlite.pragma(`user_version = ${schema}`)
  const violations = sqlite.pragma('main.foreign_key_check') as unknown[]
  const verdict = sqlite.pragma('main.quick_check(1)', { simple: true })
  if (violations.length > 0 || verdict !== 'ok')
    throw new Error(
      `Schema ${schema}: ${violations.length} rows refer to nothing; ${String(verdict)}`,
    )
}

/** Columns that the older table lacks, with the rows whose value is not the initial one. */
function unsupportedColumns(
  read: ReadRows,
  database: string,
  table: string,
  olderColumns: readonly string[],
): UnsupportedRows[] {
  return infoOf(read, database, table)
    .filter(({ name }) => !olderColumns.includes(name))
    .flatMap(({ name, initial }) =>
      rowsOf(read, database, table, name, `where "${name}" is not (${initial ?? 'null'})`),
    )
}

function rowsOf(
  read: ReadRows,
  database: string,
  table: string,
  column: string | null,
  where = '',
): UnsupportedRows[] {
  const rows = countRows(read, database, table, where)
  return rows === 0 ? [] : [{ table, column, rows }]
}

function countRows(read: ReadRows, database: string, table: string, where = ''): number {
  const [found] = read(`select count(*) as rows from ${database}."${table}" ${where}`)
  return (found as { rows: number }).rows
}

const infoOf = (read: ReadRows, database: string, table: string) =>
  read(`select name, dflt_value as initial from pragma_table_info('${table}', '${database}')`) as {
    readonly name: string
    readonly initial: string | null
  }[]

const columnsOf = (read: ReadRows, database: string, table: string): string[] =>
  infoOf(read, database, table).map(({ name }) => name)

const tablesOf = (read: ReadRows, database: string): string[] =>
  (
    read(`select name from ${database}.sqlite_schema where type = 'table' order by name`) as {
      name: string
    }[]
  )
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sqlite_'))

/** A search index, which has tables of its own, is built from other tables too. */
const isDerived = (read: ReadRows, database: string, table: string): boolean =>
  DERIVED_TABLES.includes(table) ||
  read(`select 1 from ${database}.sqlite_schema where sql like 'create virtual%'
    and (name = '${table}' or '${table}' like name || '!_%' escape '!')`).length > 0

const isVirtual = (read: ReadRows, table: string): boolean =>
  read(`select 1 from main.sqlite_schema where name = '${table}' and sql like 'create virtual%'`)
    .length > 0

/** A table that a virtual table creates for itself. */
const isShadow = (name: string, entries: readonly Entry[]): boolean =>
  entries.some((entry) => /^create virtual/i.test(entry.sql) && name.startsWith(`${entry.name}_`))

function schemaInMemory(schema: number): Sqlite.Database {
  const sqlite = new Sqlite(':memory:')
  for (const text of MIGRATIONS.slice(0, schema)) sqlite.exec(text)
  return sqlite
}

function entriesOf(schema: number): Entry[] {
  const sqlite = schemaInMemory(schema)
  try {
    return sqlite
      .prepare(
        `select type, name, sql from sqlite_schema
          where sql is not null and name not like 'sqlite_%' order by rowid`,
      )
      .all() as Entry[]
  } finally {
    sqlite.close()
  }
}
