import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant } from './conventions.ts'
import { AssociationSummary, AssociationTerms } from './dashboard-activity.ts'

/** An element of the data set of a request. */
const TracedElement = z.object({
  /** 0 at the top; 1 in an item of a sequence. */
  depth: z.int(),
  tag: z.string(),
  /** The keyword of PS3.6; the tag if it has none here. */
  keyword: z.string(),
  vr: z.string(),
  /**
   * Null where it was replaced, because it may identify a patient. Empty for an empty value, which
   * in a query matches anything.
   */
  value: z.string().nullable(),
  /** Length of the value; of a sequence the number of its items. */
  length: z.int(),
})
export type TracedElement = z.infer<typeof TracedElement>

/** A field of a command set (PS3.7 Annex E), such as `Message ID`. */
const CommandField = z.object({
  keyword: z.string(),
  /** Null where it was replaced. */
  value: z.string().nullable(),
})

/** A request of the device, and the final response of the gateway. */
export const TracedMessage = z.object({
  at: Instant,
  /** `C-FIND-RQ`. */
  type: z.string(),
  service: z.string(),
  contextId: z.int(),
  transferSyntax: z.string(),
  request: z.array(CommandField),
  response: z.array(CommandField),
  /** Null if the request had none, or it was not kept: images, and long data sets. */
  dataSet: z.array(TracedElement).nullable(),
  /** Length of the data set of the request. */
  bytes: z.int(),
  /** Pending responses sent before the final one. */
  responses: z.int(),
  ms: z.number(),
  status: z.int(),
  /** The meaning of the status in the standard; empty if it has none here. */
  meaning: z.string(),
  isFailure: z.boolean(),
})
export type TracedMessage = z.infer<typeof TracedMessage>

export const TracedAssociation = z.object({
  association: AssociationSummary,
  /** Null if it was rejected, or is no longer kept. */
  terms: AssociationTerms.nullable(),
  /** Result, source and reason of the rejection in the words of PS3.8; null if it was accepted. */
  rejection: z.string().nullable(),
  /** What to do about the rejection. */
  remedy: Message.nullable(),
  /** False if its messages are no longer kept: it ended before the last start, or is too old. */
  isTraced: z.boolean(),
  messages: z.array(TracedMessage),
  /** Number of further messages, which are not kept. */
  omitted: z.int(),
})
export type TracedAssociation = z.infer<typeof TracedAssociation>

const deviceParams = z.object({ deviceId: z.uuid() })

/**
 * The page for a device's engineer. Values that may identify a patient are replaced, apart from
 * those of `values`, which are recorded in the audit log.
 */
export const dashboardServiceVisit = {
  read: operation('GET /dashboard/devices/:deviceId/service', {
    access: 'manage',
    background: true,
    summary: 'The newest connections of a device with their messages, without patient data',
    params: deviceParams,
    reply: z.object({
      now: Instant,
      /** AE title and addresses to enter in the device. */
      aeTitle: z.string(),
      associations: z.array(TracedAssociation),
    }),
  }),
  log: operation('GET /dashboard/devices/:deviceId/service/log', {
    access: 'manage',
    summary:
      'The same as a file for the service engineer: in English, with times in UTC, without patient data',
    params: deviceParams,
    query: z.object({ format: z.enum(['text', 'json']).default('text') }),
    reply: z.object({ fileName: z.string(), text: z.string() }),
  }),
  values: operation('POST /dashboard/devices/:deviceId/service/:associationId/values', {
    access: 'manage-confirmed',
    summary: 'The messages of a connection with the values that may identify a patient',
    params: z.object({ ...deviceParams.shape, associationId: z.string().min(1).max(64) }),
    reply: z.object({ messages: z.array(TracedMessage) }),
  }),
} as const
