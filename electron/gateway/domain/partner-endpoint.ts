import { randomBytes } from 'node:crypto'
import { instantOf, msOf } from '#gateway/store/clock.ts'
import type { EndpointRecord } from '#gateway/store/endpoints.ts'
import type { Partner } from '#shared/contract/dashboard.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { type Actor, type DomainDeps, note } from './audit.ts'
import type { Settings } from './settings.ts'

/** A replaced secret signs beside its successor so long, so that the partner can change over (ux-security E.10). */
const OVERLAP_MS = 24 * 60 * 60_000
const SECRET_BYTES = 32

export interface NewPartner {
  readonly url: string
  /** `whsec_` and the standard base64 of 24 to 64 bytes; absent keeps the one there, or makes one. */
  readonly secret?: string | undefined
  /** The host may be called by plain http and at a private address. */
  readonly allowPlaintext: boolean
}

/** Where an event is sent and what it is signed with, the newest secret first. */
export interface EventTarget {
  readonly endpointId: string
  readonly url: string
  readonly secrets: readonly string[]
}

/** The clinic's default endpoint, which takes every event (interface-choices §6 row 50). */
export interface PartnerEndpoint {
  read(): Partner
  /** `secret` is given once, when it was made here. @throws ApiError malformed, refused (plain http without leave) */
  set(partner: NewPartner, actor: Actor): Partner & { secret: string | null }
  /** That of the key, else the default; `undefined` where no endpoint takes the event. */
  endpointFor(event: EventType, apiKeyId?: string | null): EventTarget | undefined
}

export function openPartnerEndpoint(deps: DomainDeps & { readonly settings: Settings }): PartnerEndpoint {
  const { store, clock, uuid, settings } = deps
  const current = () => store.endpoints.list().find((endpoint) => endpoint.apiKeyId === null && endpoint.disabledAt === null)

  function read(): Partner {
    const endpoint = current()
    if (!endpoint) return { url: null, hasSecret: false, events: [], allowsPlaintext: false }
    const { url, events, allowsPlaintext, endpointId } = endpoint
    return { url, hasSecret: store.endpoints.secrets(endpointId).length > 0, events: [...events], allowsPlaintext }
  }

  return {
    read,
    set: ({ url: given, secret, allowPlaintext }, actor) =>
      store.database.transaction(() => {
        const url = checkedUrl(given, allowPlaintext)
        if (secret !== undefined) checkSecret(secret)
        const before = current()
        const kept = before ? store.endpoints.secrets(before.endpointId).map((one) => one.secret) : []
        const made = secret === undefined && kept.length === 0 ? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` : null
        const fresh = secret ?? made
        const now = instantOf(clock())
        const endpoint: EndpointRecord = {
          endpointId: before?.endpointId ?? uuid(),
          url: url.href,
          events: EVENT_TYPES,
          apiKeyId: null,
          allowsPlaintext: allowPlaintext,
          createdAt: before?.createdAt ?? now,
          updatedAt: now,
          disabledAt: null,
        }
        store.endpoints.put(endpoint)
        if (fresh !== null && fresh !== kept[0]) store.endpoints.addSecret(endpoint.endpointId, fresh, now)
        // Two sign at most, and another partner is never shown what the old one's secret makes of its events.
        const isSamePlace = before !== undefined && new URL(before.url).origin === url.origin
        store.endpoints.keepSecrets(endpoint.endpointId, isSamePlace ? 2 : 1)
        allowHost(url, allowPlaintext, actor)
        note(deps, actor, 'partner.set', endpoint.endpointId, {
          url: { before: before?.url ?? null, after: url.href },
          allowsPlaintext: allowPlaintext,
          secret: made !== null ? 'made' : fresh !== null && fresh !== kept[0] ? 'replaced' : 'kept',
        })
        return { ...read(), secret: made }
      }),
    endpointFor(event, apiKeyId = null) {
      const endpoint = store.endpoints.endpointFor(event, apiKeyId)
      if (!endpoint) return undefined
      const [newest, ...older] = store.endpoints.secrets(endpoint.endpointId)
      if (!newest) return undefined
      const overlaps = clock() - msOf(newest.createdAt) < OVERLAP_MS
      return {
        endpointId: endpoint.endpointId,
        url: endpoint.url,
        secrets: [newest, ...(overlaps ? older : [])].map(({ secret }) => secret),
      }
    },
  }

  function allowHost(url: URL, isAllowed: boolean, actor: Actor): void {
    const host = `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
    const others = settings.get('partner.plaintextHosts').filter((known) => known !== host)
    settings.change({ 'partner.plaintextHosts': isAllowed ? [...others, host] : others }, actor)
  }
}

function checkedUrl(text: string, allowPlaintext: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const message = !url
    ? 'must be a URL'
    : !/^https?:$/.test(url.protocol)
      ? 'must begin with https://'
      : url.username !== '' || url.password !== ''
        ? 'must not hold a user name or a password'
        : url.hash !== ''
          ? 'must not have a #fragment'
          : undefined
  if (!url || message)
    throw new ApiError('malformed', `The address ${message}.`, { errors: [{ path: 'body.url', message: message ?? '' }] })
  if (url.protocol === 'http:' && !allowPlaintext)
    throw new ApiError('refused', 'Patient data would cross the network in plain text. Use https, or allow plain http for this host.', {
      errors: [{ path: 'body.allowPlaintext', message: 'must be true for an http address' }],
    })
  return url
}

// Standard Webhooks, "Signature scheme": whsec_ and the base64 of 24 to 64 bytes.
function checkSecret(secret: string): void {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? ''
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text && bytes.length >= 24 && bytes.length <= 64) return
  throw new ApiError('malformed', 'The secret is not one of Standard Webhooks.', {
    errors: [{ path: 'body.secret', message: 'must be whsec_ and the base64 of 24 to 64 bytes' }],
  })
}
