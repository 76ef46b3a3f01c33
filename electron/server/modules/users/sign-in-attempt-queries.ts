import type { Database } from '#server/database/database.ts'

/**
 * Failed sign-ins of one account, known or not: an address that nobody has is slowed down like any
 * other.
 */
export interface SignInAttemptsRecord {
  /** SHA-256 of the e-mail's key, in hex. */
  readonly accountHash: string
  readonly failures: number
  readonly lastAt: string
  readonly blockedUntil: string | null
}

export interface SignInAttemptsStore {
  get(accountHash: string): SignInAttemptsRecord | undefined
  put(record: SignInAttemptsRecord): void
  clear(accountHash: string): void
  /** Forgets accounts whose last attempt was before the instant. */
  purge(before: string): number
}

export function signInAttemptsStore(db: Database): SignInAttemptsStore {
  return {
    get: (accountHash) =>
      db.get(
        db.sql.selectFrom('signInAttempts').selectAll().where('accountHash', '=', accountHash),
      ),
    put: (record) =>
      void db.run(
        db.sql
          .insertInto('signInAttempts')
          .values(record)
          .onConflict((old) => old.column('accountHash').doUpdateSet(record)),
      ),
    clear: (accountHash) =>
      void db.run(db.sql.deleteFrom('signInAttempts').where('accountHash', '=', accountHash)),
    purge: (before) =>
      db.run(db.sql.deleteFrom('signInAttempts').where('lastAt', '<', before)).changes,
  }
}
