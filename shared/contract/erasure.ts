import { z } from 'zod'
import { Uid } from '../dicom-values.ts'
import { operation } from '../operation.ts'
import { Instant } from './conventions.ts'
import { Reason } from './values.ts'

export const ERASURE_SCOPES = ['study', 'patient'] as const
export type ErasureScope = (typeof ERASURE_SCOPES)[number]

/** A system that may hold copies, which the gateway cannot erase. */
export const CopyHolder = z.object({
  /**
   * tier: a store, from which the gateway deletes the images; tier-off: one that is turned off;
   * former-tier: one that was removed from the gateway.
   */
  kind: z.enum([
    'destination',
    'former-destination',
    'partner',
    'tier',
    'tier-off',
    'former-tier',
    'standby',
  ]),
  name: z.string(),
  /** Images sent to a destination, or messages sent to a partner; 0 if that is not known. */
  count: z.int(),
  /** Images whose storage it has confirmed. */
  confirmed: z.int(),
})
export type CopyHolder = z.infer<typeof CopyHolder>

const Amounts = {
  instances: z.int(),
  files: z.int(),
  bytes: z.int(),
  reports: z.int(),
}

/** A backup, or an earlier database that was put aside, that contains the data until it is deleted. */
const RemainingBackup = z.object({
  name: z.string(),
  madeAt: Instant,
  /** Null: until a user deletes it. */
  expiresAt: Instant.nullable(),
})

/** What an erasure would delete. */
export const ErasurePreview = z.object({
  scope: z.enum(ERASURE_SCOPES),
  studies: z.array(
    z.object({
      studyInstanceUid: z.string(),
      patientName: z.string(),
      patientId: z.string(),
      patientBirthDate: z.string(),
      studyDate: z.string(),
      studyDescription: z.string(),
      ...Amounts,
      isHeld: z.boolean(),
    }),
  ),
  elsewhere: z.array(CopyHolder),
  backups: z.array(RemainingBackup),
  /** What the user types to confirm: the patient ID, or else the first Study Instance UID. */
  confirmWith: z.string(),
})
export type ErasurePreview = z.infer<typeof ErasurePreview>

/**
 * The record of an erasure. It names no patient: studies are named by their UIDs, as in the audit
 * trail, so that they can be erased again after an older backup was restored.
 */
export const ErasureRecord = z.object({
  version: z.literal(1),
  erasureId: z.uuid(),
  scope: z.enum(ERASURE_SCOPES),
  requestedBy: z.string(),
  reason: z.string(),
  requestedAt: Instant,
  finishedAt: Instant,
  studies: z.array(
    z.object({
      studyInstanceUid: z.string(),
      ...Amounts,
      /** Deleted rows of each table of the database. */
      rows: z.record(z.string(), z.int()),
      erasedAt: Instant.nullable(),
    }),
  ),
  elsewhere: z.array(CopyHolder),
  backups: z.array(RemainingBackup),
  /** Until when short-lived caches and logs may contain data of the patient. */
  cachesUntil: Instant,
})
export type ErasureRecord = z.infer<typeof ErasureRecord>

export const Erasure = z.object({
  erasureId: z.uuid(),
  scope: z.enum(ERASURE_SCOPES),
  state: z.enum(['running', 'done']),
  requestedBy: z.string(),
  requestedAt: Instant,
  finishedAt: Instant.nullable(),
  studies: z.int(),
})
export type Erasure = z.infer<typeof Erasure>

export const SignedErasure = Erasure.extend({
  /** Null while it is running. */
  record: ErasureRecord.nullable(),
  /** The record as it was signed; null while it is running. */
  text: z.string().nullable(),
  /** HMAC-SHA-256 of `text` with a key of this gateway, in hex; null while it is running. */
  signature: z.string().nullable(),
  /** Whether the signature was verified just now, and the audit trail has the same record. */
  isValid: z.boolean(),
})
export type SignedErasure = z.infer<typeof SignedErasure>

/** Erasing a study or a patient on request, for the window. */
export const dashboardErasures = {
  preview: operation('POST /dashboard/erasures/preview', {
    access: 'manage',
    summary: 'Preview what erasing a study or all studies of its patient would delete',
    body: z.object({ studyInstanceUid: Uid, scope: z.enum(ERASURE_SCOPES) }),
    reply: ErasurePreview,
  }),
  erase: operation('POST /dashboard/erasures', {
    access: 'manage-confirmed',
    summary: 'Erase studies permanently, as previewed',
    body: z.object({
      studyInstanceUids: z.array(Uid).min(1).max(500),
      scope: z.enum(ERASURE_SCOPES),
      reason: Reason,
      /** `confirmWith` of the preview. */
      confirmation: z.string().trim().max(64),
    }),
    reply: SignedErasure,
  }),
  list: operation('GET /dashboard/erasures', {
    access: 'manage',
    summary: 'Erasures, newest first',
    reply: z.object({ erasures: z.array(Erasure) }),
  }),
  read: operation('GET /dashboard/erasures/:erasureId', {
    access: 'manage',
    summary: 'The signed record of an erasure',
    params: z.object({ erasureId: z.uuid() }),
    reply: SignedErasure,
  }),
} as const
