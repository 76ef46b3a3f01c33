import { randomBytes } from 'node:crypto'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashToken } from '#server/platform/token.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import * as queries from './queries.ts'

// Keys of the `/v1` API. A key is `sk_live_` followed by 32 hexadecimal digits. It is shown once,
// when it is created or rotated; only its SHA-256 is stored.

const LAST_USED_INTERVAL_MS = 60_000

export type ApiKey = Omit<queries.ApiKeyRecord, 'keyHash' | 'oldKeyHash'>
export type ApiKeys = ReturnType<typeof openApiKeys>

/** Authenticates API keys and records when each was last used. */
export function openApiKeys({ database, clock }: Context) {
  /** Time of the last use of each key, and of the last write of it to the database (ms). */
  const lastUses = new Map<string, { readonly at: number; readonly savedAt: number }>()

  function recordUse(apiKeyId: string): void {
    const now = clock()
    const last = lastUses.get(apiKeyId)
    const isDue =
      last === undefined || now - last.savedAt >= LAST_USED_INTERVAL_MS || now < last.savedAt
    lastUses.set(apiKeyId, { at: now, savedAt: isDue ? now : last.savedAt })
    // Written with the next group commit, so that no request waits for the disk. If the write is
    // lost, "last used" is merely out of date.
    if (isDue)
      database
        .commitSoon(() => queries.updateApiKey(database, apiKeyId, { lastUsedAt: instantOf(now) }))
        .catch(() => lastUses.delete(apiKeyId))
  }

  return {
    /** Lists all keys, including revoked ones, newest first. */
    list: (): ApiKey[] =>
      queries.listApiKeys(database).map((record) => {
        const at = lastUses.get(record.apiKeyId)?.at
        return { ...withoutHashes(record), ...(at !== undefined && { lastUsedAt: instantOf(at) }) }
      }),

    /**
     * The active key with this secret, or with the previous secret until it expires; `undefined`
     * otherwise. The time of use is written to the database later.
     */
    authenticate(key: string): ApiKey | undefined {
      if (!/^sk_live_[0-9a-f]{32}$/.test(key)) return undefined
      const keyHash = hashToken(key)
      const found = queries.findApiKeyByHash(database, keyHash)
      if (!found || found.revokedAt !== null) return undefined
      if (found.keyHash !== keyHash && (found.oldExpiresAt ?? '') <= instantOf(clock()))
        return undefined
      recordUse(found.apiKeyId)
      return withoutHashes(found)
    },
  }
}

/** Creates a key. Without `managesPeople`, it may not invite or change users. */
export function createApiKey(
  context: Context,
  options: Pick<queries.ApiKeyRecord, 'description' | 'isViewerEnabled' | 'scope'> & {
    readonly managesPeople?: boolean | undefined
  },
  actor: Actor,
): { readonly apiKey: ApiKey; readonly key: string } {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const key = generateKey()
    const permissions = { ...options, managesPeople: options.managesPeople ?? false }
    const apiKey = {
      ...{ apiKeyId: uuid(), last4: key.slice(-4), ...permissions, createdAt: instantOf(clock()) },
      ...{ lastUsedAt: null, revokedAt: null, rotatedAt: null, oldLast4: null, oldExpiresAt: null },
    }
    queries.insertApiKey(database, { ...apiKey, keyHash: hashToken(key), oldKeyHash: null })
    note(context, actor, 'api-key.create', apiKey.apiKeyId, permissions)
    return { apiKey, key }
  })
}

/**
 * Changes whether the key may manage users. Does nothing if it already has that value.
 * @throws ApiError not-found; refused if the key is revoked
 */
export function changeApiKey(
  context: Context,
  apiKeyId: string,
  { managesPeople }: { readonly managesPeople: boolean },
  actor: Actor,
): ApiKey {
  const { database } = context
  return database.transaction(() => {
    const before = requireActiveApiKey(context, apiKeyId)
    if (before.managesPeople === managesPeople) return withoutHashes(before)
    queries.updateApiKey(database, apiKeyId, { managesPeople })
    const change = { before: before.managesPeople, after: managesPeople }
    note(context, actor, 'api-key.change', apiKeyId, { managesPeople: change })
    return withoutHashes({ ...before, managesPeople })
  })
}

/**
 * Replaces the secret of a key; its id, its scope and everything it created stay the same. The
 * previous secret remains valid for `overlapMs`.
 * @throws ApiError not-found; refused if the key is revoked
 */
export function rotateApiKey(
  context: Context,
  apiKeyId: string,
  overlapMs: number,
  actor: Actor,
): { readonly apiKey: ApiKey; readonly key: string } {
  const { database, clock } = context
  return database.transaction(() => {
    const before = requireActiveApiKey(context, apiKeyId)
    const key = generateKey()
    const now = clock()
    const secret = {
      ...{ keyHash: hashToken(key), last4: key.slice(-4), rotatedAt: instantOf(now) },
      ...{ oldKeyHash: before.keyHash, oldLast4: before.last4 },
      oldExpiresAt: instantOf(now + overlapMs),
    }
    queries.updateApiKey(database, apiKeyId, secret)
    note(context, actor, 'api-key.rotate', apiKeyId, { oldExpiresAt: secret.oldExpiresAt })
    return { apiKey: withoutHashes({ ...before, ...secret }), key }
  })
}

/**
 * Revokes the current and the previous secret. Does nothing if the key is already revoked.
 * @throws ApiError not-found
 */
export function revokeApiKey(context: Context, apiKeyId: string, actor: Actor): void {
  const { database, clock } = context
  database.transaction(() => {
    if (requireApiKey(context, apiKeyId).revokedAt !== null) return
    queries.updateApiKey(database, apiKeyId, { revokedAt: instantOf(clock()) })
    note(context, actor, 'api-key.revoke', apiKeyId)
  })
}

function requireApiKey({ database }: Context, apiKeyId: string): queries.ApiKeyRecord {
  const found = queries.findApiKey(database, apiKeyId)
  if (!found) throw new ApiError('not-found', message('api-keys.no-key'))
  return found
}

function requireActiveApiKey(context: Context, apiKeyId: string): queries.ApiKeyRecord {
  const found = requireApiKey(context, apiKeyId)
  if (found.revokedAt !== null) throw new ApiError('refused', message('api-keys.revoked'))
  return found
}

const generateKey = () => `sk_live_${randomBytes(16).toString('hex')}`

const withoutHashes = ({ keyHash: _, oldKeyHash: __, ...apiKey }: queries.ApiKeyRecord): ApiKey =>
  apiKey
