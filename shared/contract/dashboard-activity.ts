import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf } from './conventions.ts'
import { FeedLine } from './dashboard.ts'

/**
 * How an association stands: open; released by the device; aborted by a side or by the network;
 * rejected, so that there was none; lost, which was open when the gateway went down without a word.
 */
const ASSOCIATION_ENDS = ['open', 'released', 'aborted', 'rejected', 'lost'] as const
export const AssociationEnd = z.enum(ASSOCIATION_ENDS)
export type AssociationEnd = z.infer<typeof AssociationEnd>

/** What happened on an association; a number for each of the things devices do. */
export const AssociationCounts = z.object({
  /** C-ECHO. */
  echoes: z.int(),
  /** Worklist queries (C-FIND), and the exams sent for them. */
  queries: z.int(),
  exams: z.int(),
  /** Objects that were offered (C-STORE), and the bytes of their data sets. */
  instances: z.int(),
  bytes: z.int(),
  /** Messages about performed steps (MPPS). */
  steps: z.int(),
  /** Requests to confirm storage. */
  commitments: z.int(),
  /** Of all these, what the gateway answered with a failure. */
  failures: z.int(),
})
export type AssociationCounts = z.infer<typeof AssociationCounts>

/** A connection of a device, without anything about a patient. */
export const AssociationSummary = z.object({
  associationId: z.string(),
  /** The device it was taken for, null for a caller that is not in the list. */
  deviceId: z.uuid().nullable(),
  deviceName: z.string(),
  aeTitle: z.string(),
  calledAeTitle: z.string(),
  address: z.string(),
  /** `TLSv1.2` or `TLSv1.3`; empty for a plain connection. */
  tls: z.string(),
  openedAt: Instant,
  /** Null while it is open, and where nobody knows. */
  endedAt: Instant.nullable(),
  how: AssociationEnd,
  /** Why it ended so, as part of a sentence; null while it is open. */
  detail: Message.nullable(),
  tone: FeedLine.shape.tone,
  /** Connections this row stands for: more than one where a caller came too often to keep each. */
  times: z.int(),
  counts: AssociationCounts,
})
export type AssociationSummary = z.infer<typeof AssociationSummary>

/** A presentation context as it was proposed, and what became of it (PS3.8 Table 9-18). */
const Context = z.object({
  id: z.int(),
  abstractSyntax: z.string(),
  /** Of the abstract syntax, e.g. `Modality Worklist`; the UID where it has none here. */
  name: z.string(),
  transferSyntaxes: z.array(z.string()),
  /**
   * 0 accepted, 1 user rejection, 2 no reason, 3 abstract syntax, 4 transfer syntaxes not
   * supported.
   */
  result: z.int(),
  /** Agreed on; empty where it was not accepted. */
  transferSyntax: z.string(),
})

/** What was proposed and agreed when the association began. */
export const AssociationTerms = z.object({
  /** Longest PDU the device takes, bytes; 0: any. */
  maximumLength: z.int(),
  implementationClassUid: z.string(),
  implementationVersionName: z.string(),
  contexts: z.array(Context),
})
export type AssociationTerms = z.infer<typeof AssociationTerms>

export const AssociationRecord = z.object({
  association: AssociationSummary,
  /** Lines of the live feed about it, oldest first. */
  lines: z.array(FeedLine),
  /** Further lines, not kept. */
  omitted: z.int(),
  /** Null where it was rejected, or is no longer kept. */
  terms: AssociationTerms.nullable(),
  /** All of this as text for a vendor's support: English, times in UTC, no patient. */
  supportText: z.string(),
})
export type AssociationRecord = z.infer<typeof AssociationRecord>

/** all; open now; rejected; failed: broke off, lost, or something on it ended with a failure. */
export const ASSOCIATION_SHOWS = ['all', 'open', 'rejected', 'failed'] as const

/**
 * Connections of devices as they are kept: `activity.retentionDays`, and the newest 500,000 at
 * most. Open to every user, like the live feed: they name no patient.
 */
export const dashboardActivity = {
  associations: operation('GET /dashboard/associations', {
    access: 'signed-in',
    background: true,
    summary: 'Connections of devices, newest first',
    query: z.object({
      ...Page,
      show: z.enum(ASSOCIATION_SHOWS).default('all'),
      aeTitle: z.string().trim().max(16).optional(),
      address: z.string().trim().max(45).optional(),
      /**
       * Contained in a device's name, an AE title, an address or the reason of the end, in any case
       * of letters.
       */
      search: z.string().trim().max(64).optional(),
    }),
    reply: pageOf('associations', AssociationSummary),
  }),
  association: operation('GET /dashboard/associations/:associationId', {
    access: 'signed-in',
    background: true,
    summary: 'A connection with what happened on it',
    params: z.object({ associationId: z.string().min(1).max(64) }),
    reply: AssociationRecord,
  }),
} as const
