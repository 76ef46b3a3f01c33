import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'

/**
 * Passwords that the gateway itself must be able to say, by name, e.g. `mail.password`; sealed at
 * rest.
 */
export interface SecretsStore {
  has(name: string): boolean
  /** @throws StoreError seal-broken */
  get(name: string): string | undefined
  set(name: string, secret: string): void
  /** Whether there was one. */
  remove(name: string): boolean
}

export function secretsStore(db: Database, seal: Seal, clock: Clock): SecretsStore {
  const read = (name: string) =>
    db.get(db.sql.selectFrom('secrets').select('sealed').where('name', '=', name))
  return {
    has: (name) => read(name) !== undefined,
    get(name) {
      const row = read(name)
      return row && seal.open(row.sealed, contextOf(name)).toString()
    },
    set(name, secret) {
      const row = {
        name,
        sealed: seal.seal(Buffer.from(secret), contextOf(name)),
        updatedAt: instantOf(clock()),
      }
      db.run(
        db.sql
          .insertInto('secrets')
          .values(row)
          .onConflict((old) => old.column('name').doUpdateSet(row)),
      )
    },
    remove: (name) => db.run(db.sql.deleteFrom('secrets').where('name', '=', name)).changes > 0,
  }
}

const contextOf = (name: string) => `secret ${name}`
