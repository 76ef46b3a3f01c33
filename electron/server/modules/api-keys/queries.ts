import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/query.ts'
import type { DicomwebRight, EventAccess } from '#shared/contract/dashboard-people.ts'

/** A key of the `/v1` API. Only the SHA-256 of its secret is stored, in hexadecimal. */
export interface ApiKeyRecord {
  readonly apiKeyId: string
  readonly keyHash: string
  /** The last four characters of the secret, by which users tell keys apart. */
  readonly last4: string
  readonly description: string
  readonly isViewerEnabled: boolean
  /** `self`: only the studies that this key created. */
  readonly scope: 'all' | 'self'
  /** Whether it may invite and change users and link them to customers. */
  readonly managesPeople: boolean
  /** What it may do by DICOMweb (decision 0057). Other than `none` only with the scope `all`. */
  readonly dicomweb: DicomwebRight
  /** What it may see of its own events (decision 0076). */
  readonly eventAccess: EventAccess
  /** Whether its events include those that belong to no key. */
  readonly seesClinicEvents: boolean
  /** Whether it may manage its own endpoints. */
  readonly managesEndpoints: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  /** When the secret was last replaced. */
  readonly rotatedAt: string | null
  /** The previous secret, which is accepted until `oldExpiresAt`. */
  readonly oldKeyHash: string | null
  readonly oldLast4: string | null
  readonly oldExpiresAt: string | null
}

const selectApiKeys = ({ sql }: Database) => sql.selectFrom('apiKeys').selectAll()

/** Newest first, including revoked keys. */
export const listApiKeys = (database: Database): ApiKeyRecord[] =>
  database
    .all(selectApiKeys(database).orderBy('createdAt', 'desc').orderBy('apiKeyId'))
    .map(toApiKeyRecord)

export const findApiKey = (database: Database, apiKeyId: string): ApiKeyRecord | undefined =>
  toOptionalRecord(database.get(selectApiKeys(database).where('apiKeyId', '=', apiKeyId)))

/** The key whose current secret, or whose secret before the last rotation, has this hash. */
export const findApiKeyByHash = (database: Database, keyHash: string): ApiKeyRecord | undefined =>
  toOptionalRecord(
    database.get(selectApiKeys(database).where('keyHash', '=', keyHash)) ??
      database.get(selectApiKeys(database).where('oldKeyHash', '=', keyHash)),
  )

export const insertApiKey = (
  database: Database,
  { isViewerEnabled, managesPeople, seesClinicEvents, managesEndpoints, ...key }: ApiKeyRecord,
) =>
  database.run(
    database.sql.insertInto('apiKeys').values({
      ...key,
      isViewerEnabled: flag(isViewerEnabled),
      managesPeople: flag(managesPeople),
      seesClinicEvents: flag(seesClinicEvents),
      managesEndpoints: flag(managesEndpoints),
    }),
  )

export function updateApiKey(
  database: Database,
  apiKeyId: string,
  {
    managesPeople,
    seesClinicEvents,
    managesEndpoints,
    ...changed
  }: Partial<Omit<ApiKeyRecord, 'apiKeyId' | 'isViewerEnabled' | 'createdAt'>>,
) {
  const row = {
    ...changed,
    ...(managesPeople !== undefined && { managesPeople: flag(managesPeople) }),
    ...(seesClinicEvents !== undefined && { seesClinicEvents: flag(seesClinicEvents) }),
    ...(managesEndpoints !== undefined && { managesEndpoints: flag(managesEndpoints) }),
  }
  database.run(database.sql.updateTable('apiKeys').set(row).where('apiKeyId', '=', apiKeyId))
}

type Row = NonNullable<ReturnType<typeof rowOf>>
const rowOf = (database: Database) => database.get(selectApiKeys(database))

const toApiKeyRecord = (row: Row): ApiKeyRecord => ({
  ...row,
  scope: row.scope as ApiKeyRecord['scope'],
  dicomweb: row.dicomweb as DicomwebRight,
  eventAccess: row.eventAccess as EventAccess,
  seesClinicEvents: row.seesClinicEvents === 1,
  managesEndpoints: row.managesEndpoints === 1,
  isViewerEnabled: row.isViewerEnabled === 1,
  managesPeople: row.managesPeople === 1,
})
const toOptionalRecord = (row: Row | undefined) => row && toApiKeyRecord(row)
