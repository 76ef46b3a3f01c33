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
import { type CheckTime, copyDatabase, openDatabaseFile } from './database-file.ts'
import type { Seal } from './encryption.ts'
import { GroupCommit } from './group-commit.ts'
import { IntegrityCheck } from './integrity-check.ts'
import { MIGRATIONS } from './migrations.ts'
import { changesReplies, withFixedPlan } from './query.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'
import { openWalSync, type WalSync } from './wal-sync.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

const MAX_STATEMENTS = 256

interface Statement {
  readonly prepared: Sqlite.Statement
  readonly isWrite: boolean
  readonly isChange: boolean
}

/**
 * Topics that listeners subscribe to; they are called after the commit of a change, such as a new
 * job. The outbox has one topic for each kind of row.
 */
export type Topic =
  | 'studies'
  | 'mismatches'
  | 'events'
  | 'endpoints'
  | 'audit'
  | 'forwards'
  | 'tier copies'
  | 'removed files'
  | 'returned files'
  | 'image studies'
  | 'commitments'
  | 'confirmations'
  | 'critical results'
  | 'secrets'
  | `outbox ${string}`

/**
 * The single connection to the database. Queries are built with kysely (`database.sql`) and run
 * synchronously. A statement outside a transaction is durable when it returns (WAL,
 * `synchronous=FULL`).
 */
export class Database implements Disposable {
  /** Builds queries; only `all`, `each`, `get` and `run` execute them. */
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
  readonly #statements = new LRUCache<string, Statement>({ max: MAX_STATEMENTS })
  readonly #transactionStatements: Record<
    'begin' | 'commit' | 'rollback' | 'enter' | 'leave' | 'back',
    Sqlite.Statement
  >
  /** Names of the columns in the conditions of partial indexes, and other words of them. */
  readonly #partialIndexWords: ReadonlySet<string>
  readonly #wal: WalSync
  #afterCommit: (() => void)[] = []
  readonly #listeners = new Map<Topic, Set<() => void>>()
  #changeCount = 0
  /** Number of writes executed, including those of the open transaction. */
  #writes = 0
  #onWrite: (error: unknown) => void = () => undefined
  readonly #foreignVersion: Sqlite.Statement
  #foreignSeen: unknown
  readonly #group: GroupCommit
  /** The check of every page, which may still have to be made. */
  readonly integrity: IntegrityCheck
  /** For the standby, which receives what is appended to it. */
  readonly writeAheadLog: WriteAheadLog

  /**
   * Opens or creates the database and migrates it to the newest schema. The file is readable only
   * by its owner.
   * @throws StoreError bad-folder, not-a-database, foreign-database, newer-schema, damaged,
   * not-wal, old-sqlite
   */
  static open(
    file: string,
    {
      migrations = MIGRATIONS,
      check,
      seal,
    }: {
      readonly migrations?: readonly string[]
      /** Defaults to `before`. Whoever opens with `later` calls `integrity.begin`. */
      readonly check?: CheckTime
      readonly seal?: Seal
    } = {},
  ): Database {
    const { sqlite, isChecked } = openDatabaseFile(file, migrations, check)
    return new Database(sqlite, openWalSync(file), seal, new IntegrityCheck(file, isChecked))
  }

  private constructor(
    sqlite: Sqlite.Database,
    wal: WalSync,
    seal: Seal | undefined,
    integrity: IntegrityCheck,
  ) {
    this.#seal = seal
    this.integrity = integrity
    this.#sqlite = sqlite
    this.#wal = wal
    this.writeAheadLog = new WriteAheadLog(sqlite)
    this.#foreignVersion = sqlite.prepare('pragma data_version').pluck()
    this.#transactionStatements = {
      begin: sqlite.prepare('begin immediate'),
      commit: sqlite.prepare('commit'),
      rollback: sqlite.prepare('rollback'),
      enter: sqlite.prepare('savepoint part'),
      leave: sqlite.prepare('release part'),
      back: sqlite.prepare('rollback to part'),
    }
    const conditions = sqlite
      .prepare("select sql from sqlite_master where type = 'index' and sql like '% where %'")
      .pluck()
      .all() as string[]
    this.#partialIndexWords = new Set(
      conditions.flatMap((text) => text.slice(text.search(/\bwhere\b/i)).match(/\w+/g) ?? []),
    )
    this.#group = new GroupCommit(
      sqlite,
      wal,
      (work) => this.transaction(work),
      (error) => this.#onWrite(error),
    )
  }

  /** Encrypts the columns named `sealed…`. */
  get seal(): Seal {
    if (!this.#seal) throw new Error('The database was opened without its data key')
    return this.#seal
  }

  /** Returns all rows of the query. */
  all<T>(query: Compilable<T>): T[] {
    const { sql, parameters } = query.compile()
    return this.#statement(sql).all(...parameters) as T[]
  }

  /** Returns the first row of the query. */
  get<T>(query: Compilable<T>): T | undefined {
    const { sql, parameters } = query.compile()
    return this.#statement(sql).get(...parameters) as T | undefined
  }

  /** Iterates over the rows of the query. The database is busy until the loop ends. */
  *each<T>(query: Compilable<T>): Generator<T, void, void> {
    const { sql, parameters } = query.compile()
    // Not taken from the cache, because a statement cannot run twice at the same time.
    const { prepared, isChange, isWrite } = this.#prepare(sql)
    if (isChange) this.#changeCount++
    if (isWrite) this.#writes++
    for (const row of prepared.iterate(...parameters)) yield row as T
  }

  /** Executes a change; `changes` is the number of affected rows. */
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
   * A counter for detecting stale reads. It increases before each statement that changes data
   * served by the interface, committed or not, and with each commit of another connection (`PRAGMA
   * data_version`). What was read outside a transaction is current as long as the counter is
   * unchanged.
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
   * Whether a transaction is open. What is read during one may be rolled back and must not be
   * cached.
   */
  get inTransaction(): boolean {
    return this.#sqlite.inTransaction
  }

  /**
   * Registers the callback that observes writes: called with undefined after a committed write, and
   * with the error after a failed one. It must not throw.
   */
  onWrite(observer: (error: unknown) => void): void {
    this.#onWrite = observer
  }

  /**
   * Runs `work` in a transaction; durable on return. A nested call uses a savepoint, so that a
   * throw undoes only the nested work.
   */
  transaction<T>(work: () => T): T {
    const { begin, commit, rollback, enter, leave, back } = this.#transactionStatements
    const isNested = this.#open().inTransaction
    const mark = this.#afterCommit.length
    const writes = this.#writes
    let result: T
    if (isNested) enter.run()
    else begin.run()
    try {
      result = work()
      if (result instanceof Promise)
        throw new TypeError('A transaction is synchronous: nothing in it can be awaited')
      if (isNested) leave.run()
      else commit.run()
    } catch (error) {
      this.#afterCommit.length = mark
      // After a full or failing disk SQLite has already rolled back.
      if (this.#sqlite.inTransaction) {
        if (isNested) {
          back.run()
          leave.run()
        } else rollback.run()
      }
      this.#onWrite(error)
      throw error
    }
    if (isNested) return result
    if (this.#writes > writes) this.#onWrite(undefined)
    for (const callback of this.#afterCommit.splice(0)) callback()
    return result
  }

  /**
   * Calls the callback after the open transaction commits, and never after a rollback. Without an
   * open transaction it is called immediately. It must not throw.
   */
  afterCommit(callback: () => void): void {
    if (this.#sqlite.inTransaction) this.#afterCommit.push(callback)
    else callback()
  }

  /** Notifies the topic's listeners after the open transaction commits, once per call. */
  notify(topic: Topic): void {
    this.afterCommit(() => {
      for (const listener of this.#listeners.get(topic) ?? []) listener()
    })
  }

  /**
   * Calls the listener after each commit that concerns the topic. It must not throw. Returns a
   * function that unsubscribes.
   */
  subscribe(topic: Topic, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /**
   * Group commit: runs `write` on the next turn of the event loop in one transaction with all other
   * pending writes, each under its own savepoint. Resolves when the transaction is durable; a
   * `write` that throws is undone and rejects alone. Because the event loop does not wait for the
   * disk, other code can read what was written shortly before it is durable.
   */
  async commitSoon<T>(write: () => T): Promise<T> {
    this.#open()
    return this.#group.add(write)
  }

  /**
   * Resolves when everything committed before the call is durable. Rejects if that cannot be
   * determined.
   */
  async durable(): Promise<void> {
    if (this.#wal.hasFailed) throw new StoreError('closed', message('database.state-unknown'))
    await this.#wal.sync()
  }

  /** Commits pending group commits and syncs; false if a sync failed and durability is unknown. */
  syncNow(): boolean {
    this.#group.commitAll()
    return this.#wal.syncNow()
  }

  /**
   * Rewrites existing data durably, to test that the database can be written to. @throws the SQLite
   * error
   */
  testWrite(): void {
    this.transaction(() => {
      const version = this.#sqlite.pragma('user_version', { simple: true })
      this.#sqlite.pragma(`user_version = ${Number(version)}`)
    })
  }

  /**
   * Copies the database into a new file while it stays in use; `onProgress` receives the completed
   * fraction. Resolves with the row counts the copy must have of the tables that matter to users.
   */
  async backup(
    file: string,
    onProgress: (share: number) => void,
  ): Promise<Readonly<Record<string, number>>> {
    return await copyDatabase(this.#open(), file, onProgress)
  }

  /** The prepared statement, counted as about to run. */
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
    const prepared = this.#open().prepare(withFixedPlan(sql, this.#partialIndexWords))
    const isWrite = !prepared.readonly
    return { prepared, isWrite, isChange: isWrite && changesReplies(sql) }
  }

  #open(): Sqlite.Database {
    if (!this.#sqlite.open) throw new StoreError('closed', message('database.closed'))
    return this.#sqlite
  }

  /** Commits pending group commits, then closes. */
  [Symbol.dispose](): void {
    if (!this.#sqlite.open) return
    this.#group.commitAll()
    // If the checkpoint fails, the write-ahead log is read at the next start.
    tryWrite(() => this.#sqlite.pragma('wal_checkpoint(truncate)'))
    this.#wal.close()
    this.#sqlite.close()
  }
}

/**
 * Attaches a value to each open database, such as an index of a frequently read table. It is
 * created on first use and released with the database.
 */
export function perDatabase<T>(make: (database: Database) => T): (database: Database) => T {
  const all = new WeakMap<Database, T>()
  return (database) => {
    const known = all.get(database)
    if (known !== undefined) return known
    const created = make(database)
    all.set(database, created)
    return created
  }
}
