import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant } from './conventions.ts'
import { IDENTITY_FIELDS } from './images.ts'
import { receivedStudyParams } from './quarantine.ts'
import { Reason, ReceivedUid } from './values.ts'

const correctionParams = z.object({ correctionId: z.uuid() })

/**
 * correct: other demographics, same study; reassign: all images of a study to another order or
 * patient; split: some of its images to another order, patient or study; merge: all of its images
 * into another study.
 */
export const CORRECTION_KINDS = ['correct', 'reassign', 'split', 'merge'] as const
export type CorrectionKind = (typeof CORRECTION_KINDS)[number]

/**
 * Why the original images are rejected, with its code of PS3.16 CID 7011 (IHE RAD IOCM).
 * wrong-worklist-entry: (113038, DCM); patient-safety: (113037, DCM).
 */
export const CORRECTION_CAUSES = ['wrong-worklist-entry', 'patient-safety'] as const

/**
 * What the images are to say. DICOM text (dates YYYYMMDD, sex M, F or O); empty: the attribute is
 * emptied.
 */
export const CorrectedPatient = z.object({
  patientName: z.string().trim().max(324),
  patientId: z.string().trim().max(64),
  patientBirthDate: z.string().regex(/^(\d{8})?$/),
  patientSex: z.enum(['', 'M', 'F', 'O']),
  accessionNumber: z.string().trim().max(16),
})
export type CorrectedPatient = z.infer<typeof CorrectedPatient>

/** Where the images belong. */
export const CorrectionTarget = z.discriminatedUnion('to', [
  /** A row of the worklist, as `targets` lists it. */
  z.object({ to: z.literal('order'), orderId: z.string().min(1).max(200) }),
  /** A study that has images, or a study of the interface that waits for its images. */
  z.object({ to: z.literal('study'), studyInstanceUid: ReceivedUid }),
  /**
   * Values that a person typed. `correct` keeps the study; `split` and `reassign` make a new one.
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
  /** YYYYMMDD and HHMMSS of the exam as it was scheduled or made; empty where unknown. */
  date: z.string(),
  time: z.string(),
  /** Images that are in the study already. */
  instances: z.int(),
})
export type TargetChoice = z.infer<typeof TargetChoice>

/**
 * What an image says of its patient: to choose what to split off. Instances that say the same stand
 * together.
 */
export const ImageIdentity = z.object({
  ...CorrectedPatient.shape,
  seriesInstanceUid: z.string(),
  seriesDescription: z.string(),
  modality: z.string(),
  instanceIds: z.array(z.int()),
  /** InstanceNumber (0020,0013) of each, in the same order; empty where it has none. */
  instanceNumbers: z.array(z.string()),
})
export type ImageIdentity = z.infer<typeof ImageIdentity>

export const CorrectionRequest = z.object({
  kind: z.enum(CORRECTION_KINDS),
  /** `instanceId` of the images of a split; all current ones of the study otherwise. */
  instanceIds: z.array(z.int().positive()).max(20_000).optional(),
  target: CorrectionTarget,
})
export type CorrectionRequest = z.infer<typeof CorrectionRequest>

/** What a correction would do; nothing is changed by asking. */
export const CorrectionPreview = z.object({
  kind: z.enum(CORRECTION_KINDS),
  fromStudyInstanceUid: z.string(),
  /** The study the images go to; of a new study its future UID is not given. */
  toStudyInstanceUid: z.string().nullable(),
  instances: z.int(),
  /** Images that stay in the study. */
  staying: z.int(),
  /** Each value once: before and after. */
  changes: z.array(
    z.object({ field: z.enum(IDENTITY_FIELDS), before: z.array(z.string()), after: z.string() }),
  ),
  /** Names of destinations that have copies: they get a rejection note and the corrected images. */
  destinations: z.array(z.string()),
  /** Signed reports of the images: they stay as they are, and need an addendum. */
  signedReports: z.int(),
  /** What a person should know before. */
  warnings: z.array(Message),
  /** Why it cannot be done; null where it can. */
  obstacle: Message.nullable(),
  /** Given back with the order to do it: what was shown is what is done. */
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
  /** Why it cannot be undone any more; null where it can. */
  undoObstacle: Message.nullable(),
  /**
   * While its copies, or those of its undo, are written: the share of the work that is done, 0 to
   * 1. Null once it is done.
   */
  progress: z.number().min(0).max(1).nullable(),
})
export type Correction = z.infer<typeof Correction>

/**
 * Corrections of the identity of images: each with preview, reason, audit entry and undo. The
 * handlers require permission to manage the studies concerned (decision 0031).
 */
export const dashboardCorrections = {
  identities: operation('GET /dashboard/images/:studyInstanceUid/identities', {
    access: 'signed-in',
    summary: 'What the images of a study say of their patient, to choose those to split off',
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
    summary: 'What a correction would do; nothing is changed by it',
    params: receivedStudyParams,
    body: CorrectionRequest,
    reply: CorrectionPreview,
  }),
  apply: operation('POST /dashboard/images/:studyInstanceUid/corrections', {
    access: 'signed-in',
    summary:
      'Make corrected copies of the images; the originals are kept and no longer shown; answered while it is under way if it takes long',
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
      'Corrections of images that are, or were, in the study: those under way, then the newest first',
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
