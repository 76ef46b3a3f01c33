import type { Database } from '#server/database/database.ts'
import type { AuditAnchor } from './audit-anchor.ts'

/** What the chain ends in. */
export interface Head {
  readonly count: number
  readonly hash: string
  /**
   * The first keyed entry. Undefined until the chain of a version without keyed entries, or of a
   * new database, was closed (`keyChain`); null where it is unknown, since a head was lost.
   */
  readonly keyedFrom?: number | null | undefined
}

export type StoredHead = Head | 'missing' | 'unreadable'

export const NOTHING = { count: 0, hash: '0'.repeat(64) } as const satisfies Head

/** The end of the chain: in the entries, in the encrypted head, and outside the database. */
export class AuditHead {
  readonly #database: Database
  readonly #anchor: AuditAnchor | undefined
  /** The newest entry that this process committed. */
  committed: Head = NOTHING

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
    return row ? { count: row.seq, hash: row.hash.toString('hex') } : NOTHING
  }

  /** The newest entry known outside the database. */
  known(): Head {
    const kept = this.#anchor?.anchor ?? NOTHING
    return kept.count > this.committed.count ? kept : this.committed
  }

  /** Not encrypted: on its own it says nothing, as anybody with SQL can write it. */
  hasUnkeyedRow(): boolean {
    const { sql } = this.#database
    return this.#database.get(sql.selectFrom('auditUnkeyed').select('id')) !== undefined
  }

  /** Whether nothing was written yet. Somebody who uses the gateway is in `users`. */
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
