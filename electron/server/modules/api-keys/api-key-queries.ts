import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/flag.ts'

/**
 * A key of the `/v1` interface (interface-choices §6 row 25); the key itself is never stored, only
 * its SHA-256 in hex.
 */
export interface ApiKeyRecord {
  readonly apiKeyId: string
  readonly keyHash: string
  /** Its last four characters, to tell keys apart. */
  readonly last4: string
  readonly description: string
  readonly isViewerEnabled: boolean
  /** self: only the studies it made. */
  readonly scope: 'all' | 'self'
  /** It may invite and change people, and link them to customers. */
  readonly managesPeople: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  /** When its secret was last replaced. */
  readonly rotatedAt: string | null
  /** The secret before that, which opens too until `oldExpiresAt`. */
  readonly oldKeyHash: string | null
  readonly oldLast4: string | null
  readonly oldExpiresAt: string | null
}

export interface ApiKeysStore {
  /** Newest first, the revoked ones too. */
  list(): ApiKeyRecord[]
  get(apiKeyId: string): ApiKeyRecord | undefined
  /** The key whose secret this is or was before its last rotation. */
  byHash(keyHash: string): ApiKeyRecord | undefined
  insert(key: ApiKeyRecord): void
  rotate(
    apiKeyId: string,
    secret: Pick<
      ApiKeyRecord,
      'keyHash' | 'last4' | 'rotatedAt' | 'oldKeyHash' | 'oldLast4' | 'oldExpiresAt'
    >,
  ): void
  setManagesPeople(apiKeyId: string, managesPeople: boolean): void
  /** Whether it was live until now. */
  revoke(apiKeyId: string, at: string): boolean
  noteUse(apiKeyId: string, at: string): void
}

export function apiKeysStore(db: Database): ApiKeysStore {
  const every = db.sql.selectFrom('apiKeys').selectAll()
  const change = db.sql.updateTable('apiKeys')
  const first = (row: StoredKey | undefined) => row && keyOf(row)
  return {
    list: () => db.all(every.orderBy('createdAt', 'desc').orderBy('apiKeyId')).map(keyOf),
    get: (apiKeyId) => first(db.get(every.where('apiKeyId', '=', apiKeyId))),
    byHash: (keyHash) =>
      first(
        db.get(every.where('keyHash', '=', keyHash)) ??
          db.get(every.where('oldKeyHash', '=', keyHash)),
      ),
    insert: (key) => void db.run(db.sql.insertInto('apiKeys').values(rowOf(key))),
    rotate: (apiKeyId, secret) => void db.run(change.set(secret).where('apiKeyId', '=', apiKeyId)),
    setManagesPeople: (apiKeyId, managesPeople) =>
      void db.run(
        change.set({ managesPeople: flag(managesPeople) }).where('apiKeyId', '=', apiKeyId),
      ),
    revoke: (apiKeyId, at) =>
      db.run(
        change
          .set({ revokedAt: at })
          .where('apiKeyId', '=', apiKeyId)
          .where('revokedAt', 'is', null),
      ).changes > 0,
    noteUse: (apiKeyId, at) =>
      void db.run(change.set({ lastUsedAt: at }).where('apiKeyId', '=', apiKeyId)),
  }
}

type StoredKey = { [K in keyof ApiKeyRecord]: unknown }
const rowOf = (key: ApiKeyRecord) => ({
  ...key,
  isViewerEnabled: flag(key.isViewerEnabled),
  managesPeople: flag(key.managesPeople),
})
const keyOf = (row: StoredKey): ApiKeyRecord =>
  ({
    ...row,
    isViewerEnabled: row.isViewerEnabled === 1,
    managesPeople: row.managesPeople === 1,
  }) as ApiKeyRecord
