import { randomBytes } from 'node:crypto'
import { type Actor, differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { TEST_PREFIX } from '#server/http/sandbox-requests.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashToken } from '#server/platform/token.ts'
import type { DicomwebRight, EventAccess } from '#shared/contract/dashboard-people.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import * as queries from './queries.ts'

// Keys of the `/v1` API. A key is `sk_live_`, or `sk_test_` in the sandbox, followed by 32
// hexadecimal digits. It is shown once, when it is created or rotated; only its SHA-256 is stored.
// A data folder has keys of one kind and accepts no other (decision 0075).

const LAST_USED_INTERVAL_MS = 60_000

export type ApiKey = Omit<queries.ApiKeyRecord, 'keyHash' | 'oldKeyHash'>
export type ApiKeys = ReturnType<typeof openApiKeys>

/** Authenticates API keys and records when each was last used. */
export function openApiKeys({ database, clock, isSandbox }: Context) {
  const form = new RegExp(`^${prefixOf({ isSandbox })}[0-9a-f]{32}$`)
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
      if (!form.test(key)) return undefined
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

/** What a key may do beyond the studies of the interface. */
export interface ApiKeyRights {
  /** Whether it may invite and change users; defaults to false. */
  readonly managesPeople?: boolean | undefined
  /** Defaults to `none`. */
  readonly dicomweb?: DicomwebRight | undefined
  /** What it may see of its own events; defaults to `none`. */
  readonly eventAccess?: EventAccess | undefined
  /** Whether its events include those that belong to no key; defaults to false. */
  readonly seesClinicEvents?: boolean | undefined
  /** Whether it may manage its own endpoints; defaults to false. */
  readonly managesEndpoints?: boolean | undefined
}

type Rights = { readonly [K in keyof ApiKeyRights]-?: NonNullable<ApiKeyRights[K]> }
const NO_RIGHTS: Rights = {
  managesPeople: false,
  dicomweb: 'none',
  eventAccess: 'none',
  seesClinicEvents: false,
  managesEndpoints: false,
}

/** The rights of `given`, and of `others` where it has none. */
const mergeRights = (given: ApiKeyRights, others: Rights): Rights => ({
  managesPeople: given.managesPeople ?? others.managesPeople,
  dicomweb: given.dicomweb ?? others.dicomweb,
  eventAccess: given.eventAccess ?? others.eventAccess,
  seesClinicEvents: given.seesClinicEvents ?? others.seesClinicEvents,
  managesEndpoints: given.managesEndpoints ?? others.managesEndpoints,
})

/**
 * Creates a key.
 * @throws ApiError malformed if a key for DICOMweb is limited to its own studies
 */
export function createApiKey(
  context: Context,
  options: Pick<queries.ApiKeyRecord, 'description' | 'isViewerEnabled' | 'scope'> & ApiKeyRights,
  actor: Actor,
): { readonly apiKey: ApiKey; readonly key: string } {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const key = generateKey(context)
    const permissions = { ...options, ...mergeRights(options, NO_RIGHTS) }
    requireWholeScope(permissions)
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
 * Changes what the key may do; an absent right stays as it is. Does nothing if nothing changes.
 * @throws ApiError not-found; refused if the key is revoked; malformed if a key for DICOMweb is
 * limited to its own studies
 */
export function changeApiKey(
  context: Context,
  apiKeyId: string,
  rights: ApiKeyRights,
  actor: Actor,
): ApiKey {
  const { database } = context
  return database.transaction(() => {
    const before = requireActiveApiKey(context, apiKeyId)
    const formerRights = mergeRights({}, before)
    const changed = mergeRights(rights, formerRights)
    const detail = differences<Rights>(formerRights, changed)
    if (Object.keys(detail).length === 0) return withoutHashes(before)
    const after = { ...before, ...changed }
    requireWholeScope(after)
    queries.updateApiKey(database, apiKeyId, changed)
    note(context, actor, 'api-key.change', apiKeyId, detail)
    return withoutHashes(after)
  })
}

/** DICOMweb has no notion of which key created a study, so a limited key may not use it. */
function requireWholeScope({
  scope,
  dicomweb,
}: Pick<queries.ApiKeyRecord, 'scope' | 'dicomweb'>): void {
  if (dicomweb === 'none' || scope === 'all') return
  const fault = message('api-keys.dicomweb-scope')
  throw new ApiError('malformed', fault, { errors: [{ path: 'body.dicomweb', message: fault }] })
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
    const key = generateKey(context)
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

const prefixOf = ({ isSandbox }: Pick<Context, 'isSandbox'>) =>
  isSandbox ? TEST_PREFIX : 'sk_live_'

const generateKey = (context: Context) => `${prefixOf(context)}${randomBytes(16).toString('hex')}`

const withoutHashes = ({ keyHash: _, oldKeyHash: __, ...apiKey }: queries.ApiKeyRecord): ApiKey =>
  apiKey
