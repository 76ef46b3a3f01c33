import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/flag.ts'
import type { DisabledReason } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'

/** Where events go (interface-choices §6 row 50). */
export interface EndpointRecord {
  readonly endpointId: string
  readonly url: string
  readonly events: readonly EventType[]
  /** The key it belongs to; null for the clinic's default. */
  readonly apiKeyId: string | null
  readonly allowsPlaintext: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly disabledAt: string | null
  readonly name: string
  /** Hosts (`host` or `host:port`) that files may be fetched from and sent to. */
  readonly fileHosts: readonly string[]
  /** Milliseconds a call may take, where it is not the usual. */
  readonly budgets: Readonly<Partial<Record<EventType, number>>>
  /** Null while it is enabled. */
  readonly disabledReason: DisabledReason | null
}

export interface EndpointsStore {
  /** Oldest first. */
  list(): EndpointRecord[]
  get(endpointId: string): EndpointRecord | undefined
  /**
   * The endpoint of the event, also where it is switched off: that of the key, else the clinic's
   * own.
   */
  takerOf(event: EventType, apiKeyId: string | null): EndpointRecord | undefined
  /** The same where it is enabled: what a key's endpoint does not get goes to no other. */
  endpointFor(event: EventType, apiKeyId: string | null): EndpointRecord | undefined
  put(endpoint: EndpointRecord): void
  remove(endpointId: string): boolean
  /** Signing secrets, newest first; several while one is being replaced. */
  secrets(endpointId: string): { readonly secret: string; readonly createdAt: string }[]
  addSecret(endpointId: string, secret: string, createdAt: string): void
  /** Drops all but the newest `count` secrets. */
  keepSecrets(endpointId: string, count: number): void
}

export function endpointsStore(db: Database, seal: Seal): EndpointsStore {
  const every = db.sql.selectFrom('endpoints').selectAll()
  const list = () => db.all(every.orderBy('createdAt').orderBy('endpointId')).map(endpointOf)
  function takerOf(event: EventType, apiKeyId: string | null): EndpointRecord | undefined {
    const takers = list().filter((endpoint) => endpoint.events.includes(event))
    const own =
      apiKeyId === null ? undefined : takers.find((endpoint) => endpoint.apiKeyId === apiKeyId)
    return own ?? takers.find((endpoint) => endpoint.apiKeyId === null)
  }
  return {
    list,
    get(endpointId) {
      const row = db.get(every.where('endpointId', '=', endpointId))
      return row && endpointOf(row)
    },
    takerOf,
    endpointFor(event, apiKeyId) {
      const taker = takerOf(event, apiKeyId)
      return taker?.disabledAt === null ? taker : undefined
    },
    put(endpoint) {
      const row = {
        ...endpoint,
        events: JSON.stringify(endpoint.events),
        allowsPlaintext: flag(endpoint.allowsPlaintext),
        fileHosts: JSON.stringify(endpoint.fileHosts),
        budgets: JSON.stringify(endpoint.budgets),
      }
      db.run(
        db.sql
          .insertInto('endpoints')
          .values(row)
          .onConflict((old) => old.column('endpointId').doUpdateSet(row)),
      )
    },
    remove: (endpointId) =>
      db.run(db.sql.deleteFrom('endpoints').where('endpointId', '=', endpointId)).changes > 0,
    secrets: (endpointId) =>
      db
        .all(
          db.sql
            .selectFrom('endpointSecrets')
            .select(['sealed', 'createdAt'])
            .where('endpointId', '=', endpointId)
            .orderBy('secretId', 'desc'),
        )
        .map(({ sealed, createdAt }) => ({
          secret: seal.open(sealed, secretContext(endpointId)).toString(),
          createdAt,
        })),
    addSecret: (endpointId, secret, createdAt) =>
      void db.run(
        db.sql.insertInto('endpointSecrets').values({
          endpointId,
          sealed: seal.seal(Buffer.from(secret), secretContext(endpointId)),
          createdAt,
        }),
      ),
    keepSecrets(endpointId, count) {
      const kept = db.sql
        .selectFrom('endpointSecrets')
        .select('secretId')
        .where('endpointId', '=', endpointId)
        .orderBy('secretId', 'desc')
        .limit(count)
      db.run(
        db.sql
          .deleteFrom('endpointSecrets')
          .where('endpointId', '=', endpointId)
          .where('secretId', 'not in', kept),
      )
    },
  }
}

const secretContext = (endpointId: string) => `endpoint secret ${endpointId}`

const endpointOf = (row: { [K in keyof EndpointRecord]: unknown }): EndpointRecord =>
  ({
    ...row,
    events: JSON.parse(String(row.events)),
    allowsPlaintext: row.allowsPlaintext === 1,
    fileHosts: JSON.parse(String(row.fileHosts)),
    budgets: JSON.parse(String(row.budgets)),
  }) as EndpointRecord
