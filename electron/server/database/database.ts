import type Sqlite from 'better-sqlite3'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import { tryWrite } from '#server/platform/write-health.ts'
import { message } from '#shared/messages/message.ts'
import { openDatabaseFile } from './database-file.ts'
import type { Seal } from './encryption.ts'
import { GroupCommit } from './group-commit.ts'
import { MIGRATIONS } from './migrations.ts'
import { changesReplies } from './query.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'
import { openWalSync, type WalSync } from './wal-sync.ts'

const MOST_STATEMENTS = 256
/** Of 4 KiB, copied in one turn of the event loop. */
const COPIED_PAGES = 256
const COUNTED = [
  'users',
  'devices',
  'settings',
  'expressCustomers',
  'studies',
  'reports',
  'imageStudies',
  'auditEntries',
] as const

interface Statement {
  readonly prepared: Sqlite.Statement
  readonly isWrite: boolean
  readonly isChange: boolean
}

/**
 * What listeners are told of after the commit of a change, such as of a job that was added; the
 * outbox has a topic for each kind of row.
 */
export type Topic =
  | 'studies'
  | 'mismatches'
  | 'events'
  | 'endpoints'
  | 'audit'
  | 'forwards'
  | 'image studies'
  | 'commitments'
  | 'critical results'
  | `outbox ${string}`

/**
 * The one connection to the one database. Queries are built with kysely (`database.sql`) and run
 * synchronously. A statement that returned is durable when no transaction is open: WAL,
 * `synchronous=FULL`.
 */
export class Database implements Disposable {
  /** Builds queries; only `all`, `get` and `run` execute them. */
  readonly sql = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      // Stryker disable next-line ArrowFunction: queries are only built, so nothing asks for a
      // connection
      createDriver: () => new DummyDriver(),
      // Stryker disable next-line ArrowFunction: nothing asks kysely for the tables of the database
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  readonly #sqlite: Sqlite.Database
  readonly #seal: Seal | undefined
  readonly #statements = new LRUCache<string, Statement>({ max: MOST_STATEMENTS })
  readonly #boundaries: Record<
    'begin' | 'commit' | 'rollback' | 'enter' | 'leave' | 'back',
    Sqlite.Statement
  >
  readonly #wal: WalSync
  #afterCommit: (() => void)[] = []
  readonly #listeners = new Map<Topic, Set<() => void>>()
  #changeCount = 0
  /** Writes that were run, of the open transaction too. */
  #writes = 0
  #onWrite: (error: unknown) => void = () => undefined
  readonly #foreignVersion: Sqlite.Statement
  #foreignSeen: unknown
  readonly #group: GroupCommit

  /**
   * Opens or creates the database and brings it to the newest schema. The file is made readable by
   * its owner only.
   * @throws StoreError bad-folder, not-a-database, foreign-database, newer-schema, damaged,
   *   not-wal, old-sqlite
   */
  static open(
    file: string,
    {
      migrations = MIGRATIONS,
      isChecked,
      seal,
    }: {
      readonly migrations?: readonly string[]
      /** Its pages were checked a moment ago, such as of a backup that was opened. */
      readonly isChecked?: boolean
      readonly seal?: Seal
    } = {},
  ): Database {
    return new Database(openDatabaseFile(file, migrations, isChecked), openWalSync(file), seal)
  }

  private constructor(sqlite: Sqlite.Database, wal: WalSync, seal: Seal | undefined) {
    this.#seal = seal
    this.#sqlite = sqlite
    this.#wal = wal
    this.#foreignVersion = sqlite.prepare('pragma data_version').pluck()
    this.#boundaries = {
      begin: sqlite.prepare('begin immediate'),
      commit: sqlite.prepare('commit'),
      rollback: sqlite.prepare('rollback'),
      enter: sqlite.prepare('savepoint part'),
      leave: sqlite.prepare('release part'),
      back: sqlite.prepare('rollback to part'),
    }
    this.#group = new GroupCommit(
      sqlite,
      wal,
      (work) => this.transaction(work),
      (error) => this.#onWrite(error),
    )
  }

  /** What columns named `sealed…` are encrypted under. */
  get seal(): Seal {
    if (!this.#seal) throw new Error('The database was opened without its data key')
    return this.#seal
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
    const { prepared, isChange, isWrite } = this.#prepare(sql)
    if (isChange) this.#changeCount++
    if (isWrite) this.#writes++
    for (const row of prepared.iterate(...parameters)) yield row as T
  }

  /** Runs a change; `changes` counts the rows it touched. */
  run(query: Compilable<unknown>): { readonly changes: number; readonly lastInsertRowid: number } {
    const { sql, parameters } = query.compile()
    const prepared = this.#statement(sql)
    try {
      const { changes, lastInsertRowid } = prepared.run(...parameters)
      if (!this.#sqlite.inTransaction) this.#onWrite(undefined)
      return { changes, lastInsertRowid: Number(lastInsertRowid) }
    } catch (error) {
      this.#onWrite(error)
      throw error
    }
  }

  /**
   * Grows with every statement that changes what the interface answers from, before it runs,
   * whether or not it is committed, and with every commit of another connection
   * (`PRAGMA data_version`): what was read outside a transaction is as it was while this number is
   * the same.
   */
  get changeCount(): number {
    this.#open()
    const foreign = this.#foreignVersion.get()
    if (foreign !== this.#foreignSeen) {
      this.#foreignSeen = foreign
      this.#changeCount++
    }
    return this.#changeCount
  }

  /**
   * Whether a transaction is open: what is read now may still be rolled back, so it must not be
   * remembered.
   */
  get inTransaction(): boolean {
    return this.#sqlite.inTransaction
  }

  /**
   * Calls `noted` with undefined when something was written and committed, and with the error of a
   * write that failed. It must not throw.
   */
  onWrite(noted: (error: unknown) => void): void {
    this.#onWrite = noted
  }

  /**
   * All of `work` or nothing; durable when it returns. Inside another transaction it joins it, and
   * undoes only itself on a throw.
   */
  transaction<T>(work: () => T): T {
    const { begin, commit, rollback, enter, leave, back } = this.#boundaries
    const joins = this.#open().inTransaction
    const mark = this.#afterCommit.length
    const writes = this.#writes
    let result: T
    if (joins) enter.run()
    else begin.run()
    try {
      result = work()
      if (result instanceof Promise)
        throw new TypeError('A transaction is synchronous: nothing in it can be awaited')
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
      this.#onWrite(error)
      throw error
    }
    if (joins) return result
    if (this.#writes > writes) this.#onWrite(undefined)
    for (const heard of this.#afterCommit.splice(0)) heard()
    return result
  }

  /**
   * Calls `heard` when the open transaction has committed, never when it is rolled back; at once
   * where none is open. It must not throw.
   */
  afterCommit(heard: () => void): void {
    if (this.#sqlite.inTransaction) this.#afterCommit.push(heard)
    else heard()
  }

  /** Calls the topic's listeners when the open transaction has committed, once for each call. */
  notify(topic: Topic): void {
    this.afterCommit(() => {
      for (const listener of this.#listeners.get(topic) ?? []) listener()
    })
  }

  /**
   * Calls the listener after each commit of what the topic names. It must not throw. Returns what
   * stops it.
   */
  subscribe(topic: Topic, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /**
   * Group commit: runs `write` at the next turn of the event loop in one transaction with everybody
   * else who is waiting, each under its own savepoint. Resolves when the transaction is durable; a
   * `write` that throws is undone and rejects alone. The event loop does not wait for the disk:
   * others can read what was written a moment before it is durable.
   */
  async commitSoon<T>(write: () => T): Promise<T> {
    this.#open()
    return this.#group.add(write)
  }

  /**
   * Resolves when all that was committed before the call is on the disk. Rejects where that is
   * unknown.
   */
  async durable(): Promise<void> {
    if (this.#wal.hasFailed) throw new StoreError('closed', message('database.state-unknown'))
    await this.#wal.sync()
  }

  /**
   * Commits whoever waits for a group commit, and syncs; false where it is unknown whether the disk
   * has all of it.
   */
  syncNow(): boolean {
    this.#group.commitAll()
    return this.#wal.syncNow()
  }

  /**
   * Writes what is there already, and lets the disk have it: it can be written to now. @throws the
   * error of SQLite
   */
  proveWritable(): void {
    this.transaction(() => {
      const version = this.#sqlite.pragma('user_version', { simple: true })
      this.#sqlite.pragma(`user_version = ${Number(version)}`)
    })
  }

  /**
   * Copies the database into a new file while it is used; `onProgress` hears the share that is
   * done. Resolves with the rows that the copy must have of each table that people would miss.
   */
  async backup(
    file: string,
    onProgress: (share: number) => void,
  ): Promise<Readonly<Record<string, number>>> {
    return this.#open()
      .backup(file, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress((totalPages - remainingPages) / totalPages)
          return COPIED_PAGES
        },
      })
      .then(() =>
        // In the turn in which the copy ended: nothing was written in between.
        Object.fromEntries(
          COUNTED.map((table) => [
            table,
            Number(this.#open().prepare(`select count(*) from "${table}"`).pluck().get()),
          ]),
        ),
      )
  }

  /** The statement, about to be run. */
  #statement(sql: string): Sqlite.Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#prepare(sql)
      this.#statements.set(sql, statement)
    }
    if (statement.isChange) this.#changeCount++
    if (statement.isWrite) this.#writes++
    return statement.prepared
  }

  #prepare(sql: string): Statement {
    const prepared = this.#open().prepare(sql)
    const isWrite = !prepared.readonly
    return { prepared, isWrite, isChange: isWrite && changesReplies(sql) }
  }

  #open(): Sqlite.Database {
    if (!this.#sqlite.open) throw new StoreError('closed', message('database.closed'))
    return this.#sqlite
  }

  /** Writes what still waits for its group commit, then closes. */
  [Symbol.dispose](): void {
    if (!this.#sqlite.open) return
    this.#group.commitAll()
    // What the log holds is read from it at the next start, where the disk does not take it now.
    tryWrite(() => this.#sqlite.pragma('wal_checkpoint(truncate)'))
    this.#wal.close()
    this.#sqlite.close()
  }
}

/**
 * A value for each open database, such as an index of a table that is read often: made when it is
 * first asked for, gone with the database.
 */
export function perDatabase<T>(make: (database: Database) => T): (database: Database) => T {
  const all = new WeakMap<Database, T>()
  return (database) => {
    const known = all.get(database)
    if (known !== undefined) return known
    const made = make(database)
    all.set(database, made)
    return made
  }
}
