import type { Database } from '#server/database/database.ts'
import type { AuditAnchor } from './audit-anchor.ts'

/** The end of the chain. */
export interface Head {
  readonly count: number
  readonly hash: string
  /**
   * Sequence number of the first keyed entry. Undefined until the chain of an older version, or of
   * a new database, has been closed (`keyChain`); null if it is unknown because the head was lost.
   */
  readonly keyedFrom?: number | null | undefined
}

export type StoredHead = Head | 'missing' | 'unreadable'

export const EMPTY_HEAD = { count: 0, hash: '0'.repeat(64) } as const satisfies Head

/**
 * The end of the chain as recorded in three places: the entries, the encrypted head, and the anchor
 * outside the database.
 */
export class AuditHead {
  readonly #database: Database
  readonly #anchor: AuditAnchor | undefined
  /** The newest entry committed by this process. */
  committed: Head = EMPTY_HEAD

  constructor(database: Database, anchor: AuditAnchor | undefined) {
    this.#database = database
    this.#anchor = anchor
  }

  read(): StoredHead {
    const { sql, seal } = this.#database
    const row = this.#database.get(sql.selectFrom('auditHead').select('sealed'))
    if (!row) return 'missing'
    try {
      return JSON.parse(seal.open(row.sealed, 'audit head').toString()) as Head
    } catch {
      return 'unreadable'
    }
  }

  write(head: Head): void {
    const { sql, seal } = this.#database
    const sealed = seal.seal(Buffer.from(JSON.stringify(head)), 'audit head')
    this.#database.run(
      sql
        .insertInto('auditHead')
        .values({ id: 1, sealed })
        .onConflict((old) => old.column('id').doUpdateSet({ sealed })),
    )
  }

  hashAt(seq: number): string | undefined {
    const { sql } = this.#database
    return this.#database
      .get(sql.selectFrom('auditEntries').select('hash').where('seq', '=', seq))
      ?.hash.toString('hex')
  }

  newestEntry(): Head {
    const { sql } = this.#database
    const row = this.#database.get(
      sql.selectFrom('auditEntries').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1),
    )
    return row ? { count: row.seq, hash: row.hash.toString('hex') } : EMPTY_HEAD
  }

  /** The newest entry known outside the database. */
  known(): Head {
    const kept = this.#anchor?.anchor ?? EMPTY_HEAD
    return kept.count > this.committed.count ? kept : this.committed
  }

  /**
   * Whether the marker row for unkeyed entries exists. It is not encrypted and anyone with SQL
   * access can write it, so it proves nothing on its own.
   */
  hasUnkeyedRow(): boolean {
    const { sql } = this.#database
    return this.#database.get(sql.selectFrom('auditUnkeyed').select('id')) !== undefined
  }

  /** Whether the database is still unused: it has no entries and no users. */
  isNew(): boolean {
    const { sql } = this.#database
    return (
      this.read() === 'missing' &&
      this.newestEntry().count === 0 &&
      this.hasUnkeyedRow() &&
      this.#database.get(sql.selectFrom('users').select('userId').limit(1)) === undefined
    )
  }
}
