import { createHash } from 'node:crypto'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'

/** How long an answer is kept for its key. */
const KEPT_MS = 24 * 60 * 60_000

/**
 * What one `Idempotency-Key` is a key to: the same text of another caller, or on another path, is
 * another key.
 */
export interface IdempotencySlot {
  readonly caller: string
  /** Method and path. */
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

export interface IdempotencyStore {
  /** `work` and what it keeps happen together or not at all. */
  transaction<T>(work: () => T): T
  /** The answer of a slot, unless it is older than 24 hours. */
  find(slot: IdempotencySlot): KeptAnswer | undefined
  keep(slot: IdempotencySlot, answer: KeptAnswer): void
  /** Forgets answers older than 24 hours. */
  purge(): number
}

export function idempotencyStore(db: Database, seal: Seal, clock: Clock): IdempotencyStore {
  const oldest = () => instantOf(clock() - KEPT_MS)
  return {
    transaction: (work) => db.transaction(work),
    find(slot) {
      const keyHash = hashOf(slot)
      const row = db.get(
        db.sql
          .selectFrom('idempotencyKeys')
          .selectAll()
          .where('keyHash', '=', keyHash)
          .where('createdAt', '>', oldest()),
      )
      return (
        row && {
          status: row.status,
          body: seal.open(row.sealedBody, contextOf(keyHash)).toString(),
          bodyHash: row.bodyHash,
        }
      )
    },
    keep(slot, { status, body, bodyHash }) {
      const keyHash = hashOf(slot)
      const sealedBody = seal.seal(Buffer.from(body), contextOf(keyHash))
      const row = { keyHash, bodyHash, status, sealedBody, createdAt: instantOf(clock()) }
      db.run(
        db.sql
          .insertInto('idempotencyKeys')
          .values(row)
          .onConflict((old) => old.column('keyHash').doUpdateSet(row)),
      )
    },
    purge: () =>
      db.run(db.sql.deleteFrom('idempotencyKeys').where('createdAt', '<=', oldest())).changes,
  }
}

const contextOf = (keyHash: string) => `idempotent answer ${keyHash}`
const hashOf = ({ caller, call, key }: IdempotencySlot) =>
  createHash('sha256')
    .update(JSON.stringify([caller, call, key]))
    .digest('hex')
