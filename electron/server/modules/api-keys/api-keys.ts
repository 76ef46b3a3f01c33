import { randomBytes } from 'node:crypto'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashOfToken } from '#server/platform/token.ts'
import { ApiError } from '#shared/errors.ts'
import type { ApiKeyRecord } from './api-key-queries.ts'

const USE_NOTED_EVERY_MS = 60_000

export type ApiKey = Omit<ApiKeyRecord, 'keyHash' | 'oldKeyHash'>
export type NewApiKey = Pick<ApiKeyRecord, 'description' | 'isViewerEnabled' | 'scope'> & {
  /** It may invite and change people; absent: it may not. */
  readonly managesPeople?: boolean | undefined
}
/** `key` is `sk_live_` and 32 hex digits; it is shown once and not kept. */
export interface ShownApiKey {
  readonly apiKey: ApiKey
  readonly key: string
}

/** Keys of the `/v1` interface (interface-choices §6 row 25). */
export interface ApiKeys {
  /** Newest first, the revoked ones too. */
  list(): ApiKey[]
  create(key: NewApiKey, actor: Actor): ShownApiKey
  /**
   * The live key of that secret, or of the one before while it overlaps; `undefined` for any other
   * text. Its use is noted a moment later.
   */
  authenticate(key: string): ApiKey | undefined
  /**
   * What it may do beside its areas; again changes nothing. @throws ApiError not-found, refused
   * (revoked)
   */
  change(apiKeyId: string, rights: { readonly managesPeople: boolean }, actor: Actor): ApiKey
  /**
   * Replaces the secret; id, scope and everything it made stay. The one before opens for
   * `overlapMs` more. @throws ApiError not-found, refused (revoked)
   */
  rotate(apiKeyId: string, overlapMs: number, actor: Actor): ShownApiKey
  /** Both secrets at once; again changes nothing. @throws ApiError not-found */
  revoke(apiKeyId: string, actor: Actor): void
}

export function openApiKeys(deps: DomainDeps): ApiKeys {
  const { store, clock, uuid } = deps
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
      store.database
        .commitSoon(() => store.apiKeys.noteUse(apiKeyId, instantOf(now)))
        .catch(() => used.delete(apiKeyId))
  }

  function existing(apiKeyId: string): ApiKeyRecord {
    const found = store.apiKeys.get(apiKeyId)
    if (!found) throw new ApiError('not-found', 'There is no such key.')
    return found
  }

  return {
    list: () =>
      store.apiKeys.list().map((record) => {
        const at = used.get(record.apiKeyId)?.at
        return { ...withoutHashes(record), ...(at !== undefined && { lastUsedAt: instantOf(at) }) }
      }),
    create: (wanted, actor) =>
      store.database.transaction(() => {
        const key = mintKey()
        const apiKey: ApiKey = {
          apiKeyId: uuid(),
          last4: key.slice(-4),
          ...wanted,
          managesPeople: wanted.managesPeople ?? false,
          createdAt: instantOf(clock()),
          lastUsedAt: null,
          revokedAt: null,
          rotatedAt: null,
          oldLast4: null,
          oldExpiresAt: null,
        }
        store.apiKeys.insert({ ...apiKey, keyHash: hashOfToken(key), oldKeyHash: null })
        note(deps.store, actor, 'api-key.create', apiKey.apiKeyId, {
          ...wanted,
          managesPeople: apiKey.managesPeople,
        })
        return { apiKey, key }
      }),
    authenticate(key) {
      if (!/^sk_live_[0-9a-f]{32}$/.test(key)) return undefined
      const keyHash = hashOfToken(key)
      const found = store.apiKeys.byHash(keyHash)
      if (!found || found.revokedAt !== null) return undefined
      if (found.keyHash !== keyHash && (found.oldExpiresAt ?? '') <= instantOf(clock()))
        return undefined
      noteUse(found.apiKeyId)
      return withoutHashes(found)
    },
    change: (apiKeyId, { managesPeople }, actor) =>
      store.database.transaction(() => {
        const before = existing(apiKeyId)
        if (before.revokedAt !== null)
          throw new ApiError('refused', 'The key was revoked: make a new one.')
        if (before.managesPeople === managesPeople) return withoutHashes(before)
        store.apiKeys.setManagesPeople(apiKeyId, managesPeople)
        const change = { before: before.managesPeople, after: managesPeople }
        note(deps.store, actor, 'api-key.change', apiKeyId, { managesPeople: change })
        return withoutHashes({ ...before, managesPeople })
      }),
    rotate: (apiKeyId, overlapMs, actor) =>
      store.database.transaction(() => {
        const before = existing(apiKeyId)
        if (before.revokedAt !== null)
          throw new ApiError('refused', 'The key was revoked: make a new one.')
        const key = mintKey()
        const now = clock()
        const secret = {
          keyHash: hashOfToken(key),
          last4: key.slice(-4),
          rotatedAt: instantOf(now),
          oldKeyHash: before.keyHash,
          oldLast4: before.last4,
          oldExpiresAt: instantOf(now + overlapMs),
        }
        store.apiKeys.rotate(apiKeyId, secret)
        note(deps.store, actor, 'api-key.rotate', apiKeyId, { oldExpiresAt: secret.oldExpiresAt })
        return { apiKey: withoutHashes({ ...before, ...secret }), key }
      }),
    revoke: (apiKeyId, actor) =>
      store.database.transaction(() => {
        existing(apiKeyId)
        if (store.apiKeys.revoke(apiKeyId, instantOf(clock())))
          note(deps.store, actor, 'api-key.revoke', apiKeyId)
      }),
  }
}

const mintKey = () => `sk_live_${randomBytes(16).toString('hex')}`

function withoutHashes({ keyHash: _, oldKeyHash: __, ...apiKey }: ApiKeyRecord): ApiKey {
  return apiKey
}
