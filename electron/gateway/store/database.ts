import { chmodSync, closeSync, fchmodSync, fstatSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type Compilable, DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { MIGRATIONS } from './migrations.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/** 'ISTH' in ASCII: the application_id in the header of our database files. */
export const APPLICATION_ID = 0x49535448
/** Older versions of SQLite may corrupt a WAL database (design.md §4.7). */
const OLDEST_SQLITE = '3.51.3'
const MOST_STATEMENTS = 256
/** Writers of one group commit: bounds the time the event loop is held. */
const MOST_WRITERS = 256

interface Writer {
  readonly write: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * The one connection to the one database. Queries are built with kysely (`database.sql`) and run synchronously.
 * A statement that returned is durable when no transaction is open: WAL, `synchronous=FULL`.
 */
export class Database implements Disposable {
  /** Builds queries; only `all`, `get` and `run` execute them. */
  readonly sql = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  readonly #sqlite: Sqlite.Database
  readonly #statements = new Map<string, Sqlite.Statement>()
  readonly #boundaries: Record<'begin' | 'commit' | 'rollback' | 'enter' | 'leave' | 'back', Sqlite.Statement>
  #afterCommit: (() => void)[] = []
  #writers: Writer[] = []
  #turn: NodeJS.Immediate | undefined

  /**
   * Opens or creates the database and brings it to the newest schema. The file is made readable by its owner only.
   * @throws StoreError bad-folder, not-a-database, foreign-database, newer-schema, damaged, not-wal, old-sqlite
   */
  static open(file: string, migrations: readonly string[] = MIGRATIONS): Database {
    makeFile(file)
    let sqlite: Sqlite.Database | undefined
    try {
      sqlite = new Sqlite(file, { timeout: 5000, fileMustExist: true })
      prepare(sqlite, file, migrations.length)
      migrate(sqlite, file, migrations)
      return new Database(sqlite)
    } catch (error) {
      sqlite?.close()
      throw translated(error, file)
    }
  }

  private constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite
    this.#boundaries = {
      begin: sqlite.prepare('begin immediate'),
      commit: sqlite.prepare('commit'),
      rollback: sqlite.prepare('rollback'),
      enter: sqlite.prepare('savepoint part'),
      leave: sqlite.prepare('release part'),
      back: sqlite.prepare('rollback to part'),
    }
  }

  /** Every row of the query. */
  all<T>(query: Compilable<T>): T[] {
    const { sql, parameters } = query.compile()
    return this.#statement(sql).all(...parameters) as T[]
  }

  /** The first row of the query. */
  get<T>(query: Compilable<T>): T | undefined {
    const { sql, parameters } = query.compile()
    return this.#statement(sql).get(...parameters) as T | undefined
  }

  /** Rows of the query one by one; the database is busy with it until the loop ends. */
  *each<T>(query: Compilable<T>): Generator<T, void, void> {
    const { sql, parameters } = query.compile()
    // Not from the cache: a statement cannot run twice at the same time.
    for (const row of this.#open().prepare(sql).iterate(...parameters)) yield row as T
  }

  /** Runs a change; `changes` counts the rows it touched. */
  run(query: Compilable<unknown>): { readonly changes: number; readonly lastInsertRowid: number } {
    const { sql, parameters } = query.compile()
    const { changes, lastInsertRowid } = this.#statement(sql).run(...parameters)
    return { changes, lastInsertRowid: Number(lastInsertRowid) }
  }

  /** Whether a transaction is open: what is read now may still be rolled back, so it must not be remembered. */
  get inTransaction(): boolean {
    return this.#sqlite.inTransaction
  }

  /** All of `work` or nothing; durable when it returns. Inside another transaction it joins it, and undoes only itself on a throw. */
  transaction<T>(work: () => T): T {
    const { begin, commit, rollback, enter, leave, back } = this.#boundaries
    const joins = this.#open().inTransaction
    const mark = this.#afterCommit.length
    let result: T
    if (joins) enter.run()
    else begin.run()
    try {
      result = work()
      if (result instanceof Promise) throw new TypeError('A transaction is synchronous: nothing in it can be awaited')
      if (joins) leave.run()
      else commit.run()
    } catch (error) {
      this.#afterCommit.length = mark
      // On a full disk or a failing one SQLite has already rolled everything back.
      if (this.#sqlite.inTransaction) {
        if (joins) {
          back.run()
          leave.run()
        } else rollback.run()
      }
      throw error
    }
    if (!joins) for (const heard of this.#afterCommit.splice(0)) heard()
    return result
  }

  /** Calls `heard` when the open transaction has committed, never when it is rolled back; at once where none is open. It must not throw. */
  afterCommit(heard: () => void): void {
    if (this.#sqlite.inTransaction) this.#afterCommit.push(heard)
    else heard()
  }

  /**
   * Group commit: runs `write` at the next turn of the event loop in one transaction with everybody else who is waiting, each under
   * its own savepoint. Resolves when the transaction is durable; a `write` that throws is undone and rejects alone.
   */
  commitSoon<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#open()
      this.#writers.push({ write, resolve: resolve as (value: unknown) => void, reject })
      this.#turn ??= setImmediate(() => this.#commitWriters())
    })
  }

  #commitWriters(): void {
    const writers = this.#writers.splice(0, MOST_WRITERS)
    this.#turn = this.#writers.length > 0 ? setImmediate(() => this.#commitWriters()) : undefined
    const answers: (() => void)[] = []
    try {
      this.transaction(() => {
        for (const { write, resolve, reject } of writers) {
          try {
            const value = this.transaction(write)
            answers.push(() => resolve(value))
          } catch (error) {
            if (!this.#sqlite.inTransaction) throw error
            answers.push(() => reject(error))
          }
        }
      })
    } catch (error) {
      for (const { reject } of writers) reject(error)
      return
    }
    for (const answer of answers) answer()
  }

  #statement(sql: string): Sqlite.Statement {
    const known = this.#statements.get(sql)
    if (known) {
      this.#statements.delete(sql)
      this.#statements.set(sql, known)
      return known
    }
    const made = this.#open().prepare(sql)
    this.#statements.set(sql, made)
    if (this.#statements.size > MOST_STATEMENTS) this.#statements.delete(this.#statements.keys().next().value ?? '')
    return made
  }

  #open(): Sqlite.Database {
    if (!this.#sqlite.open) throw new StoreError('closed', 'The database is closed.')
    return this.#sqlite
  }

  /** Writes what still waits for its group commit, then closes. */
  [Symbol.dispose](): void {
    if (!this.#sqlite.open) return
    while (this.#writers.length > 0) this.#commitWriters()
    clearImmediate(this.#turn)
    this.#sqlite.pragma('wal_checkpoint(truncate)')
    this.#sqlite.close()
  }
}

function makeFile(file: string): void {
  try {
    const handle = openSync(file, 'a', 0o600)
    try {
      // The -wal and -shm files take the mode of the database file.
      if (process.platform !== 'win32' && (fstatSync(handle).mode & 0o077) !== 0) fchmodSync(handle, 0o600)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    throw new StoreError('bad-folder', `The folder ${dirname(file)} cannot hold the database: ${(error as Error).message}.`, error)
  }
}

// ux-security E.11.
function prepare(sqlite: Sqlite.Database, file: string, newest: number): void {
  const pragma = (text: string) => sqlite.pragma(text, { simple: true })
  const version = String(sqlite.prepare('select sqlite_version()').pluck().get())
  if (version.localeCompare(OLDEST_SQLITE, 'en', { numeric: true }) < 0)
    throw new StoreError('old-sqlite', `SQLite ${version} is too old: ${OLDEST_SQLITE} is the oldest that is safe with a write-ahead log.`)

  const application = pragma('application_id')
  const schema = Number(pragma('user_version'))
  const isEmpty = sqlite.prepare('select count(*) from sqlite_schema').pluck().get() === 0
  if (application !== APPLICATION_ID && !(application === 0 && schema === 0 && isEmpty))
    throw new StoreError('foreign-database', `${file} belongs to another program; it was left as it is.`)
  if (schema > newest)
    throw new StoreError(
      'newer-schema',
      `${file} was written by a newer version of Isthmus (schema ${schema}, this one knows ${newest}); start that version again.`,
    )

  const journal = pragma('journal_mode = wal')
  if (journal !== 'wal')
    throw new StoreError('not-wal', `${file} is on a disk without a write-ahead log (a network share?); use a folder on a local disk.`)
  for (const setting of [
    'synchronous = full',
    'fullfsync = on',
    'foreign_keys = on',
    'trusted_schema = off',
    'secure_delete = fast',
    'temp_store = memory',
    'mmap_size = 0',
    'journal_size_limit = 67108864',
  ])
    sqlite.pragma(setting)
  const found = pragma('quick_check(1)')
  if (found !== 'ok') throw damaged(file, String(found))
}

function migrate(sqlite: Sqlite.Database, file: string, migrations: readonly string[]): void {
  const done = Number(sqlite.pragma('user_version', { simple: true }))
  if (done > 0 && done < migrations.length) copyBefore(sqlite, `${file}.schema-${done}`)
  for (const [index, text] of migrations.entries()) {
    if (index < done) continue
    sqlite
      .transaction(() => {
        sqlite.exec(text)
        const broken = sqlite.pragma('foreign_key_check') as unknown[]
        if (broken.length > 0) throw new Error(`Schema ${index + 1} leaves ${broken.length} rows without the row they refer to`)
        sqlite.pragma(`application_id = ${APPLICATION_ID}`)
        sqlite.pragma(`user_version = ${index + 1}`)
      })
      .immediate()
  }
}

/** A copy of the database as the older version left it, so that the older version can be started again. */
function copyBefore(sqlite: Sqlite.Database, copy: string): void {
  rmSync(copy, { force: true })
  sqlite.prepare('vacuum into ?').run(copy)
  chmodSync(copy, 0o600)
}

function damaged(file: string, detail: string, cause?: unknown): StoreError {
  return new StoreError('damaged', `${file} is damaged (${detail}); nothing was changed. Keep the file and restore a copy.`, cause)
}

function translated(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  if (error.code === 'SQLITE_NOTADB') return new StoreError('not-a-database', `${file} is not a database; it was left as it is.`, error)
  if (error.code.startsWith('SQLITE_CORRUPT')) return damaged(file, error.message, error)
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|IOERR)/.test(error.code))
    return new StoreError('bad-folder', `The folder ${dirname(file)} cannot hold the database: ${error.message}.`, error)
  return error
}
