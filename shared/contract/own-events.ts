import { z } from 'zod'
import { Uid } from '../dicom-values.ts'
import { WebhookEventId } from '../ids.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, Page, pageOf } from './conventions.ts'
import { DisabledReason, EVENT_OUTCOMES, EVENT_STATES } from './events.ts'
import { orEmpty } from './values.ts'
import { EVENT_TYPES, KEY_EVENT_TYPES } from './webhooks.ts'

// Self-service of partners: the events of an API key and its endpoints (decision 0076). Texts are
// English, because programs and developers read them.

const EventType = z.enum(EVENT_TYPES)
const EventState = z.enum(EVENT_STATES)
const EventOutcome = z.enum(EVENT_OUTCOMES)

/** An event, as the API key that it belongs to sees it. */
const SentEvent = z
  .object({
    eventId: WebhookEventId,
    type: EventType,
    kind: z.enum(['synchronous', 'soft', 'asynchronous']),
    endpointId: z.uuid().nullable(),
    subject: z.string(),
    studyInstanceUid: z.string().nullable(),
    state: EventState,
    outcome: EventOutcome,
    attempts: z.int(),
    remarkCount: z.int(),
    isTest: z.boolean(),
    nextAttemptAt: Instant.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'SentEvent' })

/** One attempt to send an event. */
const SentEventAttempt = z
  .object({
    attempt: z.int(),
    at: Instant,
    outcome: EventOutcome,
    httpStatus: z.int().nullable(),
    tookMs: z.number(),
    bytes: z.int(),
    detail: z.string().nullable(),
    remarks: z.array(z.object({ path: z.string(), sentence: z.string() })),
    response: z.string().nullable(),
    isCut: z.boolean(),
  })
  .meta({ id: 'SentEventAttempt' })

/** An event with its attempts. */
const SentEventWithAttempts = SentEvent.extend({
  request: z.string().nullable(),
  attemptList: z.array(SentEventAttempt),
  hasBodies: z.boolean(),
  canReplay: z.boolean(),
  whyNot: z.string().nullable(),
}).meta({ id: 'SentEventWithAttempts' })
export type SentEventAttempt = z.infer<typeof SentEventAttempt>
export type SentEventWithAttempts = z.infer<typeof SentEventWithAttempts>
export type SentEvent = z.infer<typeof SentEvent>

const eventParams = z.object({ eventId: WebhookEventId })

/** The events of the calling API key. */
export const ownEvents = {
  list: operation('GET /v1/events', {
    access: 'events',
    summary: 'List the events of this API key, newest first',
    query: z.object({
      ...Page,
      type: EventType.optional(),
      state: EventState.optional(),
      studyInstanceUid: Uid.optional(),
    }),
    reply: pageOf('events', SentEvent),
  }),
  read: operation('GET /v1/events/:eventId', {
    access: 'events',
    summary: 'Read an event with its attempts',
    params: eventParams,
    reply: SentEventWithAttempts,
  }),
  replay: operation('POST /v1/events/:eventId/replay', {
    access: 'events',
    summary: 'Send an event again',
    params: eventParams,
    reply: Outcome,
  }),
} as const

/** An endpoint of the calling API key. Its secrets are not in it. */
const DeliveryEndpoint = z
  .object({
    endpointId: z.uuid(),
    name: z.string(),
    url: z.string(),
    events: z.array(EventType),
    fileHosts: z.array(z.string()),
    refusedHosts: z.array(z.object({ host: z.string(), at: Instant })),
    secrets: z.array(z.object({ createdAt: Instant, endsAt: Instant.nullable() })),
    isEnabled: z.boolean(),
    disabledReason: DisabledReason.nullable(),
    waiting: z.int(),
    createdAt: Instant,
  })
  .meta({ id: 'DeliveryEndpoint' })
export type DeliveryEndpoint = z.infer<typeof DeliveryEndpoint>

/** The same with a new secret, which is returned only once. */
const DeliveryEndpointWithSecret = DeliveryEndpoint.extend({ secret: z.string() }).meta({
  id: 'DeliveryEndpointWithSecret',
})

const endpointParams = z.object({ endpointId: z.uuid() })
const KeyEventType = z.enum(KEY_EVENT_TYPES)
const fields = {
  name: z.string().trim().max(64),
  url: z.url({ protocol: /^https$/ }).max(2000),
  events: z.array(KeyEventType).max(KEY_EVENT_TYPES.length),
}

/** The endpoints of the calling API key. */
export const ownEndpoints = {
  list: operation('GET /v1/endpoints', {
    access: 'endpoints',
    summary: 'List the endpoints of this API key',
    reply: z.object({ endpoints: z.array(DeliveryEndpoint) }),
  }),
  create: operation('POST /v1/endpoints', {
    access: 'endpoints',
    summary: 'Add an endpoint; its signing secret is returned once',
    body: z.object({ ...fields, name: fields.name.default('') }),
    reply: DeliveryEndpointWithSecret,
    status: 201,
  }),
  update: operation('PATCH /v1/endpoints/:endpointId', {
    access: 'endpoints',
    summary: 'Change an endpoint, or enable it after it returned 410',
    params: endpointParams,
    body: orEmpty(z.object({ ...fields, isEnabled: z.literal(true) }).partial()),
    reply: DeliveryEndpoint,
  }),
  remove: operation('DELETE /v1/endpoints/:endpointId', {
    access: 'endpoints',
    summary: 'Remove an endpoint',
    params: endpointParams,
    reply: Outcome,
  }),
  rotateSecret: operation('POST /v1/endpoints/:endpointId/rotate-secret', {
    access: 'endpoints',
    summary: 'Replace the signing secret; the new one is returned once',
    params: endpointParams,
    body: orEmpty(z.object({ endOthersNow: z.boolean().default(false) })),
    reply: DeliveryEndpointWithSecret,
  }),
  test: operation('POST /v1/endpoints/:endpointId/test', {
    access: 'endpoints',
    summary: 'Send an event with sample data to an endpoint now',
    params: endpointParams,
    body: z.object({ type: KeyEventType }),
    reply: z.object({ success: z.boolean(), message: z.string(), eventId: WebhookEventId }),
  }),
} as const
