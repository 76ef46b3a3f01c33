import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { EndpointRecord } from '#server/modules/partners/endpoint-queries.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { DisabledReason } from '#shared/contract/events.ts'
import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'

/** Where an event is sent and what it is signed with, the newest secret first. */
export interface EventTarget {
  readonly endpointId: string
  readonly url: string
  readonly secrets: readonly string[]
  /** Milliseconds a call may take, by event, where it is not the usual. */
  readonly budgets: Readonly<Partial<Record<EventType, number>>>
}

export interface SigningSecret {
  readonly secret: string
  readonly createdAt: string
  /** When it stops signing; null: it is the newest. */
  readonly endsAt: string | null
}

/** Which endpoint gets an event (interface-choices §6 row 50), and what signs for it. */
export interface EventTargets {
  /**
   * `undefined` where no endpoint takes the event, or the one that does is off: switched off, or by
   * a 410, which is for asynchronous events.
   */
  targetFor(event: EventType, apiKeyId?: string | null): EventTarget | undefined
  /** A given endpoint, also where it is switched off. */
  target(endpointId: string): EventTarget | undefined
  /** That of the event, also where it is switched off. */
  takerOf(event: EventType, apiKeyId: string | null): EndpointRecord | undefined
  /** Those that sign now, newest first. */
  secretsOf(endpointId: string): readonly SigningSecret[]
}

/** Why an endpoint is off, for a person. */
export const DISABLED_SENTENCES: Readonly<Record<DisabledReason, string>> = {
  person: 'It was switched off here.',
  gone: 'It answered a report with 410: this address is no longer used.',
}

const HOUR_MS = 60 * 60_000

// Row 50: the others are the clinic's own, whoever made a study.
const OF_A_KEY: ReadonlySet<EventType> = new Set([
  ...([
    'study.access_requested',
    'secondary_capture.access_requested',
    'report.delivered',
    'ephemeral.access_requested',
  ] as const),
])

export function openEventTargets({
  store,
  clock,
  settings,
}: Pick<DomainDeps, 'store' | 'clock'> & {
  readonly settings: Pick<Settings, 'get'>
}): EventTargets {
  const takerOf = (event: EventType, apiKeyId: string | null) =>
    store.endpoints.takerOf(event, OF_A_KEY.has(event) ? apiKeyId : null)

  function secretsOf(endpointId: string): readonly SigningSecret[] {
    const overlapMs = settings.get('partner.secretOverlapHours') * HOUR_MS
    const all = store.endpoints.secrets(endpointId)
    return all
      .map((one, at) => {
        const next = all[at - 1]
        return { ...one, endsAt: next ? instantOf(msOf(next.createdAt) + overlapMs) : null }
      })
      .filter(({ endsAt }) => endsAt === null || msOf(endsAt) > clock())
  }

  function targetOf(endpoint: EndpointRecord | undefined): EventTarget | undefined {
    const secrets = endpoint ? secretsOf(endpoint.endpointId).map(({ secret }) => secret) : []
    if (!endpoint || secrets.length === 0) return undefined
    const { endpointId, url, budgets } = endpoint
    return { endpointId, url, secrets, budgets }
  }

  return {
    takerOf,
    secretsOf,
    target: (endpointId) => targetOf(store.endpoints.get(endpointId)),
    targetFor(event, apiKeyId = null) {
      const taker = takerOf(event, apiKeyId)
      return taker && isOpenTo(event, taker) ? targetOf(taker) : undefined
    },
  }
}

/**
 * An address that is no longer used (410) ends what can wait for another one. A device waits for
 * its worklist now, and is told by the answer itself.
 */
const isOpenTo = (event: EventType, { disabledAt, disabledReason }: EndpointRecord): boolean =>
  disabledAt === null || (disabledReason !== 'person' && EVENTS[event].kind !== 'asynchronous')
