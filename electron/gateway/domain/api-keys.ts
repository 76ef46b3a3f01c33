import { randomBytes } from 'node:crypto'
import type { ApiKeyRecord } from '#gateway/store/api-keys.ts'
import { instantOf, msOf } from '#gateway/store/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { type Actor, type DomainDeps, note } from './audit.ts'
import { hashOfToken } from './token.ts'

const USE_NOTED_EVERY_MS = 60_000

export type ApiKey = Omit<ApiKeyRecord, 'keyHash'>
export type NewApiKey = Pick<ApiKeyRecord, 'description' | 'isViewerEnabled' | 'scope'>

/** Keys of the `/v1` interface (interface-choices §6 row 25). */
export interface ApiKeys {
  /** Newest first, the revoked ones too. */
  list(): ApiKey[]
  /** `key` is `sk_live_` and 32 hex digits; it is shown once and not kept. */
  create(key: NewApiKey, actor: Actor): { readonly apiKey: ApiKey; readonly key: string }
  /** The live key, `undefined` for any other text. */
  authenticate(key: string): ApiKey | undefined
  /** Again changes nothing. @throws ApiError not-found */
  revoke(apiKeyId: string, actor: Actor): void
}

export function openApiKeys(deps: DomainDeps): ApiKeys {
  const { store, clock, uuid } = deps
  return {
    list: () => store.apiKeys.list().map(withoutHash),
    create: (wanted, actor) =>
      store.database.transaction(() => {
        const key = `sk_live_${randomBytes(16).toString('hex')}`
        const apiKey: ApiKey = {
          apiKeyId: uuid(),
          last4: key.slice(-4),
          ...wanted,
          createdAt: instantOf(clock()),
          lastUsedAt: null,
          revokedAt: null,
        }
        store.apiKeys.insert({ ...apiKey, keyHash: hashOfToken(key) })
        note(deps, actor, 'api-key.create', apiKey.apiKeyId, { ...wanted })
        return { apiKey, key }
      }),
    authenticate(key) {
      if (!/^sk_live_[0-9a-f]{32}$/.test(key)) return undefined
      const found = store.apiKeys.byHash(hashOfToken(key))
      if (!found || found.revokedAt !== null) return undefined
      const now = clock()
      if (found.lastUsedAt === null || now - msOf(found.lastUsedAt) >= USE_NOTED_EVERY_MS)
        store.apiKeys.noteUse(found.apiKeyId, instantOf(now))
      return withoutHash(found)
    },
    revoke: (apiKeyId, actor) =>
      store.database.transaction(() => {
        if (!store.apiKeys.get(apiKeyId)) throw new ApiError('not-found', 'There is no such key.')
        if (store.apiKeys.revoke(apiKeyId, instantOf(clock()))) note(deps, actor, 'api-key.revoke', apiKeyId)
      }),
  }
}

function withoutHash({ keyHash: _, ...apiKey }: ApiKeyRecord): ApiKey {
  return apiKey
}
