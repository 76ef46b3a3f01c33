import type { Database } from '#server/database/database.ts'

/**
 * The authenticator of an account. During setup, the new authenticator is stored next to the one in
 * use until it is confirmed by a code. Secrets are encrypted; recovery codes are stored as keyed
 * hashes only.
 */
export interface SecondFactorRecord {
  readonly userId: string
  /** In base32; null if none is in use. */
  readonly secret: string | null
  readonly since: string | null
  /** Time step of the last accepted code; each code is accepted once (RFC 6238 §5.2). */
  readonly lastStep: number | null
  readonly pending: string | null
  readonly pendingAt: string | null
}

const sealContext = (userId: string) => `second factor ${userId}`

export function findSecondFactor(
  database: Database,
  userId: string,
): SecondFactorRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('secondFactors').selectAll().where('userId', '=', userId),
  )
  if (!row) return undefined
  const opened = (bytes: Buffer | null) =>
    bytes && database.seal.open(bytes, sealContext(userId)).toString()
  const { sealedSecret, sealedPending, ...record } = row
  return { ...record, secret: opened(sealedSecret), pending: opened(sealedPending) }
}

export function putSecondFactor(
  database: Database,
  { secret, pending, ...record }: SecondFactorRecord,
) {
  const sealed = (text: string | null) =>
    text === null ? null : database.seal.seal(Buffer.from(text), sealContext(record.userId))
  const row = { ...record, sealedSecret: sealed(secret), sealedPending: sealed(pending) }
  const query = database.sql.insertInto('secondFactors').values(row)
  database.run(query.onConflict((old) => old.column('userId').doUpdateSet(row)))
}

/** Deletes the authenticator and the recovery codes. */
export function deleteSecondFactor(database: Database, userId: string) {
  setRecoveryCodes(database, userId, [])
  database.run(database.sql.deleteFrom('secondFactors').where('userId', '=', userId))
}

/** Replaces the recovery codes. */
export function setRecoveryCodes(
  database: Database,
  userId: string,
  codeHashes: readonly string[],
) {
  const { sql } = database
  database.run(sql.deleteFrom('secondFactorCodes').where('userId', '=', userId))
  for (const codeHash of codeHashes)
    database.run(sql.insertInto('secondFactorCodes').values({ userId, codeHash, usedAt: null }))
}

/** Redeems a recovery code. Returns false if it is unknown or already used. */
export const takeRecoveryCode = (
  database: Database,
  userId: string,
  codeHash: string,
  at: string,
): boolean =>
  database.run(
    database.sql
      .updateTable('secondFactorCodes')
      .set({ usedAt: at })
      .where('userId', '=', userId)
      .where('codeHash', '=', codeHash)
      .where('usedAt', 'is', null),
  ).changes > 0

export const countRecoveryCodes = (database: Database, userId: string) =>
  database.get(
    database.sql
      .selectFrom('secondFactorCodes')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('userId', '=', userId)
      .where('usedAt', 'is', null),
  )?.count ?? 0
