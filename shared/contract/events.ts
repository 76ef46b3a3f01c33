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

/** How one call ended: accepted, or what was wrong. `none`: not called yet. */
export const EVENT_OUTCOMES = ['none', 'accepted', ...PARTNER_FAULTS] as const
const EventOutcome = z.enum(EVENT_OUTCOMES)
export type EventOutcome = z.infer<typeof EventOutcome>

/** A part of an answer that was left out, or is not as agreed. */
export const AnswerNote = z.object({
  /** Where in the answer, e.g. `manifest.series.0.sops.3`. */
  path: z.string(),
  /** One sentence: the value's fault and what became of it. Never the value. */
  sentence: Message,
})
export type AnswerNote = z.infer<typeof AnswerNote>

/**
 * An event sent to a partner. waiting: it goes out, or goes out again; done: accepted; failed: no
 * more attempts; dropped: by a person.
 */
export const EventSummary = z.object({
  eventId: WebhookEventId,
  type: EventType,
  kind: z.enum(['synchronous', 'soft', 'asynchronous']),
  /** Null where no endpoint took it. */
  endpointId: z.string().nullable(),
  /** What it is about: a study, a report, a device's AE title; never a patient. */
  subject: z.string(),
  studyInstanceUid: z.string().nullable(),
  state: z.enum(['waiting', 'done', 'failed', 'dropped']),
  outcome: EventOutcome,
  attempts: z.int(),
  /** Parts of the last answer that were left out. */
  notes: z.int(),
  /** Milliseconds of the last attempt. */
  tookMs: z.number(),
  /** What it led to, in one sentence. */
  effect: Message.nullable(),
  isTest: z.boolean(),
  /** When it is tried again. */
  nextAt: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type EventSummary = z.infer<typeof EventSummary>

export const EventAttempt = z.object({
  attempt: z.int(),
  at: Instant,
  outcome: EventOutcome,
  httpStatus: z.int().nullable(),
  tookMs: z.number(),
  bytes: z.int(),
  /** What was wrong; of a refusal in the partner's own words. */
  detail: Message.nullable(),
  notes: z.array(AnswerNote),
  /**
   * The body as it came, as far as it is kept; presigned queries are left out of it. Null where
   * none came.
   */
  response: z.string().nullable(),
  isCut: z.boolean(),
})
export type EventAttempt = z.infer<typeof EventAttempt>

export const EventRecord = EventSummary.extend({
  /**
   * The body that was sent last, as JSON; presigned queries are left out of it. Null once it is no
   * longer kept.
   */
  request: z.string().nullable(),
  /** Newest first. */
  attemptList: z.array(EventAttempt),
  /** Whether it can be sent again, and why not. */
  mayReplay: z.boolean(),
  whyNot: Message.nullable(),
})
export type EventRecord = z.infer<typeof EventRecord>

/**
 * Why an endpoint is off. person: switched off here; gone: it answered 410, its address is no
 * longer used.
 */
export const DisabledReason = z.enum(['person', 'gone'])
export type DisabledReason = z.infer<typeof DisabledReason>

/** Where events go. The clinic's default has no key. */
export const Endpoint = z.object({
  endpointId: z.uuid(),
  name: z.string(),
  url: z.string(),
  events: z.array(EventType),
  /** The API key whose studies' events it gets. */
  apiKey: z.object({ apiKeyId: z.uuid(), description: z.string() }).nullable(),
  allowsPlaintext: z.boolean(),
  /**
   * Hosts (host or host:port) that files may be fetched from and sent to, as presigned URLs name
   * them.
   */
  fileHosts: z.array(z.string()),
  /** Hosts that answers named and that are not allowed, newest first. */
  refusedHosts: z.array(z.object({ host: z.string(), at: Instant })),
  /** Milliseconds a call may take, where it is not the usual. */
  budgets: z.partialRecord(EventType, z.int().min(500).max(120_000)),
  /** Newest first: since when each of its secrets signs, and until when. */
  secrets: z.array(z.object({ createdAt: Instant, endsAt: Instant.nullable() })),
  isDefault: z.boolean(),
  isEnabled: z.boolean(),
  /** Null where it is enabled. */
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
/** `secret` is shown once, when it was made. */
const WithSecret = Endpoint.extend({ secret: z.string().nullable() })

/** How well a partner keeps to the contract, by event. */
export const MeterRow = z.object({
  type: EventType,
  calls: z.int(),
  accepted: z.int(),
  /** Accepted with something left out. */
  withNotes: z.int(),
  byOutcome: z.partialRecord(EventOutcome, z.int()),
  /** Milliseconds. */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  /**
   * The commonest notes: where, with array positions as `*`, what, how often, and an event to look
   * at.
   */
  notes: z.array(
    z.object({ path: z.string(), sentence: Message, count: z.int(), eventId: WebhookEventId }),
  ),
})
export type MeterRow = z.infer<typeof MeterRow>

export const Verdict = z.object({
  outcome: EventOutcome,
  /** One sentence: what the gateway would make of it. */
  sentence: Message,
  notes: z.array(AnswerNote),
  /** What would be used, as JSON; null where nothing would. */
  used: z.string().nullable(),
})
export type Verdict = z.infer<typeof Verdict>

/** Says what would be sent again and what not, and sends nothing: a person is told before. */
const onlyCounted = { isTrial: z.boolean().optional() }

/**
 * Events to partners, for the window. For owners and administrators: events name patients, and
 * their addresses decide where that data goes.
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
      /** A study UID, or the id of a study, report or event. */
      about: z.string().trim().max(64).optional(),
    }),
    reply: pageOf('events', EventSummary),
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
      'Send events again, each under its own id: one, several, a span of time, or all since the partner last accepted one',
    body: z.discriminatedUnion('which', [
      z.object({
        which: z.literal('these'),
        eventIds: z.array(WebhookEventId).min(1).max(100),
        ...onlyCounted,
      }),
      z.object({
        which: z.literal('span'),
        from: Instant,
        to: Instant,
        type: EventType.optional(),
        only: z.enum(['failed', 'all']).default('failed'),
        ...onlyCounted,
      }),
      z.object({ which: z.literal('since-outage'), ...onlyCounted }),
    ]),
    reply: z.object({
      queued: z.int(),
      skipped: z.array(z.object({ eventId: WebhookEventId, why: Message })),
    }),
  }),
  drop: operation('POST /dashboard/events/:eventId/drop', {
    access: 'manage',
    summary: 'Give up an event that waits; the audit trail keeps who did it and why',
    params: eventParams,
    body: z.object({ reason: Reason }),
    reply: WindowOutcome,
  }),
  dryRun: operation('POST /dashboard/events/dry-run', {
    access: 'manage',
    summary: 'What the gateway would make of this answer; nothing is kept',
    body: z.object({
      type: EventType,
      body: z.string().max(1_000_000),
      studyInstanceUid: z.string().max(64).optional(),
    }),
    reply: Verdict,
  }),
  test: operation('POST /dashboard/events/test', {
    access: 'manage',
    summary: 'Send an event with invented data to an endpoint now; its answer has no effect',
    body: z.object({ type: EventType, endpointId: z.uuid() }),
    reply: z.object({ success: z.boolean(), message: Message, eventId: WebhookEventId }),
  }),
  meter: operation('GET /dashboard/events/meter', {
    access: 'manage',
    background: true,
    summary: 'How well the partner keeps to the contract, by event',
    query: z.object({
      days: z.coerce.number().int().min(1).max(90).default(7),
      endpointId: z.uuid().optional(),
    }),
    reply: z.object({ rows: z.array(MeterRow) }),
  }),

  endpoints: operation('GET /dashboard/endpoints', {
    access: 'manage',
    background: true,
    summary: 'Where events go',
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
    reply: WithSecret,
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
    summary: 'Remove an endpoint; what waits for it goes to the default',
    params: endpointParams,
    reply: WindowOutcome,
  }),
  rotateSecret: operation('POST /dashboard/endpoints/:endpointId/secret', {
    access: 'manage-confirmed',
    summary: 'Sign with a new secret; the one before signs beside it for a while',
    params: endpointParams,
    body: z.object({
      secret: z.string().max(200).optional(),
      endOthersNow: z.boolean().default(false),
    }),
    reply: WithSecret,
  }),
} as const

/** Kind of an event, as it says what a failure means. */
export const kindOf = (type: z.infer<typeof EventType>) => EVENTS[type].kind
