import { randomBytes } from 'node:crypto'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashToken } from '#server/platform/token.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import * as queries from './queries.ts'

// Keys of the `/v1` interface. A key is `sk_live_` and 32 hex digits; it is shown once and not
// kept.

const USE_NOTED_EVERY_MS = 60_000

export type ApiKey = Omit<queries.ApiKeyRecord, 'keyHash' | 'oldKeyHash'>
export type ApiKeys = ReturnType<typeof openApiKeys>

/** What looks keys up; when each was last used is remembered, and kept a moment later. */
export function openApiKeys({ database, clock }: Context) {
  /** When each key was last used, ms; what is kept in the database follows. */
  const used = new Map<string, { readonly at: number; readonly notedAt: number }>()

  function noteUse(apiKeyId: string): void {
    const now = clock()
    const last = used.get(apiKeyId)
    const isDue =
      last === undefined || now - last.notedAt >= USE_NOTED_EVERY_MS || now < last.notedAt
    used.set(apiKeyId, { at: now, notedAt: isDue ? now : last.notedAt })
    // Behind the call, with the next group commit: no caller waits for the disk. A lost note is
    // only an older "last used".
    if (isDue)
      database
        .commitSoon(() => queries.updateApiKey(database, apiKeyId, { lastUsedAt: instantOf(now) }))
        .catch(() => used.delete(apiKeyId))
  }

  return {
    /** Newest first, the revoked ones too. */
    list: (): ApiKey[] =>
      queries.apiKeyRecords(database).map((record) => {
        const at = used.get(record.apiKeyId)?.at
        return { ...withoutHashes(record), ...(at !== undefined && { lastUsedAt: instantOf(at) }) }
      }),

    /**
     * The live key of that secret, or of the one before while it overlaps; `undefined` for any
     * other text. Its use is noted a moment later.
     */
    authenticate(key: string): ApiKey | undefined {
      if (!/^sk_live_[0-9a-f]{32}$/.test(key)) return undefined
      const keyHash = hashToken(key)
      const found = queries.apiKeyByHash(database, keyHash)
      if (!found || found.revokedAt !== null) return undefined
      if (found.keyHash !== keyHash && (found.oldExpiresAt ?? '') <= instantOf(clock()))
        return undefined
      noteUse(found.apiKeyId)
      return withoutHashes(found)
    },
  }
}

/** `managesPeople`: it may invite and change people; absent: it may not. */
export function createApiKey(
  context: Context,
  wanted: Pick<queries.ApiKeyRecord, 'description' | 'isViewerEnabled' | 'scope'> & {
    readonly managesPeople?: boolean | undefined
  },
  actor: Actor,
): { readonly apiKey: ApiKey; readonly key: string } {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const key = mintKey()
    const rights = { ...wanted, managesPeople: wanted.managesPeople ?? false }
    const apiKey = {
      ...{ apiKeyId: uuid(), last4: key.slice(-4), ...rights, createdAt: instantOf(clock()) },
      ...{ lastUsedAt: null, revokedAt: null, rotatedAt: null, oldLast4: null, oldExpiresAt: null },
    }
    queries.insertApiKey(database, { ...apiKey, keyHash: hashToken(key), oldKeyHash: null })
    note(context, actor, 'api-key.create', apiKey.apiKeyId, rights)
    return { apiKey, key }
  })
}

/**
 * What it may do beside its areas; again changes nothing. @throws ApiError not-found, refused
 * (revoked)
 */
export function changeApiKey(
  context: Context,
  apiKeyId: string,
  { managesPeople }: { readonly managesPeople: boolean },
  actor: Actor,
): ApiKey {
  const { database } = context
  return database.transaction(() => {
    const before = liveKey(context, apiKeyId)
    if (before.managesPeople === managesPeople) return withoutHashes(before)
    queries.updateApiKey(database, apiKeyId, { managesPeople })
    const change = { before: before.managesPeople, after: managesPeople }
    note(context, actor, 'api-key.change', apiKeyId, { managesPeople: change })
    return withoutHashes({ ...before, managesPeople })
  })
}

/**
 * Replaces the secret; id, scope and everything it made stay. The one before opens for
 * `overlapMs` more. @throws ApiError not-found, refused (revoked)
 */
export function rotateApiKey(
  context: Context,
  apiKeyId: string,
  overlapMs: number,
  actor: Actor,
): { readonly apiKey: ApiKey; readonly key: string } {
  const { database, clock } = context
  return database.transaction(() => {
    const before = liveKey(context, apiKeyId)
    const key = mintKey()
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

/** Both secrets at once; again changes nothing. @throws ApiError not-found */
export function revokeApiKey(context: Context, apiKeyId: string, actor: Actor): void {
  const { database, clock } = context
  database.transaction(() => {
    if (existing(context, apiKeyId).revokedAt !== null) return
    queries.updateApiKey(database, apiKeyId, { revokedAt: instantOf(clock()) })
    note(context, actor, 'api-key.revoke', apiKeyId)
  })
}

function existing({ database }: Context, apiKeyId: string): queries.ApiKeyRecord {
  const found = queries.findApiKey(database, apiKeyId)
  if (!found) throw new ApiError('not-found', message('api-keys.no-key'))
  return found
}

function liveKey(context: Context, apiKeyId: string): queries.ApiKeyRecord {
  const found = existing(context, apiKeyId)
  if (found.revokedAt !== null) throw new ApiError('refused', message('api-keys.revoked'))
  return found
}

const mintKey = () => `sk_live_${randomBytes(16).toString('hex')}`

const withoutHashes = ({ keyHash: _, oldKeyHash: __, ...apiKey }: queries.ApiKeyRecord): ApiKey =>
  apiKey
