import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf, WindowOutcome } from './conventions.ts'
import { instanceParams, quarantineAndRecovery, receivedStudyParams } from './quarantine.ts'
import { STUDY_AREAS } from './settings.ts'
import { Reason } from './values.ts'

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
  /** What kept the partner from answering, or why it is not asked. */
  detail: Message.nullable(),
  /** Such as an expressCustomerId that cannot be used. */
  warnings: z.array(Message),
})
export type Enrichment = z.infer<typeof Enrichment>

/**
 * The last association that brought images of the study; one that broke off counts until another
 * begins after it.
 */
export const Transfer = z.object({
  how: z.enum(['open', 'released', 'aborted']),
  /** Why it broke off, as part of a sentence. */
  detail: Message.nullable(),
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

/** The identity of a study (`modules/studies/study-identity.ts`). */
export const StudyIdentity = z.object({
  state: z.enum(IDENTITY_STATES),
  differences: z.array(IdentityDifference),
  /** Null unless `overridden`. */
  override: z.object({ at: Instant, name: z.string(), reason: z.string() }).nullable(),
})
export type StudyIdentity = z.infer<typeof StudyIdentity>

/** `deviceName` of studies that the gateway made objects of, and that no device sent images of. */
export const OWN_DEVICE_NAME = 'This gateway'

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
 * Paths that answer a GET with a PNG file of at most 128 pixels on its longest side, or with 204
 * where there is no picture: no image, or one that cannot be decoded. Who may see the list may see
 * its pictures.
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
    params: receivedStudyParams,
    reply: ImageStudy,
  }),
  reviewVersions: operation('POST /dashboard/images/:studyInstanceUid/versions/review', {
    access: 'signed-in',
    summary: 'Say that the replaced images of the study were looked at; nothing is changed by it',
    params: receivedStudyParams,
    body: z.object({ note: Reason }),
    reply: ImageStudy,
  }),
  restoreVersion: operation('POST /dashboard/images/versions/:instanceId/restore', {
    access: 'signed-in',
    summary: 'Let an earlier version of an image take its place again; the one it replaces is kept',
    params: instanceParams,
    body: z.object({ reason: Reason }),
    reply: WindowOutcome,
  }),
  retryEnrichment: operation('POST /dashboard/images/:studyInstanceUid/enrichment/retry', {
    access: 'signed-in',
    summary: 'Ask the partner again now to enrich the study; only fields nobody has set are filled',
    params: receivedStudyParams,
    reply: ImageStudy,
  }),
  ...quarantineAndRecovery,
} as const
