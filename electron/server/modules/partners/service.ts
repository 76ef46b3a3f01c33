import { randomBytes } from 'node:crypto'
import { type Actor, differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { StartError } from '#server/http/start-error.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import type { Partner } from '#shared/contract/dashboard.ts'
import type { dashboardEvents } from '#shared/contract/events.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { message, sentences, verbatim } from '#shared/messages/message.ts'
import type { CallOf } from '#shared/operation.ts'
import type { EndpointRecord } from './queries.ts'
import * as queries from './queries.ts'
import { defaultEndpoint, endpointName, signingSecrets, targetFor } from './targets.ts'

// Where events go. Each change calls the listeners of the topic `endpoints`.

type Calls = typeof dashboardEvents
type Body<K extends 'addEndpoint' | 'changeEndpoint' | 'rotateSecret'> = CallOf<Calls[K]>['body']

const SECRET_BYTES = 32

/**
 * `secret` is given once, when it was made here. @throws ApiError malformed, refused: an event has
 * its endpoint already
 */
export function addEndpoint(
  context: Context,
  { url: given, allowPlaintext, secret, apiKeyId, events, ...rest }: Body<'addEndpoint'>,
  actor: Actor,
) {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const url = checkedUrl(given, allowPlaintext).href
    if (secret !== undefined) checkSecret(secret)
    demandKey(context, apiKeyId)
    // The default is the first one, also where the clock of the PC was set back.
    const newest = queries.listEndpoints(database).map(({ createdAt }) => msOf(createdAt) + 1)
    const now = instantOf(Math.max(clock(), 0, ...newest))
    const detail = {
      ...{ url, apiKeyId, allowsPlaintext: allowPlaintext, events: [...new Set(events)] },
      ...{ name: rest.name, fileHosts: [...new Set(rest.fileHosts)] },
      budgets: definedOf(rest.budgets),
    }
    const endpoint: EndpointRecord = {
      ...{ ...detail, endpointId: uuid(), createdAt: now, updatedAt: now },
      ...{ disabledAt: null, disabledReason: null },
    }
    demandNoOther(context, endpoint)
    queries.saveEndpoint(database, endpoint)
    const made = secret === undefined ? newSecret() : null
    queries.insertEndpointSecret(database, endpoint.endpointId, secret ?? made ?? '', now)
    listHosts(context, url, actor)
    note(context, actor, 'endpoint.add', endpoint.endpointId, {
      ...plain(detail),
      secret: made === null ? 'given' : 'made',
    })
    database.notify('endpoints')
    return { endpoint, secret: made }
  })
}

/** @throws ApiError not-found, malformed, refused */
export function changeEndpoint(
  context: Context,
  endpointId: string,
  { allowPlaintext, isEnabled, ...patch }: Body<'changeEndpoint'>,
  actor: Actor,
): EndpointRecord {
  const { database, clock } = context
  return database.transaction(() => {
    const before = existing(context, endpointId)
    const allowsPlaintext = allowPlaintext ?? before.allowsPlaintext
    const url = checkedUrl(patch.url ?? before.url, allowsPlaintext).href
    const events = patch.events ? [...new Set(patch.events)] : before.events
    demandNoOther(context, { ...before, events })
    const now = instantOf(clock())
    const isSwitched = isEnabled !== undefined && isEnabled !== (before.disabledAt === null)
    const after: EndpointRecord = {
      ...{ ...before, allowsPlaintext, url, events, updatedAt: now },
      ...(isSwitched && {
        disabledAt: isEnabled ? null : now,
        disabledReason: isEnabled ? null : 'person',
      }),
      ...(patch.name !== undefined && { name: patch.name }),
      ...(patch.fileHosts && { fileHosts: [...new Set(patch.fileHosts)] }),
      ...(patch.budgets && { budgets: definedOf(patch.budgets) }),
    }
    queries.saveEndpoint(database, after)
    listHosts(context, url, actor)
    // Another partner is never shown what the old one's secrets make of its events.
    if (new URL(before.url).origin !== new URL(url).origin)
      queries.keepEndpointSecrets(database, endpointId, 1)
    const { updatedAt: _, ...differing } = differences(before, after)
    note(context, actor, 'endpoint.change', endpointId, plain(differing))
    database.notify('endpoints')
    return after
  })
}

/** @throws ApiError not-found, refused: the default stays */
export function removeEndpoint(context: Context, endpointId: string, actor: Actor): WindowOutcome {
  const { database } = context
  return database.transaction(() => {
    const { url, apiKeyId, events } = existing(context, endpointId)
    if (defaultEndpoint(database)?.endpointId === endpointId)
      throw new ApiError('refused', message('partners.own-endpoint'))
    queries.deleteEndpoint(database, endpointId)
    listHosts(context, url, actor)
    note(context, actor, 'endpoint.remove', endpointId, plain({ url, apiKeyId, events }))
    database.notify('endpoints')
    return {
      success: true,
      message: message('partners.endpoint-removed'),
    }
  })
}

/** `secret` is given once, when it was made here. @throws ApiError not-found, malformed */
export function rotateSecret(
  context: Context,
  endpointId: string,
  { secret, endOthersNow }: Body<'rotateSecret'>,
  actor: Actor,
) {
  const { database, clock } = context
  return database.transaction(() => {
    const endpoint = existing(context, endpointId)
    if (secret !== undefined) checkSecret(secret)
    const [newest] = queries.endpointSecrets(database, endpointId)
    const made = secret === undefined ? newSecret() : null
    const fresh = secret ?? made ?? ''
    if (fresh !== newest?.secret)
      queries.insertEndpointSecret(database, endpointId, fresh, instantOf(clock()))
    const count = endOthersNow ? 1 : signingSecrets(context, endpointId).length
    queries.keepEndpointSecrets(database, endpointId, count)
    const detail = { secret: made === null ? 'given' : 'made', endOthersNow }
    note(context, actor, 'endpoint.rotate-secret', endpointId, detail)
    database.notify('endpoints')
    return { endpoint, secret: made }
  })
}

/**
 * Switches it off by itself, since it said that it is no longer there (410); whether it was on.
 */
export function switchOffEndpoint(context: Context, endpointId: string): boolean {
  const { database, clock } = context
  return database.transaction(() => {
    const before = queries.findEndpoint(database, endpointId)
    if (!before || before.disabledAt !== null) return false
    const now = instantOf(clock())
    const off = { disabledAt: now, disabledReason: 'gone', updatedAt: now } as const
    queries.saveEndpoint(database, { ...before, ...off })
    note(context, 'gateway', 'endpoint.switch-off', endpointId, { reason: 'gone' })
    database.notify('endpoints')
    return true
  })
}

/** The clinic's default endpoint, which takes every event that was not given to another. */
export function readPartner({ database }: Context): Partner {
  const endpoint = defaultEndpoint(database)
  if (!endpoint) return { url: null, hasSecret: false, events: [], allowsPlaintext: false }
  const { url, events, allowsPlaintext, endpointId } = endpoint
  const hasSecret = queries.endpointSecrets(database, endpointId).length > 0
  return { url, hasSecret, events: [...events], allowsPlaintext }
}

const FIRST = { name: '', events: EVENT_TYPES, apiKeyId: null, fileHosts: [], budgets: {} } as const

/**
 * Sets the clinic's default endpoint, which is enabled then. `secret` is `whsec_` and the standard
 * base64 of 24 to 64 bytes; absent keeps the one that is there, or makes one, which is given once.
 * `allowPlaintext`: the host may be called by plain http and at a private address.
 * @throws ApiError malformed, refused (plain http without leave)
 */
export function setPartner(
  context: Context,
  {
    url: given,
    secret,
    allowPlaintext,
  }: {
    readonly url: string
    readonly secret?: string | undefined
    readonly allowPlaintext: boolean
  },
  actor: Actor,
): Partner & { secret: string | null } {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const url = checkedUrl(given, allowPlaintext)
    if (secret !== undefined) checkSecret(secret)
    const before = defaultEndpoint(database)
    const [kept] = before ? queries.endpointSecrets(database, before.endpointId) : []
    const made = secret === undefined && !kept ? newSecret() : null
    const fresh = secret ?? made
    const isFresh = fresh !== null && fresh !== kept?.secret
    const now = instantOf(clock())
    const endpointId = before?.endpointId ?? uuid()
    queries.saveEndpoint(database, {
      ...(before ?? { ...FIRST, createdAt: now }),
      ...{ endpointId, url: url.href, allowsPlaintext: allowPlaintext, updatedAt: now },
      ...{ disabledAt: null, disabledReason: null },
    })
    if (isFresh) queries.insertEndpointSecret(database, endpointId, fresh, now)
    // Another partner is never shown what the old one's secret makes of its events.
    const isSamePlace = before !== undefined && new URL(before.url).origin === url.origin
    const count = isSamePlace ? signingSecrets(context, endpointId).length : 1
    queries.keepEndpointSecrets(database, endpointId, count)
    listHosts(context, url.href, actor)
    note(context, actor, 'partner.set', endpointId, {
      url: { before: before?.url ?? null, after: url.href },
      allowsPlaintext: allowPlaintext,
      secret: made !== null ? 'made' : isFresh ? 'replaced' : 'kept',
    })
    database.notify('endpoints')
    return { ...readPartner(context), secret: made }
  })
}

/** A partner given at the start; without `secret` the one that is kept goes on. */
export interface GivenPartner {
  readonly url: string
  readonly secret?: string
}

/**
 * Keeps the partner given at the start like one set in the window; the same one again changes
 * nothing.
 * @throws StartError
 */
export function setGivenPartner(context: Context, { url, secret }: GivenPartner): void {
  const known = targetFor(context, 'modality_worklist.requested')
  if (secret === undefined && !readPartner(context).hasSecret)
    throw new StartError(
      verbatim(
        '--partner-url needs the secret the partner verifies with: --partner-secret-file FILE.',
      ),
    )
  if (
    URL.canParse(url) &&
    known?.url === new URL(url).href &&
    (secret === undefined || known.secrets[0] === secret)
  )
    return
  try {
    setPartner(context, { url, secret, allowPlaintext: true }, 'command-line')
  } catch (error) {
    if (error instanceof ApiError)
      throw new StartError(sentences(message('partners.not-set'), error.explanation), {
        cause: error,
      })
    throw error
  }
}

function existing({ database }: Context, endpointId: string): EndpointRecord {
  const found = queries.findEndpoint(database, endpointId)
  if (!found) throw new ApiError('not-found', message('partners.no-endpoint'))
  return found
}

/**
 * Of two endpoints that take the same event of the same studies, nobody could say which gets it.
 */
function demandNoOther(
  { database }: Context,
  { endpointId, apiKeyId, events }: EndpointRecord,
): void {
  for (const other of queries.listEndpoints(database)) {
    if (other.endpointId === endpointId || other.apiKeyId !== apiKeyId) continue
    const both = events.find((event) => other.events.includes(event))
    if (both === undefined) continue
    throw new ApiError(
      'refused',
      message('partners.event-taken', { event: both, endpoint: endpointName(other) }),
      {
        errors: [
          { path: 'body.events', message: message('partners.event-taken-field', { event: both }) },
        ],
      },
    )
  }
}

function demandKey({ database }: Context, apiKeyId: string | null): void {
  const key = apiKeyId === null ? undefined : findApiKey(database, apiKeyId)
  if (apiKeyId === null || (key && key.revokedAt === null)) return
  throw new ApiError('refused', message('partners.no-api-key'), {
    errors: [{ path: 'body.apiKeyId', message: message('partners.no-api-key-field') }],
  })
}

/** `whsec_` and base64, as Standard Webhooks writes a secret. */
export const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
/** @throws ApiError malformed, refused (plain http without leave) */
function checkedUrl(text: string, allowPlaintext: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const code = !url
    ? 'partners.url-malformed'
    : !/^https?:$/.test(url.protocol)
      ? 'partners.url-not-https'
      : url.username !== '' || url.password !== ''
        ? 'partners.url-with-user'
        : url.hash !== ''
          ? 'partners.url-with-fragment'
          : undefined
  if (!url || code) {
    const wrong = message(code ?? 'partners.url-malformed')
    throw new ApiError('malformed', message('partners.url', { fault: wrong }), {
      errors: [{ path: 'body.url', message: wrong }],
    })
  }
  if (url.protocol === 'http:' && !allowPlaintext)
    throw new ApiError('refused', message('partners.plaintext'), {
      errors: [{ path: 'body.allowPlaintext', message: message('partners.plaintext-field') }],
    })
  return url
}

/**
 * Standard Webhooks, "Signature scheme": whsec_ and the base64 of 24 to 64 bytes. @throws ApiError
 * malformed
 */
function checkSecret(secret: string): void {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? ''
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text && bytes.length >= 24 && bytes.length <= 64) return
  throw new ApiError('malformed', message('partners.secret'), {
    errors: [{ path: 'body.secret', message: message('partners.secret-field') }],
  })
}

/**
 * Brings `partner.plaintextHosts` into line with the endpoints, within the open transaction: the
 * host of each that may be called by plain http or at a private address is on it; that of the
 * changed or removed one is not, unless one of them may be. What else is listed stays.
 */
function listHosts(context: Context, changed: string, actor: Actor): void {
  const { database } = context

  const wanted = queries
    .listEndpoints(database)
    .flatMap(({ url, allowsPlaintext }) => (allowsPlaintext ? [hostOf(url)] : []))
  const others = context.settings
    .get('partner.plaintextHosts')
    .filter((host) => host !== hostOf(changed))
  context.settings.change({ 'partner.plaintextHosts': [...new Set([...others, ...wanted])] }, actor)
}

function hostOf(text: string): string {
  const url = new URL(text)
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

type Budgets = EndpointRecord['budgets']
const definedOf = (budgets: { readonly [E in keyof Budgets]: number | undefined }): Budgets =>
  Object.fromEntries(Object.entries(budgets).filter(([, ms]) => ms !== undefined))

/** As the audit trail keeps it. */
const plain = (value: object): Record<string, JsonValue> => JSON.parse(JSON.stringify(value))
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
