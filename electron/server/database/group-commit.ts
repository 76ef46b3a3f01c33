import type Sqlite from 'better-sqlite3'
import type { WalSync } from './wal-sync.ts'

/** Maximum number of writers in one commit, which bounds how long the event loop is blocked. */
const MAX_WRITERS = 256

interface Writer {
  readonly write: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits the writers of one turn of the event loop in one transaction, each under its own
 * savepoint, with one disk sync on a thread.
 */
export class GroupCommit {
  readonly #sqlite: Sqlite.Database
  readonly #wal: WalSync
  readonly #transaction: <T>(work: () => T) => T
  readonly #onFailure: (error: unknown) => void
  #writers: Writer[] = []
  #turn: NodeJS.Immediate | undefined

  constructor(
    sqlite: Sqlite.Database,
    wal: WalSync,
    transaction: <T>(work: () => T) => T,
    onFailure: (error: unknown) => void,
  ) {
    this.#sqlite = sqlite
    this.#wal = wal
    this.#transaction = transaction
    this.#onFailure = onFailure
  }

  /** Resolves when the write is durable; a write that throws is undone and rejects alone. */
  add<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#writers.push({ write, resolve: resolve as (value: unknown) => void, reject })
      this.#turn ??= setImmediate(() => this.#commit())
    })
  }

  /** Commits and syncs all pending writes before it returns. */
  commitAll(): void {
    while (this.#writers.length > 0) {
      // The scheduled commit would run after the database is closed.
      clearImmediate(this.#turn)
      this.#commit(true)
    }
  }

  #commit(isLast = false): void {
    const writers = this.#writers.splice(0, MAX_WRITERS)
    this.#turn = this.#writers.length > 0 ? setImmediate(() => this.#commit()) : undefined
    const settlers: (() => void)[] = []
    const rejectAll = (error: unknown) => {
      this.#onFailure(error)
      for (const { reject } of writers) reject(error)
    }
    // Commits without a sync; the sync follows on a thread.
    const isRelaxed = !isLast && !this.#wal.hasFailed
    try {
      // Executed rather than prepared, because SQLite applies this pragma when the statement is
      // compiled, not each time it runs.
      if (isRelaxed) this.#sqlite.exec('pragma synchronous = normal')
      this.#transaction(() => {
        for (const { write, resolve, reject } of writers) {
          try {
            const value = this.#transaction(write)
            settlers.push(() => resolve(value))
          } catch (error) {
            if (!this.#sqlite.inTransaction) throw error
            settlers.push(() => reject(error))
          }
        }
      })
    } catch (error) {
      rejectAll(error)
      return
    } finally {
      if (isRelaxed && this.#sqlite.open) this.#sqlite.exec('pragma synchronous = full')
    }
    const resolveAll = () => {
      for (const settle of settlers) settle()
    }
    if (isRelaxed) this.#wal.sync().then(resolveAll, rejectAll)
    else resolveAll()
  }
}
