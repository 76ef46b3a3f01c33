import { hash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'

/** How long an answer is kept for its key. */
const KEPT_MS = 24 * 60 * 60_000

/**
 * What one `Idempotency-Key` is a key to: the same text of another caller, or on another path, is
 * another key.
 */
export interface IdempotencySlot {
  /** `callerName` of http-app. */
  readonly caller: string
  /** Method and path without its query, such as `POST /v1/express`. */
  readonly call: string
  readonly key: string
}

/** The answer that was given under a key; its body is sealed at rest. */
export interface KeptAnswer {
  /** HTTP status, 200 to 499. */
  readonly status: number
  readonly body: string
  /** SHA-256 in hex of the request's body. */
  readonly bodyHash: string
}

/** Forgets answers older than 24 hours; returns how many. */
export const purgeKeptAnswers = ({ database, clock }: Context): number =>
  database.run(database.sql.deleteFrom('idempotencyKeys').where('createdAt', '<=', oldest(clock)))
    .changes

const oldest = (clock: Clock) => instantOf(clock() - KEPT_MS)

/** The answer of a slot, unless it is older than 24 hours. */
export function findAnswer(
  { database, clock }: Context,
  slot: IdempotencySlot,
): KeptAnswer | undefined {
  const keyHash = hashOf(slot)
  const row = database.get(
    database.sql
      .selectFrom('idempotencyKeys')
      .selectAll()
      .where('keyHash', '=', keyHash)
      .where('createdAt', '>', oldest(clock)),
  )
  return (
    row && {
      status: row.status,
      body: database.seal.open(row.sealedBody, contextOf(keyHash)).toString(),
      bodyHash: row.bodyHash,
    }
  )
}

export function keepAnswer(
  { database, clock }: Context,
  slot: IdempotencySlot,
  { status, body, bodyHash }: KeptAnswer,
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
