import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant } from './conventions.ts'
import { IDENTITY_FIELDS } from './images.ts'
import { receivedStudyParams } from './quarantine.ts'
import { Reason, ReceivedUid } from './values.ts'

const correctionParams = z.object({ correctionId: z.uuid() })

/**
 * correct: different demographics, same study; reassign: all images of a study to another order or
 * patient; split: some of its images to another order, patient or study; merge: all of its images
 * into another study.
 */
export const CORRECTION_KINDS = ['correct', 'reassign', 'split', 'merge'] as const
export type CorrectionKind = (typeof CORRECTION_KINDS)[number]

/**
 * Reasons to reject the original images, with their codes of PS3.16 CID 7011 (IHE RAD IOCM).
 * wrong-worklist-entry: (113038, DCM); patient-safety: (113037, DCM).
 */
export const CORRECTION_CAUSES = ['wrong-worklist-entry', 'patient-safety'] as const

/**
 * The new values of the images as DICOM text (dates YYYYMMDD, sex M, F or O). An empty value clears
 * the attribute.
 */
export const CorrectedPatient = z.object({
  patientName: z.string().trim().max(324),
  patientId: z.string().trim().max(64),
  patientBirthDate: z.string().regex(/^(\d{8})?$/),
  patientSex: z.enum(['', 'M', 'F', 'O']),
  accessionNumber: z.string().trim().max(16),
})
export type CorrectedPatient = z.infer<typeof CorrectedPatient>

/** The target of the images. */
export const CorrectionTarget = z.discriminatedUnion('to', [
  /** A row of the worklist, as `targets` lists it. */
  z.object({ to: z.literal('order'), orderId: z.string().min(1).max(200) }),
  /** A study with images, or a study of the interface that has no images yet. */
  z.object({ to: z.literal('study'), studyInstanceUid: ReceivedUid }),
  /**
   * Values entered by a user. `correct` keeps the study; `split` and `reassign` create a new one.
   */
  z.object({ to: z.literal('patient'), patient: CorrectedPatient }),
])
export type CorrectionTarget = z.infer<typeof CorrectionTarget>

/** An order, or a study, that images can be reassigned to. */
export const TargetChoice = z.object({
  target: CorrectionTarget,
  ...CorrectedPatient.shape,
  description: z.string(),
  modality: z.string(),
  /** Date (YYYYMMDD) and time (HHMMSS) of the exam as scheduled or performed; empty if unknown. */
  date: z.string(),
  time: z.string(),
  /** Number of images already in the study. */
  instances: z.int(),
})
export type TargetChoice = z.infer<typeof TargetChoice>

/**
 * The patient data of images, for choosing the images to split off. Instances with the same data
 * are grouped.
 */
export const ImageIdentity = z.object({
  ...CorrectedPatient.shape,
  seriesInstanceUid: z.string(),
  seriesDescription: z.string(),
  modality: z.string(),
  instanceIds: z.array(z.int()),
  /** InstanceNumber (0020,0013) of each, in the same order; empty if missing. */
  instanceNumbers: z.array(z.string()),
})
export type ImageIdentity = z.infer<typeof ImageIdentity>

export const CorrectionRequest = z.object({
  kind: z.enum(CORRECTION_KINDS),
  /** `instanceId` of the images of a split; otherwise all current images of the study. */
  instanceIds: z.array(z.int().positive()).max(20_000).optional(),
  target: CorrectionTarget,
})
export type CorrectionRequest = z.infer<typeof CorrectionRequest>

/** The effects of a correction. Requesting it changes nothing. */
export const CorrectionPreview = z.object({
  kind: z.enum(CORRECTION_KINDS),
  fromStudyInstanceUid: z.string(),
  /** The study that the images are moved to; null for a new study, whose UID is not known yet. */
  toStudyInstanceUid: z.string().nullable(),
  instances: z.int(),
  /** Number of images that stay in the study. */
  staying: z.int(),
  /** The distinct values before and after. */
  changes: z.array(
    z.object({ field: z.enum(IDENTITY_FIELDS), before: z.array(z.string()), after: z.string() }),
  ),
  /**
   * Names of the destinations that have copies; they receive a rejection note and the corrected
   * images.
   */
  destinations: z.array(z.string()),
  /** Names of the others who have images or values of the study and must be notified. */
  recipients: z.array(z.string()),
  /** Number of signed reports of the images; they are unchanged and need an addendum. */
  signedReports: z.int(),
  /** What the user should know before applying it. */
  warnings: z.array(Message),
  /** Why it cannot be done; null if it can. */
  obstacle: Message.nullable(),
  /** Passed to `apply`, to ensure that what was shown is what is done. */
  digest: z.string(),
})
export type CorrectionPreview = z.infer<typeof CorrectionPreview>

export const Correction = z.object({
  correctionId: z.uuid(),
  kind: z.enum(CORRECTION_KINDS),
  cause: z.enum(CORRECTION_CAUSES),
  reason: z.string(),
  fromStudyInstanceUid: z.string(),
  toStudyInstanceUid: z.string(),
  instances: z.int(),
  changes: CorrectionPreview.shape.changes,
  at: Instant,
  by: z.string(),
  undone: z.object({ at: Instant, by: z.string(), reason: z.string() }).nullable(),
  /** Why it can no longer be undone; null if it can. */
  undoObstacle: Message.nullable(),
  /**
   * Progress from 0 to 1 while the copies of the correction or of its undo are written; null when
   * done.
   */
  progress: z.number().min(0).max(1).nullable(),
})
export type Correction = z.infer<typeof Correction>

/**
 * Corrections of the identity of images; each has a preview, a reason and an audit entry, and can
 * be undone. The handlers require permission to manage the studies concerned (decision 0031).
 */
export const dashboardCorrections = {
  identities: operation('GET /dashboard/images/:studyInstanceUid/identities', {
    access: 'signed-in',
    summary: 'The patient data of the images of a study, to choose those to split off',
    params: receivedStudyParams,
    reply: z.object({ identities: z.array(ImageIdentity) }),
  }),
  targets: operation('GET /dashboard/images/:studyInstanceUid/correction-targets', {
    access: 'signed-in',
    summary:
      'Orders of the worklist and studies that the images may belong to, the most similar first',
    params: receivedStudyParams,
    query: z.object({ search: z.string().trim().max(100).default('') }),
    reply: z.object({ targets: z.array(TargetChoice) }),
  }),
  preview: operation('POST /dashboard/images/:studyInstanceUid/corrections/preview', {
    access: 'signed-in',
    summary: 'Preview the effects of a correction; nothing is changed',
    params: receivedStudyParams,
    body: CorrectionRequest,
    reply: CorrectionPreview,
  }),
  apply: operation('POST /dashboard/images/:studyInstanceUid/corrections', {
    access: 'signed-in',
    summary:
      'Create corrected copies of the images; the originals are kept and no longer shown; returns before completion if it takes long',
    params: receivedStudyParams,
    body: CorrectionRequest.extend({
      cause: z.enum(CORRECTION_CAUSES),
      reason: Reason,
      digest: z.string(),
    }),
    reply: Correction,
  }),
  list: operation('GET /dashboard/images/:studyInstanceUid/corrections', {
    access: 'signed-in',
    background: true,
    summary:
      'Corrections of images that are or were in the study: those in progress first, then newest first',
    params: receivedStudyParams,
    reply: z.object({ corrections: z.array(Correction) }),
  }),
  undo: operation('POST /dashboard/corrections/:correctionId/undo', {
    access: 'signed-in',
    summary: 'Undo a correction, as long as no report was signed with the corrected images',
    params: correctionParams,
    body: z.object({ reason: Reason }),
    reply: Correction,
  }),
}
