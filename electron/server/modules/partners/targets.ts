import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { DisabledReason } from '#shared/contract/events.ts'
import { EVENTS, type EventType, KEY_EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type EndpointRecord, endpointSecrets, findEndpoint, listEndpoints } from './queries.ts'

// Selects the endpoint for an event and its signing secrets.

/** Messages for the reasons why an endpoint is disabled. */
export const DISABLED_MESSAGES: Readonly<Record<DisabledReason, Message>> = {
  person: message('partners.switched-off-here'),
  gone: message('partners.endpoint-gone'),
}

const HOUR_MS = 60 * 60_000

const API_KEY_EVENTS: ReadonlySet<EventType> = new Set<EventType>(KEY_EVENT_TYPES)

/** The endpoint's name, or the host of its URL if it has none. */
export const endpointName = ({ name, url }: Pick<EndpointRecord, 'name' | 'url'>): string =>
  name || new URL(url).host

/**
 * The default endpoint: the oldest one without an API key, which is set on the command line or in
 * the window.
 */
export const defaultEndpoint = (database: Database) =>
  listEndpoints(database).find(({ apiKeyId }) => apiKeyId === null)

/**
 * The endpoint that receives the event, even if it is disabled: that of the API key if it receives
 * this event, otherwise one without a key. Events are never sent to the endpoint of another key.
 */
export function endpointFor(database: Database, event: EventType, apiKeyId: string | null) {
  const candidates = listEndpoints(database).filter(({ events }) => events.includes(event))
  const own =
    apiKeyId !== null && API_KEY_EVENTS.has(event)
      ? candidates.find((endpoint) => endpoint.apiKeyId === apiKeyId)
      : undefined
  return own ?? candidates.find((endpoint) => endpoint.apiKeyId === null)
}

/** The secrets in use, newest first. `endsAt` is when a secret expires; null for the newest. */
export function signingSecrets({ database, clock, settings }: Context, endpointId: string) {
  const overlapMs = settings.get('partner.secretOverlapHours') * HOUR_MS
  const secrets = endpointSecrets(database, endpointId)
  return secrets
    .map((one, at) => {
      const next = secrets[at - 1]
      return { ...one, endsAt: next ? instantOf(msOf(next.createdAt) + overlapMs) : null }
    })
    .filter(({ endsAt }) => endsAt === null || msOf(endsAt) > clock())
}

/**
 * The URL and the signing secrets, newest first, for an event. Undefined if no endpoint receives
 * the event or the endpoint is disabled. An endpoint that was disabled by a 410 still receives
 * synchronous events: asynchronous ones can wait for another address, but a device waits for its
 * worklist now.
 */
export function targetFor(context: Context, event: EventType, apiKeyId: string | null = null) {
  const endpoint = endpointFor(context.database, event, apiKeyId)
  const isUsable =
    endpoint?.disabledAt === null ||
    (endpoint?.disabledReason !== 'person' && EVENTS[event].kind !== 'asynchronous')
  return endpoint && isUsable ? targetOf(context, endpoint) : undefined
}

/** The target for a given endpoint, even if it is disabled; undefined if it has no secret. */
export function findTarget(context: Context, endpointId: string) {
  const endpoint = findEndpoint(context.database, endpointId)
  return endpoint && targetOf(context, endpoint)
}

function targetOf(context: Context, { endpointId, url, budgets }: EndpointRecord) {
  const secrets = signingSecrets(context, endpointId).map(({ secret }) => secret)
  return secrets.length === 0 ? undefined : { endpointId, url, secrets, budgets }
}
