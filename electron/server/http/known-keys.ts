import { hash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { ApiKeyCaller } from './callers.ts'

/** A valid key, and when the secret from before its last rotation expires. */
export type LiveKey = Omit<ApiKeyCaller, 'kind'> & { readonly oldExpiresAt: string | null }

/** How often the use of a key is recorded, which limits the accuracy of "last used". */
const MOST_MS = 1000

/**
 * Caches API keys by the hash of their secret, so that the key of a busy partner is read once a
 * second rather than at each request. Any change of the database clears the cache, so a revoked or
 * rotated key is refused immediately.
 */
export class KnownKeys {
  readonly #context: Context
  readonly #authenticate: (key: string) => LiveKey | undefined
  readonly #known = new Map<string, { readonly caller: ApiKeyCaller; readonly at: number }>()
  #knownAt: number

  constructor(context: Context, authenticate: (key: string) => LiveKey | undefined) {
    this.#context = context
    this.#authenticate = authenticate
    this.#knownAt = context.database.changeCount
  }

  /** The caller of a valid key; undefined for any other text. */
  callerOf(key: string): ApiKeyCaller | undefined {
    const now = this.#context.clock()
    const { changeCount } = this.#context.database
    if (changeCount !== this.#knownAt) {
      this.#known.clear()
      this.#knownAt = changeCount
    }
    const keyHash = hash('sha256', key)
    const before = this.#known.get(keyHash)
    if (before && now >= before.at && now - before.at < MOST_MS) return before.caller
    const found = this.#authenticate(key)
    if (!found) return undefined
    const { apiKeyId, scope, isViewerEnabled, managesPeople, oldExpiresAt } = found
    const caller: ApiKeyCaller = {
      kind: 'api-key',
      apiKeyId,
      scope,
      isViewerEnabled,
      managesPeople,
    }
    // While two secrets are valid, one may expire without a database change.
    if (oldExpiresAt === null || Date.parse(oldExpiresAt) <= now)
      this.#known.set(keyHash, { caller, at: now })
    return caller
  }
}
