import type Sqlite from 'better-sqlite3'

/**
 * SQLite's own default: a commit that makes the log at least this long is followed by a checkpoint.
 */
const CHECKPOINT_PAGES = 1000
const PAGE_BYTES = 4096
/** Sizes of the parts of the log (SQLite file format, section 4.1). */
export const LOG_HEADER_BYTES = 32
export const FRAME_BYTES = 24 + PAGE_BYTES

/** The write-ahead log of the open database, as those see it who copy what is appended to it. */
export class WriteAheadLog {
  readonly #sqlite: Sqlite.Database

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite
  }

  /** Number of committed frames; between two turns of the event loop no transaction is open. */
  get frames(): number {
    return this.#checkpoint('noop')
  }

  /**
   * Moves all pages into the database and truncates the log. The next transaction begins it anew,
   * with another salt. @throws while a query is being iterated over
   */
  empty(): void {
    this.#checkpoint('truncate')
  }

  /** Whether SQLite makes checkpoints by itself, or only `empty` does. */
  setAutomaticCheckpoints(isOn: boolean): void {
    this.#sqlite.pragma(`wal_autocheckpoint = ${isOn ? CHECKPOINT_PAGES : 0}`)
  }

  #checkpoint(mode: 'noop' | 'truncate'): number {
    const [result] = this.#sqlite.pragma(`wal_checkpoint(${mode})`) as Checkpoint[]
    if (result?.busy !== 0) throw new Error('The write-ahead log is in use')
    return Math.max(0, result.log)
  }
}

interface Checkpoint {
  readonly busy: number
  readonly log: number
}
