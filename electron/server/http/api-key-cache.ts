import { hash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { ApiKeyCaller } from './callers.ts'

/** A valid key, and when the secret from before its last rotation expires. */
export type ValidKey = Omit<ApiKeyCaller, 'kind'> & { readonly oldExpiresAt: string | null }

/** How often the use of a key is recorded, which limits the accuracy of "last used". */
const MAX_AGE_MS = 1000

/**
 * Caches API keys by the hash of their secret, so that the key of a busy partner is read once a
 * second rather than at each request. Any change of the database clears the cache, so a revoked or
 * rotated key is refused immediately.
 */
export class ApiKeyCache {
  readonly #context: Context
  readonly #authenticate: (key: string) => ValidKey | undefined
  readonly #cached = new Map<string, { readonly caller: ApiKeyCaller; readonly at: number }>()
  #cachedAt: number

  constructor(context: Context, authenticate: (key: string) => ValidKey | undefined) {
    this.#context = context
    this.#authenticate = authenticate
    this.#cachedAt = context.database.changeCount
  }

  /** The caller of a valid key; undefined for any other text. */
  callerOf(key: string): ApiKeyCaller | undefined {
    const now = this.#context.clock()
    const { changeCount } = this.#context.database
    if (changeCount !== this.#cachedAt) {
      this.#cached.clear()
      this.#cachedAt = changeCount
    }
    const keyHash = hash('sha256', key)
    const before = this.#cached.get(keyHash)
    if (before && now >= before.at && now - before.at < MAX_AGE_MS) return before.caller
    const found = this.#authenticate(key)
    if (!found) return undefined
    const { oldExpiresAt } = found
    const caller: ApiKeyCaller = {
      kind: 'api-key',
      apiKeyId: found.apiKeyId,
      scope: found.scope,
      isViewerEnabled: found.isViewerEnabled,
      managesPeople: found.managesPeople,
      dicomweb: found.dicomweb,
      eventAccess: found.eventAccess,
      seesClinicEvents: found.seesClinicEvents,
      managesEndpoints: found.managesEndpoints,
      ...(this.#context.isSandbox && { isTest: true }),
    }
    // While two secrets are valid, one may expire without a database change.
    if (oldExpiresAt === null || Date.parse(oldExpiresAt) <= now)
      this.#cached.set(keyHash, { caller, at: now })
    return caller
  }
}
