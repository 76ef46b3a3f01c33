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

// Changes to endpoints. Each change notifies the topic `endpoints`.

type Calls = typeof dashboardEvents
type Body<K extends 'addEndpoint' | 'changeEndpoint' | 'rotateSecret'> = CallOf<Calls[K]>['body']

const SECRET_BYTES = 32

/**
 * Adds an endpoint. `secret` is returned only here, and only if it was generated.
 * @throws ApiError malformed; refused: the API key is unknown, or another endpoint receives one of
 *   the events
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
    checkApiKey(context, apiKeyId)
    // The oldest endpoint is the default, so the creation time must increase even if the clock was
    // set back.
    const newest = queries.listEndpoints(database).map(({ createdAt }) => msOf(createdAt) + 1)
    const now = instantOf(Math.max(clock(), 0, ...newest))
    const detail = {
      ...{ url, apiKeyId, allowsPlaintext: allowPlaintext, events: [...new Set(events)] },
      ...{ name: rest.name, fileHosts: [...new Set(rest.fileHosts)] },
      budgets: withoutUndefined(rest.budgets),
    }
    const endpoint: EndpointRecord = {
      ...{ ...detail, endpointId: uuid(), createdAt: now, updatedAt: now },
      ...{ disabledAt: null, disabledReason: null },
    }
    checkEventConflicts(context, endpoint)
    queries.saveEndpoint(database, endpoint)
    const generated = secret === undefined ? newSecret() : null
    queries.insertEndpointSecret(database, endpoint.endpointId, secret ?? generated ?? '', now)
    if (allowPlaintext) updatePlaintextHosts(context, url, actor)
    note(context, actor, 'endpoint.add', endpoint.endpointId, {
      ...toJson(detail),
      secret: generated === null ? 'given' : 'made',
    })
    database.notify('endpoints')
    return { endpoint, secret: generated }
  })
}

/**
 * Changes the given fields of an endpoint.
 * @throws ApiError not-found, malformed, refused
 */
export function changeEndpoint(
  context: Context,
  endpointId: string,
  { allowPlaintext, isEnabled, ...patch }: Body<'changeEndpoint'>,
  actor: Actor,
): EndpointRecord {
  const { database, clock } = context
  return database.transaction(() => {
    const before = requireEndpoint(context, endpointId)
    const allowsPlaintext = allowPlaintext ?? before.allowsPlaintext
    const url = checkedUrl(patch.url ?? before.url, allowsPlaintext).href
    const events = patch.events ? [...new Set(patch.events)] : before.events
    checkEventConflicts(context, { ...before, events })
    const now = instantOf(clock())
    const isToggled = isEnabled !== undefined && isEnabled !== (before.disabledAt === null)
    const after: EndpointRecord = {
      ...{ ...before, allowsPlaintext, url, events, updatedAt: now },
      ...(isToggled && {
        disabledAt: isEnabled ? null : now,
        disabledReason: isEnabled ? null : 'person',
      }),
      ...(patch.name !== undefined && { name: patch.name }),
      ...(patch.fileHosts && { fileHosts: [...new Set(patch.fileHosts)] }),
      ...(patch.budgets && { budgets: withoutUndefined(patch.budgets) }),
    }
    queries.saveEndpoint(database, after)
    if (before.allowsPlaintext || allowsPlaintext) updatePlaintextHosts(context, before.url, actor)
    // Another partner must not receive signatures made with the former partner's secrets.
    if (new URL(before.url).origin !== new URL(url).origin)
      queries.pruneEndpointSecrets(database, endpointId, 1)
    const { updatedAt: _, ...differing } = differences(before, after)
    note(context, actor, 'endpoint.change', endpointId, toJson(differing))
    database.notify('endpoints')
    return after
  })
}

/**
 * Removes an endpoint.
 * @throws ApiError not-found; refused: the default endpoint cannot be removed
 */
export function removeEndpoint(context: Context, endpointId: string, actor: Actor): WindowOutcome {
  const { database } = context
  return database.transaction(() => {
    const { url, apiKeyId, events, allowsPlaintext } = requireEndpoint(context, endpointId)
    if (defaultEndpoint(database)?.endpointId === endpointId)
      throw new ApiError('refused', message('partners.own-endpoint'))
    queries.deleteEndpoint(database, endpointId)
    if (allowsPlaintext) updatePlaintextHosts(context, url, actor)
    note(context, actor, 'endpoint.remove', endpointId, toJson({ url, apiKeyId, events }))
    database.notify('endpoints')
    return {
      success: true,
      message: message('partners.endpoint-removed'),
    }
  })
}

/**
 * Replaces the signing secret. The former secret stays valid for `partner.secretOverlapHours`
 * unless `endOthersNow` is set. `secret` is returned only here, and only if it was generated.
 * @throws ApiError not-found, malformed
 */
export function rotateSecret(
  context: Context,
  endpointId: string,
  { secret, endOthersNow }: Body<'rotateSecret'>,
  actor: Actor,
) {
  const { database, clock } = context
  return database.transaction(() => {
    const endpoint = requireEndpoint(context, endpointId)
    if (secret !== undefined) checkSecret(secret)
    const [newest] = queries.endpointSecrets(database, endpointId)
    const generated = secret === undefined ? newSecret() : null
    const endpointSecret = secret ?? generated ?? ''
    if (endpointSecret !== newest?.secret)
      queries.insertEndpointSecret(database, endpointId, endpointSecret, instantOf(clock()))
    const count = endOthersNow ? 1 : signingSecrets(context, endpointId).length
    queries.pruneEndpointSecrets(database, endpointId, count)
    const detail = { secret: generated === null ? 'given' : 'made', endOthersNow }
    note(context, actor, 'endpoint.rotate-secret', endpointId, detail)
    database.notify('endpoints')
    return { endpoint, secret: generated }
  })
}

/** Disables an endpoint that responded with 410 Gone. Returns whether it was enabled. */
export function disableEndpoint(context: Context, endpointId: string): boolean {
  const { database, clock } = context
  return database.transaction(() => {
    const before = queries.findEndpoint(database, endpointId)
    if (!before || before.disabledAt !== null) return false
    const now = instantOf(clock())
    const disabledFields = { disabledAt: now, disabledReason: 'gone', updatedAt: now } as const
    queries.saveEndpoint(database, { ...before, ...disabledFields })
    note(context, 'gateway', 'endpoint.switch-off', endpointId, { reason: 'gone' })
    database.notify('endpoints')
    return true
  })
}

/** The clinic's default endpoint, which receives every event that no other endpoint receives. */
export function readPartner({ database }: Context): Partner {
  const endpoint = defaultEndpoint(database)
  if (!endpoint) return { url: null, hasSecret: false, events: [], allowsPlaintext: false }
  const { url, events, allowsPlaintext, endpointId } = endpoint
  const hasSecret = queries.endpointSecrets(database, endpointId).length > 0
  return { url, hasSecret, events: [...events], allowsPlaintext }
}

const INITIAL_ENDPOINT = {
  name: '',
  events: EVENT_TYPES,
  apiKeyId: null,
  fileHosts: [],
  budgets: {},
} as const

/**
 * Sets and enables the clinic's default endpoint.
 * `secret` is `whsec_` and the standard base64 of 24 to 64 bytes. If it is absent, the present
 * secret is kept, or one is generated and returned once. `allowPlaintext` permits plain http and a
 * private address.
 * @throws ApiError malformed; refused: plain http without `allowPlaintext`
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
    const generated = secret === undefined && !kept ? newSecret() : null
    const endpointSecret = secret ?? generated
    const isNewSecret = endpointSecret !== null && endpointSecret !== kept?.secret
    const now = instantOf(clock())
    const endpointId = before?.endpointId ?? uuid()
    queries.saveEndpoint(database, {
      ...(before ?? { ...INITIAL_ENDPOINT, createdAt: now }),
      ...{ endpointId, url: url.href, allowsPlaintext: allowPlaintext, updatedAt: now },
      ...{ disabledAt: null, disabledReason: null },
    })
    if (isNewSecret) queries.insertEndpointSecret(database, endpointId, endpointSecret, now)
    // Another partner must not receive signatures made with the former partner's secret.
    const isSameOrigin = before !== undefined && new URL(before.url).origin === url.origin
    const count = isSameOrigin ? signingSecrets(context, endpointId).length : 1
    queries.pruneEndpointSecrets(database, endpointId, count)
    updatePlaintextHosts(context, url.href, actor)
    note(context, actor, 'partner.set', endpointId, {
      url: { before: before?.url ?? null, after: url.href },
      allowsPlaintext: allowPlaintext,
      secret: generated !== null ? 'made' : isNewSecret ? 'replaced' : 'kept',
    })
    database.notify('endpoints')
    return { ...readPartner(context), secret: generated }
  })
}

/** A partner given at startup. Without `secret`, the stored secret is used. */
export interface PartnerOption {
  readonly url: string
  readonly secret?: string
}

/**
 * Stores the partner given at startup as if it had been set in the window. Does nothing if it is
 * unchanged.
 * @throws StartError
 */
export function applyPartnerOption(context: Context, { url, secret }: PartnerOption): void {
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

function requireEndpoint({ database }: Context, endpointId: string): EndpointRecord {
  const found = queries.findEndpoint(database, endpointId)
  if (!found) throw new ApiError('not-found', message('partners.no-endpoint'))
  return found
}

/**
 * Refuses a second endpoint for the same event of the same API key, because the recipient would be
 * ambiguous.
 */
function checkEventConflicts(
  { database }: Context,
  { endpointId, apiKeyId, events }: EndpointRecord,
): void {
  for (const other of queries.listEndpoints(database)) {
    if (other.endpointId === endpointId || other.apiKeyId !== apiKeyId) continue
    const sharedEvent = events.find((event) => other.events.includes(event))
    if (sharedEvent === undefined) continue
    throw new ApiError(
      'refused',
      message('partners.event-taken', { event: sharedEvent, endpoint: endpointName(other) }),
      {
        errors: [
          {
            path: 'body.events',
            message: message('partners.event-taken-field', { event: sharedEvent }),
          },
        ],
      },
    )
  }
}

function checkApiKey({ database }: Context, apiKeyId: string | null): void {
  const key = apiKeyId === null ? undefined : findApiKey(database, apiKeyId)
  if (apiKeyId === null || (key && key.revokedAt === null)) return
  throw new ApiError('refused', message('partners.no-api-key'), {
    errors: [{ path: 'body.apiKeyId', message: message('partners.no-api-key-field') }],
  })
}

/** Generates a signing secret: `whsec_` and base64, as specified by Standard Webhooks. */
export const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
/** @throws ApiError malformed; refused: plain http without `allowPlaintext` */
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
    const urlFault = message(code ?? 'partners.url-malformed')
    throw new ApiError('malformed', message('partners.url', { fault: urlFault }), {
      errors: [{ path: 'body.url', message: urlFault }],
    })
  }
  if (url.protocol === 'http:' && !allowPlaintext)
    throw new ApiError('refused', message('partners.plaintext'), {
      errors: [{ path: 'body.allowPlaintext', message: message('partners.plaintext-field') }],
    })
  return url
}

/**
 * Checks a secret: `whsec_` and the base64 of 24 to 64 bytes (Standard Webhooks, "Signature
 * scheme").
 * @throws ApiError malformed
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
 * Updates `partner.plaintextHosts` within the open transaction: adds the host of each endpoint that
 * allows plaintext, and removes the former host of the changed or removed endpoint if no other
 * needs it. Other entries are kept. An endpoint that never allowed plaintext must not change the
 * list, because an API key may add and remove such endpoints.
 */
function updatePlaintextHosts(context: Context, changed: string, actor: Actor): void {
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
const withoutUndefined = (
  budgets: { readonly [E in keyof Budgets]: number | undefined },
): Budgets => Object.fromEntries(Object.entries(budgets).filter(([, ms]) => ms !== undefined))

/** Converts a value to plain JSON for the audit log. */
const toJson = (value: object): Record<string, JsonValue> => JSON.parse(JSON.stringify(value))
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
