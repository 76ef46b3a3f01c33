import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { LOG_STATE_FILE, syncFolder } from './data-directory.ts'
import { damagedError, mayCheckLater, removeDamageMark } from './integrity-check.ts'
import { fileFault, StoreError } from './store-error.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

/** 'ISTH' in ASCII: the application_id in the header of the gateway's database files. */
export const APPLICATION_ID = 0x49535448
/** Older SQLite versions can corrupt a WAL database. */
const MIN_SQLITE_VERSION = '3.51.3'
/** Number of copies kept from before a migration, for returning to an earlier version. */
const MAX_COPIES = 2

/**
 * When every page of the file is checked: before it is used; after, where the file allows it and
 * the caller runs the check; or not at all, because the caller has just done so.
 */
export type CheckTime = 'before' | 'later' | 'done'

/**
 * Opens or creates the file, checks that it is an intact database of the gateway, and runs pending
 * migrations. `isChecked` is false if the check is left to the caller.
 * @throws StoreError bad-folder, not-a-database, foreign-database, newer-schema, damaged, not-wal,
 * old-sqlite
 */
export function openDatabaseFile(
  file: string,
  migrations: readonly string[],
  check: CheckTime = 'before',
): { readonly sqlite: Sqlite.Database; readonly isChecked: boolean } {
  makeFile(file)
  const mayWait = check === 'later' && mayCheckLater(file)
  let sqlite: Sqlite.Database | undefined
  try {
    sqlite = new Sqlite(file, { timeout: 5000, fileMustExist: true })
    const schema = checkedSchemaVersion(sqlite, file, migrations.length)
    // Damage must not be carried into a newer schema.
    const isDeferred = mayWait && schema === migrations.length
    if (check !== 'done' && !isDeferred) refuseDamaged(sqlite, file)
    prepare(sqlite, file)
    migrate(sqlite, file, migrations)
    return { sqlite, isChecked: !isDeferred }
  } catch (error) {
    sqlite?.close()
    throw translateError(error, file)
  }
}

function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw new StoreError(
      'bad-folder',
      message('database.folder-not-holding', {
        folder: dirname(file),
        fault: (error as Error).message,
      }),
      error,
    )
  }
}

/** Refuses a file that this version cannot serve, and returns its schema version. */
function checkedSchemaVersion(sqlite: Sqlite.Database, file: string, newest: number): number {
  const pragma = (text: string) => sqlite.pragma(text, { simple: true })
  const version = String(sqlite.prepare('select sqlite_version()').pluck().get())
  if (version.localeCompare(MIN_SQLITE_VERSION, 'en', { numeric: true }) < 0)
    throw new StoreError(
      'old-sqlite',
      message('database.old-sqlite', { version, oldest: MIN_SQLITE_VERSION }),
    )

  const applicationId = pragma('application_id')
  const schema = Number(pragma('user_version'))
  const isEmpty = sqlite.prepare('select count(*) from sqlite_schema').pluck().get() === 0
  if (applicationId !== APPLICATION_ID && !(applicationId === 0 && schema === 0 && isEmpty))
    throw new StoreError('foreign-database', message('database.foreign', { file }))
  if (schema > newest)
    throw new StoreError(
      'newer-schema',
      message('database.newer-schema', { file, schema, known: newest }),
    )

  return schema
}

function refuseDamaged(sqlite: Sqlite.Database, file: string): void {
  const verdict = sqlite.pragma('quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw damagedError(file, String(verdict))
  removeDamageMark(file)
}

function prepare(sqlite: Sqlite.Database, file: string): void {
  // SQLite creates -wal and -shm files with the mode of the database file, but they may exist
  // already.
  for (const part of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(part)) chmodSync(part, 0o600)
  const journalMode = sqlite.pragma('journal_mode = wal', { simple: true })
  if (journalMode !== 'wal') throw new StoreError('not-wal', message('database.not-wal', { file }))
  for (const setting of [
    'synchronous = full',
    'fullfsync = on',
    'foreign_keys = on',
    'trusted_schema = off',
    'secure_delete = fast',
    'temp_store = memory',
    'mmap_size = 0',
    // In KiB. The operating system caches the file too, and better-sqlite3's default of 16 MB would
    // be a tenth of the process.
    'cache_size = -4000',
    'journal_size_limit = 67108864',
  ])
    sqlite.pragma(setting)
  // A checkpoint would overwrite what has not been copied for the standby yet.
  const isReplicated = existsSync(join(dirname(file), LOG_STATE_FILE))
  new WriteAheadLog(sqlite).setAutomaticCheckpoints(!isReplicated)
}

function migrate(sqlite: Sqlite.Database, file: string, migrations: readonly string[]): void {
  const applied = Number(sqlite.pragma('user_version', { simple: true }))
  if (applied > 0 && applied < migrations.length)
    copyBeforeMigration(sqlite, `${file}.schema-${applied}`)
  const run = (index: number) => {
    sqlite.exec(migrations[index] ?? '')
    const violations = sqlite.pragma('foreign_key_check') as unknown[]
    if (violations.length > 0)
      throw new Error(
        `Schema ${index + 1} leaves ${violations.length} rows without the row they refer to`,
      )
    sqlite.pragma(`application_id = ${APPLICATION_ID}`)
    sqlite.pragma(`user_version = ${index + 1}`)
  }
  const pending = [...migrations.keys()].filter((index) => index >= applied)
  // A new database is made in one transaction: each one waits for the disk.
  const transactions = applied === 0 ? [pending] : pending.map((index) => [index])
  for (const indexes of transactions) sqlite.transaction(() => indexes.forEach(run)).immediate()
}

/**
 * Copies the database before a migration, so that the older version can be started again. The copy
 * is opened as a check before anything is changed.
 */
function copyBeforeMigration(sqlite: Sqlite.Database, copy: string): void {
  const part = `${copy}.part`
  try {
    rmSync(part, { force: true })
    sqlite.prepare('vacuum into ?').run(part)
    chmodSync(part, 0o600)
    checkIntegrity(part)
    syncFile(part)
    renameSync(part, copy)
    deleteOlderCopies(copy)
    syncFolder(dirname(copy))
  } catch (error) {
    rmSync(part, { force: true })
    throw fileFault('database.not-migrated', { copy }, error)
  }
}

function checkIntegrity(file: string): void {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    const verdict = String(sqlite.pragma('quick_check(1)', { simple: true }))
    if (verdict !== 'ok')
      throw new MessageError(
        message('database.not-whole', { verdict: verdict.replace(/\s+/g, ' ') }),
      )
  } finally {
    sqlite.close()
  }
}

export function syncFile(file: string): void {
  // Windows can only flush a file that is open for writing.
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Deletes old copies, because each is as large as the database was. */
function deleteOlderCopies(newest: string): void {
  const stem = basename(newest).replace(/\d+$/, '')
  const versions = readdirSync(dirname(newest))
    .filter((name) => name.startsWith(stem) && /^\d+$/.test(name.slice(stem.length)))
    .map((name) => Number(name.slice(stem.length)))
    .sort((one, other) => other - one)
  for (const version of versions.slice(MAX_COPIES))
    rmSync(join(dirname(newest), `${stem}${version}`), { force: true })
}

function translateError(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  if (error.code === 'SQLITE_NOTADB')
    return new StoreError('not-a-database', message('database.not-a-database', { file }), error)
  if (error.code.startsWith('SQLITE_CORRUPT')) return damagedError(file, error.message, error)
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|IOERR|FULL)/.test(error.code))
    return fileFault('database.folder-not-holding', { folder: dirname(file) }, error)
  return error
}

/** Pages of 4 KiB copied per turn of the event loop during a backup. */
const PAGES_PER_TURN = 256
const ROW_COUNT_QUERIES = {
  users: 'select count(*) from users',
  devices: 'select count(*) from devices',
  settings: 'select count(*) from settings',
  expressCustomers: 'select count(*) from expressCustomers',
  studies: 'select count(*) from studies',
  reports: 'select count(*) from reports',
  imageStudies: 'select count(*) from imageStudies',
  auditEntries: 'select count(*) from auditEntries',
}

/**
 * Copies an open database into a new file while it stays in use; `onProgress` receives the completed
 * fraction. Resolves with the row counts the copy must have of the tables that matter to users.
 */
export async function copyDatabase(
  sqlite: Sqlite.Database,
  file: string,
  onProgress: (share: number) => void,
): Promise<Readonly<Record<string, number>>> {
  await sqlite.backup(file, {
    progress: ({ totalPages, remainingPages }) => {
      onProgress((totalPages - remainingPages) / totalPages)
      return PAGES_PER_TURN
    },
  })
  // Counted in the same turn in which the copy ended, so no write came in between.
  return Object.fromEntries(
    Object.entries(ROW_COUNT_QUERIES).map(([table, statement]) => [
      table,
      Number(sqlite.prepare(statement).pluck().get()),
    ]),
  )
}
