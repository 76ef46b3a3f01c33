import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf } from './conventions.ts'
import { FeedLine } from './dashboard.ts'

/**
 * The state of an association: open; released by the device; aborted by either side or the network;
 * rejected (it was never established); lost (it was open when the gateway stopped unexpectedly).
 */
const ASSOCIATION_ENDS = ['open', 'released', 'aborted', 'rejected', 'lost'] as const
export const AssociationEnd = z.enum(ASSOCIATION_ENDS)
export type AssociationEnd = z.infer<typeof AssociationEnd>

/** Counts of the operations on an association. */
export const AssociationCounts = z.object({
  /** C-ECHO. */
  echoes: z.int(),
  /** Worklist queries (C-FIND), and the exams sent in response. */
  queries: z.int(),
  exams: z.int(),
  /** Objects received (C-STORE), and the bytes of their data sets. */
  instances: z.int(),
  bytes: z.int(),
  /** Messages about performed procedure steps (MPPS). */
  steps: z.int(),
  /** Storage commitment requests. */
  commitments: z.int(),
  /** Operations that the gateway answered with a failure. */
  failures: z.int(),
})
export type AssociationCounts = z.infer<typeof AssociationCounts>

/** A connection of a device, without patient data. */
export const AssociationSummary = z.object({
  associationId: z.string(),
  /** The device that was recognized; null for a caller that is not in the list. */
  deviceId: z.uuid().nullable(),
  deviceName: z.string(),
  aeTitle: z.string(),
  calledAeTitle: z.string(),
  address: z.string(),
  /** `TLSv1.2` or `TLSv1.3`; empty for a plain connection. */
  tls: z.string(),
  openedAt: Instant,
  /** Null while it is open, and if unknown. */
  endedAt: Instant.nullable(),
  how: AssociationEnd,
  /** Why it ended, as part of a sentence; null while it is open. */
  detail: Message.nullable(),
  tone: FeedLine.shape.tone,
  /**
   * Number of connections that this row represents: more than one if a caller connected too often
   * to record each.
   */
  times: z.int(),
  counts: AssociationCounts,
})
export type AssociationSummary = z.infer<typeof AssociationSummary>

/** A proposed presentation context and its result (PS3.8 Table 9-18). */
const Context = z.object({
  id: z.int(),
  abstractSyntax: z.string(),
  /** Name of the abstract syntax, such as `Modality Worklist`; its UID if the name is unknown. */
  name: z.string(),
  transferSyntaxes: z.array(z.string()),
  /**
   * 0 accepted, 1 user rejection, 2 no reason, 3 abstract syntax not supported, 4 transfer syntaxes
   * not supported.
   */
  result: z.int(),
  /** The negotiated transfer syntax; empty if the context was not accepted. */
  transferSyntax: z.string(),
})

/** The parameters negotiated for the association. */
export const AssociationTerms = z.object({
  /** Maximum length in bytes of a PDU that the device accepts; 0 for no limit. */
  maximumLength: z.int(),
  implementationClassUid: z.string(),
  implementationVersionName: z.string(),
  contexts: z.array(Context),
})
export type AssociationTerms = z.infer<typeof AssociationTerms>

export const AssociationRecord = z.object({
  association: AssociationSummary,
  /** Entries of the activity feed about it, oldest first. */
  lines: z.array(FeedLine),
  /** Number of further entries, which are not kept. */
  omitted: z.int(),
  /** Null if it was rejected, or is no longer kept. */
  terms: AssociationTerms.nullable(),
  /** All of this as text for a vendor's support: in English, times in UTC, without patient data. */
  supportText: z.string(),
})
export type AssociationRecord = z.infer<typeof AssociationRecord>

/** all; open; rejected; failed: aborted, lost, or with a failed operation. */
export const ASSOCIATION_FILTERS = ['all', 'open', 'rejected', 'failed'] as const

/**
 * The recorded connections of devices: those of the last `activity.retentionDays`, and at most the
 * newest 500,000. Every user may see them, like the activity feed, because they contain no patient
 * data.
 */
export const dashboardActivity = {
  associations: operation('GET /dashboard/associations', {
    access: 'signed-in',
    background: true,
    summary: 'Connections of devices, newest first',
    query: z.object({
      ...Page,
      show: z.enum(ASSOCIATION_FILTERS).default('all'),
      aeTitle: z.string().trim().max(16).optional(),
      address: z.string().trim().max(45).optional(),
      /**
       * Substring of a device name, an AE title, an address or the reason for the end, ignoring
       * case.
       */
      search: z.string().trim().max(64).optional(),
    }),
    reply: pageOf('associations', AssociationSummary),
  }),
  association: operation('GET /dashboard/associations/:associationId', {
    access: 'signed-in',
    background: true,
    summary: 'A connection and its entries in the activity feed',
    params: z.object({ associationId: z.string().min(1).max(64) }),
    reply: AssociationRecord,
  }),
} as const
