import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/query.ts'
import type { DisabledReason } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'

// The tables endpoints and endpointSecrets.

/** Where events go. */
export interface EndpointRecord {
  readonly endpointId: string
  readonly url: string
  readonly events: readonly EventType[]
  /** The key whose studies it is for; null: the clinic's own. */
  readonly apiKeyId: string | null
  readonly allowsPlaintext: boolean
  readonly createdAt: string
  readonly updatedAt: string
  /** Null while it is enabled. */
  readonly disabledAt: string | null
  readonly disabledReason: DisabledReason | null
  readonly name: string
  /** Hosts (`host` or `host:port`) that files may be fetched from and sent to. */
  readonly fileHosts: readonly string[]
  /** Milliseconds a call may take, where it is not the usual. */
  readonly budgets: Readonly<Partial<Record<EventType, number>>>
}

const every = ({ sql }: Database) => sql.selectFrom('endpoints').selectAll()

/** Oldest first. */
export const listEndpoints = (database: Database) =>
  database
    .all(every(database).orderBy('createdAt').orderBy('endpointId'))
    .map((row) => recordOf(row))

export function findEndpoint(database: Database, endpointId: string) {
  const row = database.get(every(database).where('endpointId', '=', endpointId))
  return row && recordOf(row)
}

export function saveEndpoint(database: Database, endpoint: EndpointRecord): void {
  const row = {
    ...endpoint,
    events: JSON.stringify(endpoint.events),
    allowsPlaintext: flag(endpoint.allowsPlaintext),
    fileHosts: JSON.stringify(endpoint.fileHosts),
    budgets: JSON.stringify(endpoint.budgets),
  }
  database.run(
    database.sql
      .insertInto('endpoints')
      .values(row)
      .onConflict((old) => old.column('endpointId').doUpdateSet(row)),
  )
}

export function deleteEndpoint(database: Database, endpointId: string): void {
  database.run(database.sql.deleteFrom('endpoints').where('endpointId', '=', endpointId))
}

/** Signing secrets, newest first; several while one is being replaced. */
export const endpointSecrets = (database: Database, endpointId: string) =>
  database
    .all(
      database.sql
        .selectFrom('endpointSecrets')
        .select(['sealed', 'createdAt'])
        .where('endpointId', '=', endpointId)
        .orderBy('secretId', 'desc'),
    )
    .map(({ sealed, createdAt }) => ({
      secret: database.seal.open(sealed, secretContext(endpointId)).toString(),
      createdAt,
    }))

export function insertEndpointSecret(
  database: Database,
  endpointId: string,
  secret: string,
  createdAt: string,
): void {
  const sealed = database.seal.seal(Buffer.from(secret), secretContext(endpointId))
  database.run(database.sql.insertInto('endpointSecrets').values({ endpointId, sealed, createdAt }))
}

/** Deletes all but the newest `count` secrets. */
export function keepEndpointSecrets(database: Database, endpointId: string, count: number): void {
  const kept = database.sql
    .selectFrom('endpointSecrets')
    .select('secretId')
    .where('endpointId', '=', endpointId)
    .orderBy('secretId', 'desc')
    .limit(count)
  database.run(
    database.sql
      .deleteFrom('endpointSecrets')
      .where('endpointId', '=', endpointId)
      .where('secretId', 'not in', kept),
  )
}

const secretContext = (endpointId: string) => `endpoint secret ${endpointId}`

const recordOf = (row: { [K in keyof EndpointRecord]: unknown }): EndpointRecord =>
  ({
    ...row,
    events: JSON.parse(String(row.events)),
    allowsPlaintext: row.allowsPlaintext === 1,
    fileHosts: JSON.parse(String(row.fileHosts)),
    budgets: JSON.parse(String(row.budgets)),
  }) as EndpointRecord

/** When the newest of the worklist answers that are kept was received. */
export const newestAnswerAt = (database: Database): string | undefined =>
  database.get(
    database.sql.selectFrom('answers').select('receivedAt').orderBy('receivedAt', 'desc').limit(1),
  )?.receivedAt
