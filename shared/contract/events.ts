import { z } from 'zod'
import { WebhookEventId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf, WindowOutcome } from './conventions.ts'
import { Reason } from './values.ts'
import { EVENT_TYPES, EVENTS } from './webhooks.ts'
import { PARTNER_FAULTS } from './worklist.ts'

const EventType = z.enum(EVENT_TYPES)
const eventParams = z.object({ eventId: WebhookEventId })

/** The outcome of a request: accepted, or what was wrong. `none`: not sent yet. */
export const EVENT_OUTCOMES = ['none', 'accepted', ...PARTNER_FAULTS] as const
const EventOutcome = z.enum(EVENT_OUTCOMES)
export type EventOutcome = z.infer<typeof EventOutcome>

/**
 * waiting: to be sent or retried; done: accepted; failed: no more attempts; dropped: stopped by a
 * user.
 */
export const EVENT_STATES = ['waiting', 'done', 'failed', 'dropped'] as const

/** A part of a response that was left out or does not conform to the interface. */
export const AnswerNote = z.object({
  /** Path in the response, such as `manifest.series.0.sops.3`. */
  path: z.string(),
  /** What is wrong with the value and what was done about it. Never contains the value. */
  sentence: Message,
})
export type AnswerNote = z.infer<typeof AnswerNote>

/** An event sent to a partner. */
export const EventSummary = z.object({
  eventId: WebhookEventId,
  type: EventType,
  kind: z.enum(['synchronous', 'soft', 'asynchronous']),
  /** Null if no endpoint received it. */
  endpointId: z.string().nullable(),
  /** The subject: a study, a report or a device's AE title; never a patient. */
  subject: z.string(),
  studyInstanceUid: z.string().nullable(),
  state: z.enum(EVENT_STATES),
  outcome: EventOutcome,
  attempts: z.int(),
  /** Number of parts of the last response that were left out. */
  notes: z.int(),
  /** Duration of the last attempt in milliseconds. */
  tookMs: z.number(),
  /** The effect of the event, in one sentence. */
  effect: Message.nullable(),
  isTest: z.boolean(),
  /** When it is retried. */
  nextAt: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type EventSummary = z.infer<typeof EventSummary>

/** An event as the window lists it, with the study that it is about, if it is known here. */
export const ListedEvent = EventSummary.extend({
  study: z.object({ patientName: z.string(), description: z.string() }).nullable(),
})
export type ListedEvent = z.infer<typeof ListedEvent>

export const EventAttempt = z.object({
  attempt: z.int(),
  at: Instant,
  outcome: EventOutcome,
  httpStatus: z.int().nullable(),
  tookMs: z.number(),
  bytes: z.int(),
  /** What was wrong; for a refusal, the partner's own text. */
  detail: Message.nullable(),
  notes: z.array(AnswerNote),
  /**
   * The received body, as far as it is stored, without the queries of presigned URLs; null if there
   * was none.
   */
  response: z.string().nullable(),
  isCut: z.boolean(),
})
export type EventAttempt = z.infer<typeof EventAttempt>

export const EventRecord = EventSummary.extend({
  /**
   * The body of the last request, as JSON, without the queries of presigned URLs; null once it has
   * been deleted.
   */
  request: z.string().nullable(),
  /** Attempts, newest first. */
  attemptList: z.array(EventAttempt),
  /** Whether it can be sent again, and if not, why. */
  mayReplay: z.boolean(),
  whyNot: Message.nullable(),
})
export type EventRecord = z.infer<typeof EventRecord>

/**
 * Why an endpoint is disabled. person: disabled by a user; gone: it responded with 410, so its URL
 * is no longer used.
 */
export const DisabledReason = z.enum(['person', 'gone'])
export type DisabledReason = z.infer<typeof DisabledReason>

/** An endpoint that receives events. The clinic's default endpoint has no API key. */
export const Endpoint = z.object({
  endpointId: z.uuid(),
  name: z.string(),
  url: z.string(),
  events: z.array(EventType),
  /** The API key whose studies it receives events about. */
  apiKey: z.object({ apiKeyId: z.uuid(), description: z.string() }).nullable(),
  allowsPlaintext: z.boolean(),
  /**
   * Hosts (host or host:port) that files may be downloaded from and uploaded to by presigned URLs.
   */
  fileHosts: z.array(z.string()),
  /** Hosts in responses that are not allowed, newest first. */
  refusedHosts: z.array(z.object({ host: z.string(), at: Instant })),
  /** Time limit per event type in milliseconds, where it differs from the default. */
  budgets: z.partialRecord(EventType, z.int().min(500).max(120_000)),
  /** Signing secrets, newest first, with their periods of use. */
  secrets: z.array(z.object({ createdAt: Instant, endsAt: Instant.nullable() })),
  isDefault: z.boolean(),
  isEnabled: z.boolean(),
  /** Null if it is enabled. */
  disabledReason: DisabledReason.nullable(),
  waiting: z.int(),
  createdAt: Instant,
})
export type Endpoint = z.infer<typeof Endpoint>
const FileHost = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?$/, fault('partners.file-host'))
const endpointFields = {
  name: z.string().trim().max(64),
  url: z.url({ protocol: /^https?$/ }),
  events: z.array(EventType).max(EVENT_TYPES.length),
  allowPlaintext: z.boolean(),
  fileHosts: z.array(FileHost).max(100),
  budgets: Endpoint.shape.budgets,
}
const endpointParams = z.object({ endpointId: z.uuid() })
/** `secret` is returned once, if it was generated. */
const EndpointWithSecret = Endpoint.extend({ secret: z.string().nullable() })

/** How well a partner conforms to the interface, by event type. */
export const MeterRow = z.object({
  type: EventType,
  calls: z.int(),
  accepted: z.int(),
  /** Accepted, but parts were left out. */
  withNotes: z.int(),
  byOutcome: z.partialRecord(EventOutcome, z.int()),
  /** Duration in milliseconds. */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  /** The most frequent notes: path (array indices as `*`), text, count, and an example event. */
  notes: z.array(
    z.object({ path: z.string(), sentence: Message, count: z.int(), eventId: WebhookEventId }),
  ),
})
export type MeterRow = z.infer<typeof MeterRow>

export const Verdict = z.object({
  outcome: EventOutcome,
  /** How the gateway would interpret the response. */
  sentence: Message,
  notes: z.array(AnswerNote),
  /** What would be used, as JSON; null if nothing would. */
  used: z.string().nullable(),
})
export type Verdict = z.infer<typeof Verdict>

/** Only reports what would be sent again, for confirmation by the user; nothing is sent. */
const dryRunField = { isTrial: z.boolean().optional() }

/**
 * Events to partners, for the window. For owners and administrators: events contain patient data,
 * and their URLs determine where that data is sent.
 */
export const dashboardEvents = {
  list: operation('GET /dashboard/events', {
    access: 'manage',
    background: true,
    summary: 'Events, newest first',
    query: z.object({
      ...Page,
      type: EventType.optional(),
      show: z.enum(['all', 'waiting', 'failed', 'notes']).default('all'),
      endpointId: z.uuid().optional(),
      /** A Study Instance UID, or the ID of a study, report or event. */
      about: z.string().trim().max(64).optional(),
    }),
    reply: pageOf('events', ListedEvent),
  }),
  read: operation('GET /dashboard/events/:eventId', {
    access: 'manage',
    background: true,
    summary: 'One event with its attempts',
    params: eventParams,
    reply: EventRecord,
  }),
  replay: operation('POST /dashboard/events/replay', {
    access: 'manage',
    summary:
      'Send events again with their original IDs: one, several, a time range, or all since the partner last accepted one',
    body: z.discriminatedUnion('which', [
      z.object({
        which: z.literal('these'),
        eventIds: z.array(WebhookEventId).min(1).max(100),
        ...dryRunField,
      }),
      z.object({
        which: z.literal('span'),
        from: Instant,
        to: Instant,
        type: EventType.optional(),
        only: z.enum(['failed', 'all']).default('failed'),
        ...dryRunField,
      }),
      z.object({ which: z.literal('since-outage'), ...dryRunField }),
    ]),
    reply: z.object({
      queued: z.int(),
      skipped: z.array(z.object({ eventId: WebhookEventId, why: Message })),
    }),
  }),
  drop: operation('POST /dashboard/events/:eventId/drop', {
    access: 'manage',
    summary: 'Stop sending a waiting event; the audit log records the user and the reason',
    params: eventParams,
    body: z.object({ reason: Reason }),
    reply: WindowOutcome,
  }),
  dryRun: operation('POST /dashboard/events/dry-run', {
    access: 'manage',
    summary: 'Preview how the gateway would interpret this response; nothing is stored',
    body: z.object({
      type: EventType,
      body: z.string().max(1_000_000),
      studyInstanceUid: z.string().max(64).optional(),
    }),
    reply: Verdict,
  }),
  test: operation('POST /dashboard/events/test', {
    access: 'manage',
    summary: 'Send an event with test data to an endpoint now; its response has no effect',
    body: z.object({ type: EventType, endpointId: z.uuid() }),
    reply: z.object({ success: z.boolean(), message: Message, eventId: WebhookEventId }),
  }),
  meter: operation('GET /dashboard/events/meter', {
    access: 'manage',
    background: true,
    summary: 'How well the partner conforms to the interface, by event type',
    query: z.object({
      days: z.coerce.number().int().min(1).max(90).default(7),
      endpointId: z.uuid().optional(),
    }),
    reply: z.object({ rows: z.array(MeterRow) }),
  }),

  endpoints: operation('GET /dashboard/endpoints', {
    access: 'manage',
    background: true,
    summary: 'All endpoints',
    reply: z.object({ endpoints: z.array(Endpoint) }),
  }),
  addEndpoint: operation('POST /dashboard/endpoints', {
    access: 'manage-confirmed',
    summary: 'Add an endpoint for some events, for all studies or those of one API key',
    body: z.object({
      ...endpointFields,
      name: endpointFields.name.default(''),
      allowPlaintext: z.boolean().default(false),
      fileHosts: endpointFields.fileHosts.default([]),
      budgets: endpointFields.budgets.default({}),
      apiKeyId: z.uuid().nullable(),
      secret: z.string().max(200).optional(),
    }),
    reply: EndpointWithSecret,
    status: 201,
  }),
  changeEndpoint: operation('PATCH /dashboard/endpoints/:endpointId', {
    access: 'manage-confirmed',
    summary: 'Change an endpoint, or enable it again',
    params: endpointParams,
    body: z.object({ ...endpointFields, isEnabled: z.boolean() }).partial(),
    reply: Endpoint,
  }),
  removeEndpoint: operation('DELETE /dashboard/endpoints/:endpointId', {
    access: 'manage-confirmed',
    summary: 'Remove an endpoint; its waiting deliveries are sent to the default endpoint',
    params: endpointParams,
    reply: WindowOutcome,
  }),
  rotateSecret: operation('POST /dashboard/endpoints/:endpointId/secret', {
    access: 'manage-confirmed',
    summary: 'Replace the signing secret; the former one stays valid for a while',
    params: endpointParams,
    body: z.object({
      secret: z.string().max(200).optional(),
      endOthersNow: z.boolean().default(false),
    }),
    reply: EndpointWithSecret,
  }),
} as const

/** Kind of an event, which determines how failures are handled. */
export const kindOf = (type: z.infer<typeof EventType>) => EVENTS[type].kind
