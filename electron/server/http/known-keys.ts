import { hash } from 'node:crypto'
import type { ApiKeyCaller } from './callers.ts'

/** A live key, and until when a secret before its last rotation opens too. */
export type LiveKey = Omit<ApiKeyCaller, 'kind'> & { readonly oldExpiresAt: string | null }

export interface KnownKeysDeps {
  /** Looks a secret up, and notes its use. */
  readonly authenticate: (key: string) => LiveKey | undefined
  /**
   * Another number after every change to the keys (`Database.changeCount`): a revoked or rotated
   * key is refused at its next call.
   */
  readonly version: () => number
  /** Milliseconds. */
  readonly clock: () => number
}

/** Its use is noted at least this often: "last used" is as old as that at most. */
const MOST_MS = 1000

/**
 * Remembers, under the hash of its secret, who a key belongs to: a busy partner's key is read once
 * a second rather than at each call.
 */
export function knownKeys({
  authenticate,
  version,
  clock,
}: KnownKeysDeps): (key: string) => ApiKeyCaller | undefined {
  const known = new Map<string, { readonly caller: ApiKeyCaller; readonly at: number }>()
  let knownAt = version()
  return (key) => {
    const now = clock()
    const current = version()
    if (current !== knownAt) {
      known.clear()
      knownAt = current
    }
    const keyHash = hash('sha256', key)
    const before = known.get(keyHash)
    if (before && now >= before.at && now - before.at < MOST_MS) return before.caller
    const found = authenticate(key)
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
      known.set(keyHash, { caller, at: now })
    return caller
  }
}
