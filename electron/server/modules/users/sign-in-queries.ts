import type { Database } from '#server/database/database.ts'

// The tables signInAttempts and signInLinks.

/**
 * Failed sign-ins of one account, known or not: an address that nobody has is slowed down like any
 * other. `accountHash` is the SHA-256 of the e-mail's key, in hex.
 */
export const signInAttempts = (database: Database, accountHash: string) =>
  database.get(
    database.sql.selectFrom('signInAttempts').selectAll().where('accountHash', '=', accountHash),
  )

export const putSignInAttempts = (
  database: Database,
  record: NonNullable<ReturnType<typeof signInAttempts>>,
) =>
  database.run(
    database.sql
      .insertInto('signInAttempts')
      .values(record)
      .onConflict((old) => old.column('accountHash').doUpdateSet(record)),
  )

export const clearSignInAttempts = (database: Database, accountHash: string) =>
  database.run(database.sql.deleteFrom('signInAttempts').where('accountHash', '=', accountHash))

/** Forgets accounts whose last attempt was before the instant. */
export const purgeSignInAttempts = (database: Database, before: string) =>
  database.run(database.sql.deleteFrom('signInAttempts').where('lastAt', '<', before))

/** A one-time link; only the SHA-256 of its token is kept. */
export interface SignInLinkRecord {
  readonly tokenHash: string
  /** setup: allows the first owner to be made; sign-in: signs its user in. */
  readonly kind: 'setup' | 'sign-in'
  /** The user of a sign-in link, null for set-up. */
  readonly userId: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly usedAt: string | null
}

export const insertSignInLink = (database: Database, link: SignInLinkRecord) =>
  database.run(database.sql.insertInto('signInLinks').values(link))

/** The link while it can be redeemed. */
export const findSignInLink = (database: Database, tokenHash: string, now: string) =>
  database.get(
    database.sql
      .selectFrom('signInLinks')
      .selectAll()
      .where('tokenHash', '=', tokenHash)
      .where('usedAt', 'is', null)
      .where('expiresAt', '>', now),
  )

/** The link, which can never be redeemed again; undefined where it cannot be. */
export const redeemSignInLink = (database: Database, tokenHash: string, now: string) =>
  database.get(
    database.sql
      .updateTable('signInLinks')
      .set({ usedAt: now })
      .where('tokenHash', '=', tokenHash)
      .where('usedAt', 'is', null)
      .where('expiresAt', '>', now)
      .returningAll(),
  )

/** Forgets the links of the user. */
export const deleteSignInLinksOf = (database: Database, userId: string) =>
  database.run(database.sql.deleteFrom('signInLinks').where('userId', '=', userId))

/** Forgets links that ended before `now`; returns how many. */
export const purgeSignInLinks = (database: Database, now: string) =>
  database.run(database.sql.deleteFrom('signInLinks').where('expiresAt', '<=', now)).changes
