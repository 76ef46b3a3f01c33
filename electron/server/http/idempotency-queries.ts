import { hash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'

/** How long a response is stored under its key. */
const RETENTION_MS = 24 * 60 * 60_000

/**
 * The scope of an `Idempotency-Key`: the same key of another caller or on another path is
 * independent.
 */
export interface IdempotencySlot {
  /** The caller, as named by `callerName`. */
  readonly caller: string
  /** Method and path without query, such as `POST /v1/express`. */
  readonly call: string
  readonly key: string
}

/** The response stored under a key; its body is encrypted at rest. */
export interface StoredAnswer {
  /** HTTP status, 200 to 499. */
  readonly status: number
  readonly body: string
  /** SHA-256 in hex of the request's body. */
  readonly bodyHash: string
}

/** Deletes responses older than 24 hours; returns how many. */
export const purgeStoredAnswers = ({ database, clock }: Context): number =>
  database.run(
    database.sql.deleteFrom('idempotencyKeys').where('createdAt', '<=', retentionCutoff(clock)),
  ).changes

const retentionCutoff = (clock: Clock) => instantOf(clock() - RETENTION_MS)

/** The stored response of a slot, unless it is older than 24 hours. */
export function findAnswer(
  { database, clock }: Context,
  slot: IdempotencySlot,
): StoredAnswer | undefined {
  const keyHash = hashOf(slot)
  const row = database.get(
    database.sql
      .selectFrom('idempotencyKeys')
      .selectAll()
      .where('keyHash', '=', keyHash)
      .where('createdAt', '>', retentionCutoff(clock)),
  )
  return (
    row && {
      status: row.status,
      body: database.seal.open(row.sealedBody, contextOf(keyHash)).toString(),
      bodyHash: row.bodyHash,
    }
  )
}

export function storeAnswer(
  { database, clock }: Context,
  slot: IdempotencySlot,
  { status, body, bodyHash }: StoredAnswer,
): void {
  const keyHash = hashOf(slot)
  const sealedBody = database.seal.seal(Buffer.from(body), contextOf(keyHash))
  const row = { keyHash, bodyHash, status, sealedBody, createdAt: instantOf(clock()) }
  database.run(
    database.sql
      .insertInto('idempotencyKeys')
      .values(row)
      .onConflict((old) => old.column('keyHash').doUpdateSet(row)),
  )
}

const contextOf = (keyHash: string) => `idempotent answer ${keyHash}`
const hashOf = ({ caller, call, key }: IdempotencySlot) =>
  hash('sha256', JSON.stringify([caller, call, key]))
