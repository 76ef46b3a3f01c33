import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { StoreError } from '#server/database/store-error.ts'
import { message } from '#shared/messages/message.ts'

/**
 * The source text of a worker thread that converts a copied database to a single file, opens it
 * read-only and checks all its pages. For a large database this takes seconds, during which devices
 * must not wait. It is a string because the build bundles the gateway into one file; the thread
 * needs only one package.
 */
const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads')
const Sqlite = require(workerData.module)
const pragma = (sqlite, text) => sqlite.pragma(text, { simple: true })
try {
  const written = new Sqlite(workerData.file, { fileMustExist: true })
  pragma(written, 'journal_mode = delete')
  written.close()
  const sqlite = new Sqlite(workerData.file, { readonly: true, fileMustExist: true })
  const application = pragma(sqlite, 'application_id')
  const schema = pragma(sqlite, 'user_version')
  const verdict = pragma(sqlite, 'quick_check(1)')
  const rows = Object.fromEntries(workerData.tables.map((table) => [table, sqlite.prepare('select count(*) from "' + table + '"').pluck().get()]))
  sqlite.close()
  parentPort.postMessage({ verdict, application, schema, rows })
} catch (error) {
  parentPort.postMessage({ verdict: error.message, application: 0, schema: 0, rows: {} })
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
  const module = createRequire(import.meta.url).resolve('better-sqlite3')
  const { verdict, ...found } = await new Promise<CheckedCopy & { verdict: unknown }>(
    (resolve, reject) => {
      const worker = new Worker(WORKER_SOURCE, { eval: true, workerData: { module, file, tables } })
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) =>
        reject(new StoreError('damaged', message('backups.not-checked', { code }))),
      )
    },
  )
  if (verdict !== 'ok')
    throw new StoreError(
      'damaged',
      message('backups.not-whole', { verdict: String(verdict).replace(/\s+/g, ' ') }),
    )
  return found
}
