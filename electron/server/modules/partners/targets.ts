import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { DisabledReason } from '#shared/contract/events.ts'
import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type EndpointRecord, endpointSecrets, findEndpoint, listEndpoints } from './queries.ts'

// Which endpoint gets an event, and what signs for it.

/** Why an endpoint is off, for a person. */
export const DISABLED_SENTENCES: Readonly<Record<DisabledReason, Message>> = {
  person: message('partners.switched-off-here'),
  gone: message('partners.endpoint-gone'),
}

const HOUR_MS = 60 * 60_000

/** Events that go to the endpoint of the key that created the study. */
const OF_A_KEY: ReadonlySet<EventType> = new Set<EventType>([
  'study.access_requested',
  'secondary_capture.access_requested',
  'report.delivered',
  'ephemeral.access_requested',
])

/** Its name, or the host of its address: what a person calls it. */
export const endpointName = ({ name, url }: Pick<EndpointRecord, 'name' | 'url'>): string =>
  name || new URL(url).host

/**
 * The endpoint that has no key and was there first: the partner set at the command line or under
 * Partner.
 */
export const defaultEndpoint = (database: Database) =>
  listEndpoints(database).find(({ apiKeyId }) => apiKeyId === null)

/**
 * The endpoint that takes the event, also where it is switched off: that of the key, else the
 * clinic's own. What a key's endpoint does not get goes to no other.
 */
export function endpointTaking(database: Database, event: EventType, apiKeyId: string | null) {
  const takers = listEndpoints(database).filter(({ events }) => events.includes(event))
  const own =
    apiKeyId !== null && OF_A_KEY.has(event)
      ? takers.find((endpoint) => endpoint.apiKeyId === apiKeyId)
      : undefined
  return own ?? takers.find((endpoint) => endpoint.apiKeyId === null)
}

/** Those that sign now, newest first; `endsAt`, when it stops signing, is null for the newest. */
export function signingSecrets({ database, clock, settings }: Context, endpointId: string) {
  const overlapMs = settings.get('partner.secretOverlapHours') * HOUR_MS
  const all = endpointSecrets(database, endpointId)
  return all
    .map((one, at) => {
      const next = all[at - 1]
      return { ...one, endsAt: next ? instantOf(msOf(next.createdAt) + overlapMs) : null }
    })
    .filter(({ endsAt }) => endsAt === null || msOf(endsAt) > clock())
}

/**
 * Where an event is sent, and what it is signed with, the newest secret first. Undefined where no
 * endpoint takes the event, or the one that does is off: switched off, or by a 410, which ends only
 * asynchronous events. Those can wait for another address, while a device waits for its worklist
 * now and is told by the answer itself.
 */
export function targetFor(context: Context, event: EventType, apiKeyId: string | null = null) {
  const taker = endpointTaking(context.database, event, apiKeyId)
  const isOpen =
    taker?.disabledAt === null ||
    (taker?.disabledReason !== 'person' && EVENTS[event].kind !== 'asynchronous')
  return taker && isOpen ? targetOf(context, taker) : undefined
}

/** A given endpoint, also where it is switched off; undefined where it has no secret. */
export function findTarget(context: Context, endpointId: string) {
  const endpoint = findEndpoint(context.database, endpointId)
  return endpoint && targetOf(context, endpoint)
}

function targetOf(context: Context, { endpointId, url, budgets }: EndpointRecord) {
  const secrets = signingSecrets(context, endpointId).map(({ secret }) => secret)
  return secrets.length === 0 ? undefined : { endpointId, url, secrets, budgets }
}
