import type { Database } from '#server/database/database.ts'

/**
 * A one-time link. setup: allows the first owner to be made; sign-in: signs its user in. Only the
 * SHA-256 of the token is stored.
 */
export interface SignInLinkRecord {
  readonly tokenHash: string
  readonly kind: 'setup' | 'sign-in'
  /** The user of a sign-in link, null for set-up. */
  readonly userId: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly usedAt: string | null
}

export interface SignInLinksStore {
  insert(link: SignInLinkRecord): void
  /** The link while it can be redeemed. */
  find(tokenHash: string, now: string): SignInLinkRecord | undefined
  /** The link, which can never be redeemed again. */
  redeem(tokenHash: string, now: string): SignInLinkRecord | undefined
  /** Forgets the links of the user. */
  removeOf(userId: string): void
  /** Forgets links that ended before `now`. */
  purge(now: string): number
}

export function signInLinksStore(db: Database): SignInLinksStore {
  return {
    insert: (link) => void db.run(db.sql.insertInto('signInLinks').values(link)),
    find: (tokenHash, now) =>
      db.get(
        db.sql
          .selectFrom('signInLinks')
          .selectAll()
          .where('tokenHash', '=', tokenHash)
          .where('usedAt', 'is', null)
          .where('expiresAt', '>', now),
      ) as SignInLinkRecord | undefined,
    redeem: (tokenHash, now) =>
      db.get(
        db.sql
          .updateTable('signInLinks')
          .set({ usedAt: now })
          .where('tokenHash', '=', tokenHash)
          .where('usedAt', 'is', null)
          .where('expiresAt', '>', now)
          .returningAll(),
      ) as SignInLinkRecord | undefined,
    removeOf: (userId) =>
      void db.run(db.sql.deleteFrom('signInLinks').where('userId', '=', userId)),
    purge: (now) => db.run(db.sql.deleteFrom('signInLinks').where('expiresAt', '<=', now)).changes,
  }
}
