import { z } from 'zod'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { AuditStore } from '#server/audit-log/audit-queries.ts'
import type { Database } from '#server/database/database.ts'
import type { Clock } from '#server/platform/clock.ts'
import { deleteSecret, readSecret, storeSecret } from './secret-queries.ts'

// Credentials that are shown to one address alone: where an administrator enters another address,
// the secret of the former one is not sent there.

/** The members of `Context` that setting a secret needs. */
interface SecretStore {
  readonly database: Database
  readonly clock: Clock
  readonly audit: AuditStore
}

const BoundSecret = z.object({ origin: z.string(), secret: z.string() })

/** The secret, if it was entered for this address. */
export function readBoundSecret(
  context: Pick<SecretStore, 'database'>,
  name: string,
  origin: string | null,
): string | undefined {
  const storedText = readSecret(context, name)
  const { data } = BoundSecret.safeParse(
    storedText === undefined ? undefined : JSON.parse(storedText),
  )
  return origin !== null && data?.origin === origin ? data.secret : undefined
}

/**
 * Sets the secret for an address; null removes it. The audit entry names it and not its value.
 * @param action of the audit entry, such as `dictation.secret`
 */
export function setBoundSecret(
  context: SecretStore,
  { name, action }: { readonly name: string; readonly action: string },
  origin: string,
  secret: string | null,
  actor: Actor,
): void {
  context.database.transaction(() => {
    if (secret !== null) storeSecret(context, name, JSON.stringify({ origin, secret }))
    else if (!deleteSecret(context, name)) return
    note(context, actor, action, name, { password: secret === null ? 'forgotten' : 'set' })
  })
}
