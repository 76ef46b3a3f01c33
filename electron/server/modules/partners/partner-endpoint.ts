import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { type EventTarget, openEventTargets } from '#server/modules/events/event-targets.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Partner } from '#shared/contract/dashboard.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import type { EndpointRecord } from './endpoint-queries.ts'
import { checkedUrl, checkSecret, defaultEndpoint, listHosts, newSecret } from './endpoint-rules.ts'

export interface NewPartner {
  readonly url: string
  /**
   * `whsec_` and the standard base64 of 24 to 64 bytes; absent keeps the one there, or makes one.
   */
  readonly secret?: string | undefined
  /** The host may be called by plain http and at a private address. */
  readonly allowPlaintext: boolean
}

/**
 * The clinic's default endpoint, which takes every event that was not given to another
 * (interface-choices §6 row 50).
 */
export interface PartnerEndpoint {
  read(): Partner
  /**
   * It is enabled then. `secret` is given once, when it was made here. @throws ApiError malformed,
   * refused (plain http without leave)
   */
  set(partner: NewPartner, actor: Actor): Partner & { secret: string | null }
  /** That of the key, else the default; `undefined` where no endpoint takes the event. */
  endpointFor(event: EventType, apiKeyId?: string | null): EventTarget | undefined
}

export interface PartnerEndpointDeps extends DomainDeps {
  readonly settings: Settings
  /** After the commit of a change. It must not throw. */
  readonly onChanged?: () => void
}

export function openPartnerEndpoint(deps: PartnerEndpointDeps): PartnerEndpoint {
  const { store, clock, uuid } = deps
  const targets = openEventTargets(deps)

  function read(): Partner {
    const endpoint = defaultEndpoint(store)
    if (!endpoint) return { url: null, hasSecret: false, events: [], allowsPlaintext: false }
    const { url, events, allowsPlaintext, endpointId } = endpoint
    return {
      url,
      hasSecret: store.endpoints.secrets(endpointId).length > 0,
      events: [...events],
      allowsPlaintext,
    }
  }

  return {
    read,
    set: ({ url: given, secret, allowPlaintext }, actor) =>
      store.database.transaction(() => {
        const url = checkedUrl(given, allowPlaintext)
        if (secret !== undefined) checkSecret(secret)
        const before = defaultEndpoint(store)
        const kept = before
          ? store.endpoints.secrets(before.endpointId).map((one) => one.secret)
          : []
        const made = secret === undefined && kept.length === 0 ? newSecret() : null
        const fresh = secret ?? made
        const now = instantOf(clock())
        const endpoint: EndpointRecord = {
          ...(before ?? FIRST),
          endpointId: before?.endpointId ?? uuid(),
          url: url.href,
          allowsPlaintext: allowPlaintext,
          createdAt: before?.createdAt ?? now,
          updatedAt: now,
          disabledAt: null,
          disabledReason: null,
        }
        store.endpoints.put(endpoint)
        if (fresh !== null && fresh !== kept[0])
          store.endpoints.addSecret(endpoint.endpointId, fresh, now)
        // Another partner is never shown what the old one's secret makes of its events.
        const isSamePlace = before !== undefined && new URL(before.url).origin === url.origin
        store.endpoints.keepSecrets(
          endpoint.endpointId,
          isSamePlace ? targets.secretsOf(endpoint.endpointId).length : 1,
        )
        listHosts(deps, url.href, actor)
        note(deps.store, actor, 'partner.set', endpoint.endpointId, {
          url: { before: before?.url ?? null, after: url.href },
          allowsPlaintext: allowPlaintext,
          secret:
            made !== null ? 'made' : fresh !== null && fresh !== kept[0] ? 'replaced' : 'kept',
        })
        if (deps.onChanged) store.database.afterCommit(deps.onChanged)
        return { ...read(), secret: made }
      }),
    endpointFor: targets.targetFor,
  }
}

const FIRST = { name: '', events: EVENT_TYPES, apiKeyId: null, fileHosts: [], budgets: {} } as const
