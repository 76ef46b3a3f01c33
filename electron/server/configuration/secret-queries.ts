import type { Database } from '#server/database/database.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'

// Credentials that the gateway presents to other systems, by name, e.g. `mail.password`. Stored
// encrypted.

/** The members of `Context` that storing a secret needs. */
interface SecretStore {
  readonly database: Database
  readonly clock: Clock
}

export const hasSecret = ({ database }: Pick<SecretStore, 'database'>, name: string): boolean =>
  sealedSecret({ database }, name) !== undefined

/** @throws StoreError seal-broken */
export function readSecret(
  { database }: Pick<SecretStore, 'database'>,
  name: string,
): string | undefined {
  const row = sealedSecret({ database }, name)
  return row && database.seal.open(row.sealed, contextOf(name)).toString()
}

export function storeSecret({ database, clock }: SecretStore, name: string, secret: string): void {
  const row = {
    name,
    sealed: database.seal.seal(Buffer.from(secret), contextOf(name)),
    updatedAt: instantOf(clock()),
  }
  database.run(
    database.sql
      .insertInto('secrets')
      .values(row)
      .onConflict((old) => old.column('name').doUpdateSet(row)),
  )
  database.notify('secrets')
}

/** Returns whether the secret existed. */
export function deleteSecret({ database }: Pick<SecretStore, 'database'>, name: string): boolean {
  const { changes } = database.run(database.sql.deleteFrom('secrets').where('name', '=', name))
  database.notify('secrets')
  return changes > 0
}

const sealedSecret = ({ database }: Pick<SecretStore, 'database'>, name: string) =>
  database.get(database.sql.selectFrom('secrets').select('sealed').where('name', '=', name))

const contextOf = (name: string) => `secret ${name}`
