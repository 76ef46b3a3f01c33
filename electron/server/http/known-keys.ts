import { hash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { ApiKeyCaller } from './callers.ts'

/** A live key, and until when a secret before its last rotation opens too. */
export type LiveKey = Omit<ApiKeyCaller, 'kind'> & { readonly oldExpiresAt: string | null }

/** Its use is noted at least this often: "last used" is as old as that at most. */
const MOST_MS = 1000

/**
 * Remembers, under the hash of its secret, who a key belongs to: a busy partner's key is read once
 * a second rather than at each call. After any change of the database nothing is remembered: a
 * revoked or rotated key is refused at its next call.
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

  /** The caller of a live key; undefined for any other text. */
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
    // While two secrets open, the clock alone can end one of them.
    if (oldExpiresAt === null || Date.parse(oldExpiresAt) <= now)
      this.#known.set(keyHash, { caller, at: now })
    return caller
  }
}
