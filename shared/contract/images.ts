import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, Page, pageOf } from './conventions.ts'
import { STUDY_AREAS } from './settings.ts'
import { Reason } from './values.ts'

/**
 * An instance UID or study UID that a device sent: not every device keeps to PS3.5 §9.1, and what
 * it sent is shown as it is.
 */
const ReceivedUid = z.string().min(1).max(64)
const studyParams = z.object({ studyInstanceUid: ReceivedUid })

/**
 * receiving: instances come, or the time after the last one is not over; complete: all that was
 * announced is here, or nothing was announced and it has been quiet; incomplete: fewer instances
 * than announced, or the last transfer broke off.
 */
export const IMAGE_STATES = ['receiving', 'complete', 'incomplete'] as const

/** Enrichment by the partner: `not-asked` where the area knew the study before its images. */
export const ENRICHMENT_STATES = ['not-asked', 'waiting', 'done', 'empty', 'given-up'] as const

export const Enrichment = z.object({
  state: z.enum(ENRICHMENT_STATES),
  askedAt: Instant.nullable(),
  /** When it is asked again; null where it is not. */
  nextAt: Instant.nullable(),
  /** What kept the partner from answering, in words. */
  detail: z.string(),
  /** Such as an expressCustomerId that cannot be used. */
  warnings: z.array(z.string()),
})
export type Enrichment = z.infer<typeof Enrichment>

/**
 * The last association that brought images of the study; one that broke off counts until another
 * begins after it.
 */
export const Transfer = z.object({
  how: z.enum(['open', 'released', 'aborted']),
  detail: z.string(),
  at: Instant,
})

/**
 * Whether the images of a study are of the patient and the order that they are reported for.
 *
 * - matched: they say the same as the worklist row they were made for, or as the study that a
 *   partner or a person created. The Study Instance UID may still be one of the device's own.
 * - unverified: there was nothing to compare them with.
 * - mismatch: something differs. No report is signed, and no signed report is delivered.
 * - overridden: something differs, and a person who may sign reports gave a reason to go on. Other
 *   differences than those make it a mismatch again.
 * - resolved: as matched, after a correction of the images (decision 0031).
 */
export const IDENTITY_STATES = [
  'matched',
  'unverified',
  'mismatch',
  'overridden',
  'resolved',
] as const
export type IdentityState = (typeof IDENTITY_STATES)[number]

export const IDENTITY_FIELDS = [
  ...(['patientName', 'patientId', 'patientBirthDate', 'patientSex'] as const),
  ...(['accessionNumber', 'studyInstanceUid'] as const),
] as const

/** A value that differs. DICOM text; empty where it is missing. */
export const IdentityDifference = z.object({
  /**
   * What the images differ from: the worklist row that was sent to the device, the study as a
   * partner or a person describes it, the first images of the same study, or another version of an
   * image (a corrected copy, or its original) that was found and set aside.
   */
  from: z.enum(['worklist', 'study', 'images', 'version']),
  field: z.enum(IDENTITY_FIELDS),
  expected: z.string(),
  received: z.string(),
})
export type IdentityDifference = z.infer<typeof IdentityDifference>

/** The identity of a study (`modules/images/study-identity.ts`). */
export const StudyIdentity = z.object({
  state: z.enum(IDENTITY_STATES),
  differences: z.array(IdentityDifference),
  /** Null unless `overridden`. */
  override: z.object({ at: Instant, name: z.string(), reason: z.string() }).nullable(),
})
export type StudyIdentity = z.infer<typeof StudyIdentity>

export const ImageStudySummary = z.object({
  studyInstanceUid: z.string(),
  patientName: z.string(),
  patientId: z.string(),
  /** As DICOM has it: YYYYMMDD, HHMMSS, M, F or O; empty where it is missing. */
  patientBirthDate: z.string(),
  patientSex: z.string(),
  accessionNumber: z.string(),
  studyDescription: z.string(),
  studyDate: z.string(),
  studyTime: z.string(),
  modalities: z.array(z.string()),
  series: z.int(),
  instances: z.int(),
  bytes: z.int(),
  /** Instances that MPPS or a commitment request announced; null where nothing did. */
  expected: z.int().nullable(),
  missing: z.int(),
  quarantined: z.int(),
  state: z.enum(IMAGE_STATES),
  lastTransfer: Transfer,
  deviceName: z.string(),
  callingAeTitle: z.string(),
  firstInstanceAt: Instant,
  lastInstanceAt: Instant,
  identity: z.enum(IDENTITY_STATES),
  /** They were made without an order, and none was linked since. */
  isUnscheduled: z.boolean(),
  /** The rows of the interface that show these images. */
  studies: z.array(
    z.object({ area: z.enum(STUDY_AREAS), studyId: StudyId, isSeeded: z.boolean() }),
  ),
  enrichment: Enrichment,
})
export type ImageStudySummary = z.infer<typeof ImageStudySummary>

export const PERFORMED_STATUSES = ['IN PROGRESS', 'COMPLETED', 'DISCONTINUED'] as const
/** A Modality Performed Procedure Step (PS3.4 Annex F). */
export const PerformedStep = z.object({
  sopInstanceUid: z.string(),
  status: z.enum(PERFORMED_STATUSES),
  scheduledProcedureStepId: z.string(),
  modality: z.string(),
  deviceName: z.string(),
  startedAt: Instant,
  endedAt: Instant.nullable(),
  /** Instances its PerformedSeriesSequence names. */
  instances: z.int(),
  /**
   * Meaning of PerformedProcedureStepDiscontinuationReasonCodeSequence; empty where there is none.
   */
  discontinuationReason: z.string(),
})
export type PerformedStep = z.infer<typeof PerformedStep>

export const COMMITMENT_STATES = ['waiting', 'delivered', 'given-up'] as const
/** A storage commitment request and the way of its result (PS3.4 Annex J). */
export const Commitment = z.object({
  transactionUid: z.string(),
  deviceName: z.string(),
  callingAeTitle: z.string(),
  requestedAt: Instant,
  instances: z.int(),
  failed: z.int(),
  state: z.enum(COMMITMENT_STATES),
  attempts: z.int(),
  nextAt: Instant.nullable(),
  lastError: z.string(),
})
export type Commitment = z.infer<typeof Commitment>

export const ImageSeries = z.object({
  seriesInstanceUid: z.string(),
  modality: z.string(),
  seriesNumber: z.string(),
  seriesDescription: z.string(),
  instances: z.int(),
  bytes: z.int(),
  expected: z.int().nullable(),
  /** Null for a series that was announced and of which nothing has come. */
  lastInstanceAt: Instant.nullable(),
})
export type ImageSeries = z.infer<typeof ImageSeries>

/**
 * What differs between two versions of an image; unknown: their pixel data could not be compared.
 */
export const CONTENT_CHANGES = ['attributes', 'pixels', 'unknown'] as const

/** A version of an image that has more than one. */
export const ImageVersion = z.object({
  instanceId: z.int(),
  sopInstanceUid: z.string(),
  instanceNumber: z.string(),
  state: z.enum(['current', 'superseded']),
  change: z.enum(CONTENT_CHANGES).nullable(),
  /** Null where nobody has looked at it, or there is nothing to look at. */
  reviewedAt: Instant.nullable(),
  bytes: z.int(),
  deviceName: z.string(),
  callingAeTitle: z.string(),
  receivedAt: Instant,
})
export type ImageVersion = z.infer<typeof ImageVersion>

export const ImageStudy = ImageStudySummary.extend({
  seriesList: z.array(ImageSeries),
  identityCheck: StudyIdentity,
  /** The order that a person linked to the images; null where none was, or the device had it. */
  linkedOrder: z
    .object({ accessionNumber: z.string(), description: z.string(), at: Instant, by: z.string() })
    .nullable(),
  performedSteps: z.array(PerformedStep),
  commitments: z.array(Commitment),
  /**
   * Of images that have several, image by image, each in the order they came; of at most 200
   * earlier ones.
   */
  versions: z.array(ImageVersion),
  /** Images whose pixels their device replaced, which nobody has looked at. */
  unreviewedVersions: z.int(),
})
export type ImageStudy = z.infer<typeof ImageStudy>

/**
 * different-content: another instance of the same UID is here, from another source or of another
 * study; wrong-step: MPPS says the wrong worklist entry was selected (110514 DCM); invalid-uid: an
 * identifier breaks PS3.5 §9.1; long-header: it is deflated (PS3.5 A.5), and its header goes on
 * beyond what is read of it; incomplete: it ends before its own lengths say it does, or has too
 * little pixel data.
 */
export const QUARANTINE_REASONS = [
  'different-content',
  'wrong-step',
  'invalid-uid',
  'long-header',
  'incomplete',
] as const

export const QuarantinedInstance = z.object({
  instanceId: z.int(),
  reason: z.enum(QUARANTINE_REASONS),
  /** One sentence for a person. */
  detail: z.string(),
  sopInstanceUid: z.string(),
  seriesInstanceUid: z.string(),
  studyInstanceUid: z.string(),
  patientName: z.string(),
  modality: z.string(),
  deviceName: z.string(),
  callingAeTitle: z.string(),
  remoteAddress: z.string(),
  bytes: z.int(),
  receivedAt: Instant,
})
export type QuarantinedInstance = z.infer<typeof QuarantinedInstance>

/** Instances of a study that were set aside for the same reason: what one decision can be about. */
export const QuarantineGroup = z.object({
  studyInstanceUid: z.string(),
  reason: z.enum(QUARANTINE_REASONS),
  instances: z.int(),
  bytes: z.int(),
  /**
   * The last one that was set aside: what comes after it was seen by nobody who decides on this
   * group.
   */
  newestInstanceId: z.int(),
  /** Each name once, as the instances say it; the first 20 of them. */
  patientNames: z.array(z.string()),
})
export type QuarantineGroup = z.infer<typeof QuarantineGroup>

/** What came of a decision about a group. */
export const GroupOutcome = z.object({
  /** False where it was not carried out to the end. */
  success: z.boolean(),
  message: z.string(),
  /** Instances that it was carried out for. */
  decided: z.int(),
  /** Instances of the group that are still set aside. */
  left: z.int(),
})
export type GroupOutcome = z.infer<typeof GroupOutcome>

const GroupDecision = z.object({
  because: z.enum(QUARANTINE_REASONS),
  /**
   * `newestInstanceId` of the group as it was shown: nothing is decided about instances that were
   * set aside since.
   */
  upTo: z.int().positive(),
  reason: Reason,
})

/** Name of a file in the recovery folder: those of its two folders, and its own. */
const FileName = z
  .string()
  .regex(/^[0-9a-f]{2}\/[0-9a-f]{32}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.dcm$/)

/** An image file that the database does not know, and what its header says. */
export const RecoveredFile = z.object({
  file: FileName,
  bytes: z.int(),
  modifiedAt: Instant,
  /** False where it is no DICOM file or its header is damaged: the texts are empty. */
  isReadable: z.boolean(),
  sopInstanceUid: z.string(),
  studyInstanceUid: z.string(),
  patientName: z.string(),
  modality: z.string(),
  /** Who sent it. */
  callingAeTitle: z.string(),
})
export type RecoveredFile = z.infer<typeof RecoveredFile>

export const RecoveryOutcome = z.object({
  imported: z.int(),
  /** Those that stay where they are. */
  failed: z.int(),
  /** Why the last of them was not imported; empty where all were. */
  problem: z.string(),
  /**
   * The last file that was looked at, for the next call's `after`; null where there are no more.
   */
  next: FileName.nullable(),
})
export type RecoveryOutcome = z.infer<typeof RecoveryOutcome>

const instanceParams = z.object({ instanceId: z.coerce.number().int().positive() })

/**
 * Images as they arrive, for the window. The handlers limit what a member may see and do, by their
 * permissions and customers.
 */
export const dashboardImages = {
  list: operation('GET /dashboard/images', {
    access: 'signed-in',
    background: true,
    summary: 'Studies with images, the one that last received one first',
    query: z.object({
      ...Page,
      show: z.enum(['all', 'receiving', 'incomplete', 'mismatch', 'replaced']).default('all'),
      /**
       * Contained in name, patient id, accession number, description, or what a UID begins with;
       * each word for itself, without case and accents.
       */
      search: z.string().trim().max(100).default(''),
    }),
    reply: pageOf('studies', ImageStudySummary),
  }),
  read: operation('GET /dashboard/images/:studyInstanceUid', {
    access: 'signed-in',
    background: true,
    summary: 'One study with its series, steps, commitments and identity',
    params: studyParams,
    reply: ImageStudy,
  }),
  reviewVersions: operation('POST /dashboard/images/:studyInstanceUid/versions/review', {
    access: 'signed-in',
    summary: 'Say that the replaced images of the study were looked at; nothing is changed by it',
    params: studyParams,
    body: z.object({ note: Reason }),
    reply: ImageStudy,
  }),
  restoreVersion: operation('POST /dashboard/images/versions/:instanceId/restore', {
    access: 'signed-in',
    summary: 'Let an earlier version of an image take its place again; the one it replaces is kept',
    params: z.object({ instanceId: z.coerce.number().int().positive() }),
    body: z.object({ reason: Reason }),
    reply: Outcome,
  }),
  retryEnrichment: operation('POST /dashboard/images/:studyInstanceUid/enrichment/retry', {
    access: 'signed-in',
    summary: 'Ask the partner again now to enrich the study; only fields nobody has set are filled',
    params: studyParams,
    reply: ImageStudy,
  }),
  quarantine: operation('GET /dashboard/quarantine', {
    access: 'signed-in',
    background: true,
    summary: 'Instances that were accepted and set aside, newest first',
    query: z.object({ ...Page, studyInstanceUid: ReceivedUid.optional() }),
    reply: pageOf('instances', QuarantinedInstance),
  }),
  releaseInstance: operation('POST /dashboard/quarantine/:instanceId/release', {
    access: 'signed-in',
    summary: 'Let a quarantined instance take its place in its study; the one it replaces is kept',
    params: instanceParams,
    body: z.object({ reason: Reason }),
    reply: Outcome,
  }),
  discardInstance: operation('POST /dashboard/quarantine/:instanceId/discard', {
    access: 'signed-in',
    summary: 'Delete a quarantined instance for good',
    params: instanceParams,
    body: z.object({ reason: Reason }),
    reply: Outcome,
  }),
  quarantineGroups: operation('GET /dashboard/quarantine/studies/:studyInstanceUid', {
    access: 'signed-in',
    background: true,
    summary: 'What was set aside of one study, by the reason why',
    params: studyParams,
    reply: z.object({ groups: z.array(QuarantineGroup) }),
  }),
  releaseGroup: operation('POST /dashboard/quarantine/studies/:studyInstanceUid/release', {
    access: 'signed-in',
    summary:
      'Let all instances of a group take their place in their study; those they replace are kept',
    params: studyParams,
    body: GroupDecision,
    reply: GroupOutcome,
  }),
  discardGroup: operation('POST /dashboard/quarantine/studies/:studyInstanceUid/discard', {
    access: 'signed-in',
    summary: 'Delete all instances of a group for good',
    params: studyParams,
    body: GroupDecision,
    reply: GroupOutcome,
  }),
  recoveredFiles: operation('GET /dashboard/recovery', {
    access: 'signed-in',
    background: true,
    summary: 'Image files that the database does not know',
    query: z.object({ ...Page }),
    reply: pageOf('files', RecoveredFile),
  }),
  importRecovered: operation('POST /dashboard/recovery/import', {
    access: 'signed-in',
    summary:
      'Import such a file as if its device sent it now; without a name all of them, in portions',
    body: z.object({
      file: FileName.optional(),
      /** `next` of the portion before. */
      after: FileName.optional(),
    }),
    reply: RecoveryOutcome,
  }),
  discardRecovered: operation('POST /dashboard/recovery/discard', {
    access: 'signed-in',
    summary: 'Delete such a file for good',
    body: z.object({ file: FileName, reason: Reason }),
    reply: Outcome,
  }),
} as const
