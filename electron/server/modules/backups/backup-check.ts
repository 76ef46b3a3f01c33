import { SqliteThread } from '#server/database/sqlite-thread.ts'
import { StoreError } from '#server/database/store-error.ts'
import { message } from '#shared/messages/message.ts'

/** Converts a copied database to a single file, opens it read-only and checks all its pages. */
const PROGRAM = `
const pragma = (sqlite, text) => sqlite.pragma(text, { simple: true })
try {
  const written = new Sqlite(data.file, { fileMustExist: true })
  pragma(written, 'journal_mode = delete')
  written.close()
  const sqlite = new Sqlite(data.file, { readonly: true, fileMustExist: true })
  const application = pragma(sqlite, 'application_id')
  const schema = pragma(sqlite, 'user_version')
  const verdict = pragma(sqlite, 'quick_check(1)')
  const rows = Object.fromEntries(data.tables.map((table) => [table, sqlite.prepare('select count(*) from "' + table + '"').pluck().get()]))
  sqlite.close()
  return { verdict, application, schema, rows }
} catch (error) {
  return { verdict: error.message, application: 0, schema: 0, rows: {} }
}
`

export interface CheckedCopy {
  /** SQLite's `application_id` and `user_version`; the latter is the schema version. */
  readonly application: number
  readonly schema: number
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Checks the integrity of a copied database; returns its version and the row counts of `tables`.
 * @throws StoreError damaged
 */
export async function checkCopy(file: string, tables: readonly string[]): Promise<CheckedCopy> {
  const thread = new SqliteThread<CheckedCopy & { verdict: unknown }>(PROGRAM, { file, tables })
  const { verdict, ...found } = await thread.result.catch((error: Error) => ({
    ...{ verdict: error.message, application: 0, schema: 0, rows: {} },
  }))
  if (verdict !== 'ok')
    throw new StoreError(
      'damaged',
      message('backups.not-whole', { verdict: String(verdict).replace(/\s+/g, ' ') }),
    )
  return found
}
