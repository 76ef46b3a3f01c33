import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'

/**
 * An authenticator of an account. One that is being set up stands beside the one in use until a
 * code has proven it.
 */
export interface SecondFactorRecord {
  readonly userId: string
  /** Base32; null where none is in use. */
  readonly secret: string | null
  readonly since: string | null
  /** Step of time of the last code that was taken (RFC 6238 §5.2: each is taken once). */
  readonly lastStep: number | null
  readonly pending: string | null
  readonly pendingAt: string | null
}

/** Secrets are sealed; of the codes for when it is lost only a keyed hash is kept. */
export interface SecondFactorsStore {
  get(userId: string): SecondFactorRecord | undefined
  put(record: SecondFactorRecord): void
  /** With its codes. */
  remove(userId: string): boolean
  /** In place of those before. */
  setCodes(userId: string, codeHashes: readonly string[]): void
  /** Whether there was such a code that had not been used. */
  takeCode(userId: string, codeHash: string, at: string): boolean
  codesLeft(userId: string): number
}

export function secondFactorsStore(db: Database, seal: Seal): SecondFactorsStore {
  const contextOf = (userId: string) => `second factor ${userId}`
  const sealed = (secret: string | null, userId: string) =>
    secret && seal.seal(Buffer.from(secret), contextOf(userId))
  const opened = (bytes: Buffer | null, userId: string) =>
    bytes && seal.open(bytes, contextOf(userId)).toString()
  return {
    get(userId) {
      const row = db.get(
        db.sql.selectFrom('secondFactors').selectAll().where('userId', '=', userId),
      )
      if (!row) return undefined
      const { sealedSecret, sealedPending, ...record } = row
      return {
        ...record,
        secret: opened(sealedSecret, userId),
        pending: opened(sealedPending, userId),
      }
    },
    put({ secret, pending, ...record }) {
      const { userId } = record
      const row = {
        ...record,
        sealedSecret: sealed(secret, userId) as Buffer | null,
        sealedPending: sealed(pending, userId) as Buffer | null,
      }
      const query = db.sql.insertInto('secondFactors').values(row)
      db.run(query.onConflict((old) => old.column('userId').doUpdateSet(row)))
    },
    remove(userId) {
      db.run(db.sql.deleteFrom('secondFactorCodes').where('userId', '=', userId))
      return db.run(db.sql.deleteFrom('secondFactors').where('userId', '=', userId)).changes > 0
    },
    setCodes(userId, codeHashes) {
      db.run(db.sql.deleteFrom('secondFactorCodes').where('userId', '=', userId))
      for (const codeHash of codeHashes)
        db.run(db.sql.insertInto('secondFactorCodes').values({ userId, codeHash, usedAt: null }))
    },
    takeCode: (userId, codeHash, at) =>
      db.run(
        db.sql
          .updateTable('secondFactorCodes')
          .set({ usedAt: at })
          .where('userId', '=', userId)
          .where('codeHash', '=', codeHash)
          .where('usedAt', 'is', null),
      ).changes > 0,
    codesLeft: (userId) =>
      db.get(
        db.sql
          .selectFrom('secondFactorCodes')
          .select((of) => of.fn.countAll<number>().as('count'))
          .where('userId', '=', userId)
          .where('usedAt', 'is', null),
      )?.count ?? 0,
  }
}
