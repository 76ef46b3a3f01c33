import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/query.ts'
import type { DisabledReason } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'

// The tables endpoints and endpointSecrets.

/** An endpoint that events are delivered to. */
export interface EndpointRecord {
  readonly endpointId: string
  readonly url: string
  readonly events: readonly EventType[]
  /**
   * The API key whose studies it receives events about; null for the default endpoint and others
   * without a key.
   */
  readonly apiKeyId: string | null
  readonly allowsPlaintext: boolean
  readonly createdAt: string
  readonly updatedAt: string
  /** Null while it is enabled. */
  readonly disabledAt: string | null
  readonly disabledReason: DisabledReason | null
  readonly name: string
  /** Hosts (`host` or `host:port`) that files may be downloaded from and uploaded to. */
  readonly fileHosts: readonly string[]
  /** Time limit per event type in milliseconds, where it differs from the default. */
  readonly budgets: Readonly<Partial<Record<EventType, number>>>
}

const selectEndpoints = ({ sql }: Database) => sql.selectFrom('endpoints').selectAll()

/** All endpoints, oldest first. */
export const listEndpoints = (database: Database) =>
  database
    .all(selectEndpoints(database).orderBy('createdAt').orderBy('endpointId'))
    .map((row) => recordOf(row))

export function findEndpoint(database: Database, endpointId: string) {
  const row = database.get(selectEndpoints(database).where('endpointId', '=', endpointId))
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

/** The signing secrets of an endpoint, newest first; there are several during a rotation. */
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

/** Deletes all but the newest `count` secrets of an endpoint. */
export function pruneEndpointSecrets(database: Database, endpointId: string, count: number): void {
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

/** When the newest stored worklist answer was received. */
export const newestAnswerAt = (database: Database): string | undefined =>
  database.get(
    database.sql.selectFrom('answers').select('receivedAt').orderBy('receivedAt', 'desc').limit(1),
  )?.receivedAt
