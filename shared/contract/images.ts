import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf, WindowOutcome } from './conventions.ts'
import { instanceParams, quarantineAndRecovery, receivedStudyParams } from './quarantine.ts'
import { STUDY_AREAS } from './settings.ts'
import { Reason } from './values.ts'

/**
 * receiving: instances are arriving, or the idle timeout has not elapsed; complete: all announced
 * instances are here, or none were announced and the idle timeout has elapsed; incomplete: fewer
 * instances than announced, or the last transfer was aborted.
 */
export const IMAGE_STATES = ['receiving', 'complete', 'incomplete'] as const

/**
 * State of the enrichment by the partner. `not-asked`: the study existed before its images arrived.
 */
export const ENRICHMENT_STATES = ['not-asked', 'waiting', 'done', 'empty', 'given-up'] as const

export const Enrichment = z.object({
  state: z.enum(ENRICHMENT_STATES),
  askedAt: Instant.nullable(),
  /** When it is requested again; null if it is not. */
  nextAt: Instant.nullable(),
  /** Why the partner did not answer, or is not asked. */
  detail: Message.nullable(),
  /** For example an expressCustomerId that cannot be used. */
  warnings: z.array(Message),
})
export type Enrichment = z.infer<typeof Enrichment>

/**
 * The last association in which images of the study were received. An aborted one counts until
 * another one starts.
 */
export const Transfer = z.object({
  how: z.enum(['open', 'released', 'aborted']),
  /** Why it was aborted, as part of a sentence. */
  detail: Message.nullable(),
  at: Instant,
})

/**
 * Whether the images of a study belong to the patient and the order that they are reported for.
 *
 * - matched: they agree with the worklist row they were made for, or with the study that a partner
 * or a user created. The Study Instance UID may still be one that the device generated.
 * - unverified: there was nothing to compare them with.
 * - mismatch: there are differences. Reports cannot be signed, and signed reports are not
 * delivered.
 * - overridden: there are differences, and a user who may sign reports gave a reason to continue.
 * If other differences occur, the state is mismatch again.
 * - resolved: like matched, after a correction of the images (decision 0031).
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

/** A value that differs. DICOM text; empty if missing. */
export const IdentityDifference = z.object({
  /**
   * What the images differ from: the worklist row that was sent to the device, the study as
   * described by a partner or a user, the first images of the same study, or another version of an
   * image (a corrected copy or its original) that was found and quarantined.
   */
  from: z.enum(['worklist', 'study', 'images', 'version']),
  field: z.enum(IDENTITY_FIELDS),
  expected: z.string(),
  received: z.string(),
})
export type IdentityDifference = z.infer<typeof IdentityDifference>

/** The identity of a study (`modules/studies/study-identity.ts`). */
export const StudyIdentity = z.object({
  state: z.enum(IDENTITY_STATES),
  differences: z.array(IdentityDifference),
  /** Null unless `overridden`. */
  override: z.object({ at: Instant, name: z.string(), reason: z.string() }).nullable(),
})
export type StudyIdentity = z.infer<typeof StudyIdentity>

/** `deviceName` of studies that contain only objects created by the gateway. */
export const OWN_DEVICE_NAME = 'This gateway'

export const ImageStudySummary = z.object({
  studyInstanceUid: z.string(),
  patientName: z.string(),
  patientId: z.string(),
  /** In DICOM format: YYYYMMDD, HHMMSS, M, F or O; empty if missing. */
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
  /** Number of instances announced by MPPS or a storage commitment request; null if none were. */
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
  /** Whether they were made without an order, and none has been linked. */
  isUnscheduled: z.boolean(),
  /** The studies of the interface that show these images. */
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
  /** Number of instances in PerformedSeriesSequence. */
  instances: z.int(),
  /**
   * Code meaning of PerformedProcedureStepDiscontinuationReasonCodeSequence; empty if there is
   * none.
   */
  discontinuationReason: z.string(),
})
export type PerformedStep = z.infer<typeof PerformedStep>

export const COMMITMENT_STATES = ['waiting', 'delivered', 'given-up'] as const

/** A storage commitment request and the delivery of its result (PS3.4 Annex J). */
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
  lastError: Message.nullable(),
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
  /** Null for a series that was announced but not received. */
  lastInstanceAt: Instant.nullable(),
})
export type ImageSeries = z.infer<typeof ImageSeries>

/** What differs between two versions of an image. unknown: the pixel data could not be compared. */
export const CONTENT_CHANGES = ['attributes', 'pixels', 'unknown'] as const

/** A version of an image with several versions. */
export const ImageVersion = z.object({
  instanceId: z.int(),
  sopInstanceUid: z.string(),
  instanceNumber: z.string(),
  state: z.enum(['current', 'superseded']),
  change: z.enum(CONTENT_CHANGES).nullable(),
  /** Null if it has not been reviewed, or there is nothing to review. */
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
  /**
   * The order that a user linked to the images; null if none was linked, or the device had the
   * order.
   */
  linkedOrder: z
    .object({ accessionNumber: z.string(), description: z.string(), at: Instant, by: z.string() })
    .nullable(),
  performedSteps: z.array(PerformedStep),
  commitments: z.array(Commitment),
  /**
   * The versions of images that have several, by image, in the order in which they were received;
   * at most 200 earlier ones.
   */
  versions: z.array(ImageVersion),
  /** Number of images whose pixels the device replaced and that have not been reviewed. */
  unreviewedVersions: z.int(),
})
export type ImageStudy = z.infer<typeof ImageStudy>

/**
 * Paths that answer a GET with a PNG of at most 128 pixels on its longest side, or with 204 if there
 * is no image, or none that can be decoded. Each requires the permission for the list it belongs to.
 */
export const thumbnailPaths = {
  /** The image in the middle of the study's largest series. */
  study: (studyInstanceUid: string) =>
    `/dashboard/images/${encodeURIComponent(studyInstanceUid)}/thumbnail`,
  /** The image in the middle of the series. */
  series: (studyInstanceUid: string, seriesInstanceUid: string) =>
    `/dashboard/images/${encodeURIComponent(studyInstanceUid)}/series/${encodeURIComponent(seriesInstanceUid)}/thumbnail`,
  quarantined: (instanceId: number) => `/dashboard/quarantine/${instanceId}/thumbnail`,
} as const

/**
 * Received images, for the window. The handlers restrict members by their permissions and
 * customers.
 */
export const dashboardImages = {
  list: operation('GET /dashboard/images', {
    access: 'signed-in',
    background: true,
    summary: 'Studies with images, most recently received first',
    query: z.object({
      ...Page,
      show: z.enum(['all', 'receiving', 'incomplete', 'mismatch', 'replaced']).default('all'),
      /**
       * Search text: every word must occur in the name, patient ID, accession number or
       * description, or be the start of a UID, ignoring case and accents.
       */
      search: z.string().trim().max(100).default(''),
    }),
    reply: pageOf('studies', ImageStudySummary),
  }),
  read: operation('GET /dashboard/images/:studyInstanceUid', {
    access: 'signed-in',
    background: true,
    summary: 'One study with its series, steps, commitments and identity',
    params: receivedStudyParams,
    reply: ImageStudy,
  }),
  reviewVersions: operation('POST /dashboard/images/:studyInstanceUid/versions/review', {
    access: 'signed-in',
    summary: 'Mark the replaced images of the study as reviewed; nothing else is changed',
    params: receivedStudyParams,
    body: z.object({ note: Reason }),
    reply: ImageStudy,
  }),
  restoreVersion: operation('POST /dashboard/images/versions/:instanceId/restore', {
    access: 'signed-in',
    summary: 'Restore an earlier version of an image; the version it replaces is kept',
    params: instanceParams,
    body: z.object({ reason: Reason }),
    reply: WindowOutcome,
  }),
  retryEnrichment: operation('POST /dashboard/images/:studyInstanceUid/enrichment/retry', {
    access: 'signed-in',
    summary:
      'Request the enrichment of the study from the partner again now; only fields that no one has set are filled',
    params: receivedStudyParams,
    reply: ImageStudy,
  }),
  ...quarantineAndRecovery,
} as const
