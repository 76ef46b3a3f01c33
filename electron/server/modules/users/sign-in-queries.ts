import type { Database } from '#server/database/database.ts'

// The tables signInAttempts and signInLinks.

/**
 * Failed sign-ins of an account. Unknown addresses are counted too, so that they are slowed down
 * like any other. `accountHash` is the SHA-256 of the normalized e-mail address, in hex.
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

/** Deletes accounts whose last attempt was before the instant. */
export const purgeSignInAttempts = (database: Database, before: string) =>
  database.run(database.sql.deleteFrom('signInAttempts').where('lastAt', '<', before))

/** A one-time link; only the SHA-256 of its token is stored. */
export interface SignInLinkRecord {
  readonly tokenHash: string
  /** setup: allows creating the first owner; sign-in: signs its user in. */
  readonly kind: 'setup' | 'sign-in'
  /** The user of a sign-in link; null for a setup link. */
  readonly userId: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly usedAt: string | null
}

export const insertSignInLink = (database: Database, link: SignInLinkRecord) =>
  database.run(database.sql.insertInto('signInLinks').values(link))

/** The link, if it can be redeemed. */
export const findSignInLink = (database: Database, tokenHash: string, now: string) =>
  database.get(
    database.sql
      .selectFrom('signInLinks')
      .selectAll()
      .where('tokenHash', '=', tokenHash)
      .where('usedAt', 'is', null)
      .where('expiresAt', '>', now),
  )

/** Redeems a link and returns it; undefined if it cannot be redeemed. */
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

/** Deletes the links of the user. */
export const deleteSignInLinksOf = (database: Database, userId: string) =>
  database.run(database.sql.deleteFrom('signInLinks').where('userId', '=', userId))

/** Deletes links that expired before `now` and returns how many there were. */
export const purgeSignInLinks = (database: Database, now: string) =>
  database.run(database.sql.deleteFrom('signInLinks').where('expiresAt', '<=', now)).changes
