import { z } from 'zod'
import { AeTitle, Uid } from '../dicom-values.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Day, Instant, Outcome, Page, pageOf, WindowOutcome } from './conventions.ts'
import { ModalityCode, Reason } from './values.ts'

const Host = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9.:_-]{1,253}$/, { error: fault('values.host') })

// The descriptions are shown as help for the options of `destination add` and `destination update`.
const editableFields = {
  name: z
    .string()
    .trim()
    .min(1, { error: fault('values.empty') })
    .max(64)
    .describe('Name of the destination; must be unique'),
  aeTitle: AeTitle.describe('AE title of the destination'),
  host: Host.describe('Host name or address of the destination'),
  port: z.int().min(1).max(65_535).describe('TCP port of the destination'),
  isTls: z.boolean().describe('Whether to use TLS for associations with it (PS3.15 B.12)'),
  certificate: z.string().max(20_000).nullable().meta({
    contentMediaType: 'application/x-pem-file',
    description:
      'Certificate of the destination or of its issuer; none: it is not verified, even with TLS',
  }),
  isEnabled: z.boolean().describe('Whether images are forwarded to it'),
  isAutomatic: z
    .boolean()
    .describe('Whether all received images are forwarded to it automatically'),
  modalities: z
    .array(ModalityCode)
    .max(50)
    .describe('Modalities that are forwarded automatically; none: all'),
  hasPriors: z
    .boolean()
    .describe('Whether it supports Study Root queries and retrieval (C-FIND, C-MOVE)'),
  confirmsStorage: z.boolean().describe('Whether the gateway requests storage commitment from it'),
}

/** A DICOM node to which the gateway forwards images, or from which it retrieves prior studies. */
export const Destination = z.object({
  destinationId: z.uuid(),
  ...editableFields,
  createdAt: Instant,
  updatedAt: Instant,
  queue: z.object({ waiting: z.int(), sent: z.int(), failed: z.int() }),
  /** Why the last attempt failed; null if it succeeded. */
  lastError: Message.nullable(),
  lastSentAt: Instant.nullable(),
  nextAttemptAt: Instant.nullable(),
})
export type Destination = z.infer<typeof Destination>

export const NewDestination = z.object({
  ...editableFields,
  isTls: editableFields.isTls.default(false),
  certificate: editableFields.certificate.default(null),
  isEnabled: editableFields.isEnabled.default(true),
  isAutomatic: editableFields.isAutomatic.default(false),
  modalities: editableFields.modalities.default([]),
  hasPriors: editableFields.hasPriors.default(false),
  confirmsStorage: editableFields.confirmsStorage.default(false),
})
export type NewDestination = z.output<typeof NewDestination>
export const DestinationPatch = z.object(editableFields).partial()
export type DestinationPatch = z.output<typeof DestinationPatch>

/**
 * waiting: queued or to be retried; sent: the destination responded with Success or a warning;
 * failed: no more attempts until a user decides; dropped: stopped by a user, or because the
 * instance was quarantined or superseded by a newer version.
 */
export const FORWARD_STATES = ['waiting', 'sent', 'failed', 'dropped'] as const

/** The forwarding of a study to a destination. */
export const ForwardedStudy = z.object({
  destinationId: z.uuid(),
  destinationName: z.string(),
  studyInstanceUid: z.string(),
  patientName: z.string(),
  waiting: z.int(),
  sent: z.int(),
  failed: z.int(),
  dropped: z.int(),
  lastError: Message.nullable(),
  updatedAt: Instant,
})
export type ForwardedStudy = z.infer<typeof ForwardedStudy>

/** The forwarding of an instance to a destination. */
export const Forward = z.object({
  forwardId: z.int(),
  sopInstanceUid: z.string(),
  state: z.enum(FORWARD_STATES),
  attempts: z.int(),
  nextAt: Instant.nullable(),
  /** DIMSE status of the last attempt, four hex digits; empty if there was none. */
  status: z.string(),
  lastError: Message.nullable(),
  /**
   * Name of the transfer syntax in which it was sent; it differs from its own if the destination
   * does not accept that.
   */
  sentAs: z.string(),
  updatedAt: Instant,
})
export type Forward = z.infer<typeof Forward>

export const PriorStudy = z.object({
  studyInstanceUid: z.string(),
  patientName: z.string(),
  patientId: z.string(),
  patientBirthDate: z.string(),
  studyDate: z.string(),
  studyTime: z.string(),
  studyDescription: z.string(),
  accessionNumber: z.string(),
  modalities: z.array(z.string()),
  instances: z.int().nullable(),
  /** Number of its instances that are here. */
  here: z.int(),
})
export type PriorStudy = z.infer<typeof PriorStudy>

const RETRIEVAL_STATES = ['running', 'done', 'failed'] as const
/** A retrieval of a prior study: a C-MOVE with this gateway as the destination (PS3.4 C.4.2). */
export const PriorRetrieval = z.object({
  pullId: z.string(),
  destinationId: z.uuid(),
  destinationName: z.string(),
  studyInstanceUid: z.string(),
  /**
   * As returned by the query that found the study, otherwise as known here; empty if neither is
   * known.
   */
  patientName: z.string(),
  patientId: z.string(),
  studyDescription: z.string(),
  studyDate: z.string(),
  state: z.enum(RETRIEVAL_STATES),
  completed: z.int(),
  failed: z.int(),
  remaining: z.int(),
  /** The outcome; null while it is running. */
  detail: Message.nullable(),
  startedAt: Instant,
  endedAt: Instant.nullable(),
})
export type PriorRetrieval = z.infer<typeof PriorRetrieval>

/** The result of a C-ECHO. */
export const EchoResult = z.object({
  success: z.boolean(),
  /** Success, or what is wrong and what to do. */
  message: Message,
  tookMs: z.number(),
})
export type EchoResult = z.infer<typeof EchoResult>

/**
 * Whether dicom-dimse-native can be loaded, which C-ECHO, finding prior studies and transcoding
 * require.
 */
export const NativeModule = z.object({ isAvailable: z.boolean(), detail: Message.nullable() })
export type NativeModule = z.infer<typeof NativeModule>

const destinationParams = z.object({ destinationId: z.uuid() })
/** Applies to all studies of the destination if absent. */
const ofStudy = { studyInstanceUid: z.string().min(1).max(64).optional() }

/**
 * Forwarding and prior studies, for the window. Every user may list destinations, because sending a
 * study starts with choosing one; the handlers require permission to manage the study that is sent.
 */
export const dashboardDestinations = {
  list: operation('GET /dashboard/destinations', {
    access: 'signed-in',
    background: true,
    summary: 'All destinations with their queues',
    reply: z.object({ destinations: z.array(Destination), native: NativeModule }),
  }),
  add: operation('POST /dashboard/destinations', {
    access: 'manage-confirmed',
    summary: 'Add a destination',
    body: NewDestination,
    reply: Destination,
    status: 201,
  }),
  update: operation('PATCH /dashboard/destinations/:destinationId', {
    access: 'manage-confirmed',
    summary: 'Change a destination',
    params: destinationParams,
    body: DestinationPatch,
    reply: Destination,
  }),
  remove: operation('DELETE /dashboard/destinations/:destinationId', {
    access: 'manage-confirmed',
    summary: 'Remove a destination that has nothing waiting',
    params: destinationParams,
    reply: Outcome,
  }),
  echo: operation('POST /dashboard/destinations/:destinationId/echo', {
    access: 'manage',
    summary: 'Test the connection (C-ECHO)',
    params: destinationParams,
    reply: EchoResult,
  }),
  studies: operation('GET /dashboard/forwards', {
    access: 'signed-in',
    background: true,
    summary: 'Studies being forwarded, most recently changed first',
    query: z.object({
      ...Page,
      destinationId: z.uuid().optional(),
      studyInstanceUid: z.string().min(1).max(64).optional(),
      show: z.enum(['all', 'waiting', 'failed']).default('all'),
    }),
    reply: pageOf('studies', ForwardedStudy),
  }),
  instances: operation(
    'GET /dashboard/destinations/:destinationId/studies/:studyInstanceUid/forwards',
    {
      access: 'signed-in',
      background: true,
      summary: 'The instances of a study being forwarded to a destination, those not sent first',
      params: z.object({ destinationId: z.uuid(), studyInstanceUid: z.string().min(1).max(64) }),
      query: z.object({ ...Page }),
      reply: pageOf('instances', Forward),
    },
  ),
  send: operation('POST /dashboard/destinations/:destinationId/send', {
    access: 'signed-in',
    summary: 'Send a study to a destination; instances that are there already are not sent again',
    params: destinationParams,
    body: z.object({ studyInstanceUid: Uid }),
    reply: WindowOutcome,
  }),
  retry: operation('POST /dashboard/destinations/:destinationId/retry', {
    access: 'signed-in',
    summary: 'Retry immediately what is waiting or has failed',
    params: destinationParams,
    body: z.object(ofStudy),
    reply: WindowOutcome,
  }),
  drop: operation('POST /dashboard/destinations/:destinationId/drop', {
    access: 'signed-in',
    summary: 'Stop sending what is waiting or has failed, with a reason for the audit log',
    params: destinationParams,
    body: z.object({ ...ofStudy, reason: Reason }),
    reply: WindowOutcome,
  }),
  findPriors: operation('POST /dashboard/destinations/:destinationId/priors/find', {
    access: 'signed-in',
    summary: 'Find prior studies of a patient (Study Root C-FIND)',
    params: destinationParams,
    body: z
      .object({
        patientId: z.string().trim().max(64).default(''),
        patientName: z.string().trim().max(64).default(''),
        accessionNumber: z.string().trim().max(16).default(''),
        startDate: Day.nullable().default(null),
        endDate: Day.nullable().default(null),
      })
      .refine(
        ({ patientId, patientName, accessionNumber }) =>
          `${patientId}${patientName}${accessionNumber}` !== '',
        { error: fault('destinations.nothing-asked') },
      ),
    reply: z.object({ studies: z.array(PriorStudy), tookMs: z.number() }),
  }),
  pull: operation('POST /dashboard/destinations/:destinationId/priors/pull', {
    access: 'signed-in',
    summary: 'Retrieve a study (C-MOVE to this gateway)',
    params: destinationParams,
    body: z.object({ studyInstanceUid: Uid }),
    reply: PriorRetrieval,
  }),
  pulls: operation('GET /dashboard/pulls', {
    access: 'signed-in',
    background: true,
    summary: 'The latest retrievals, newest first',
    reply: z.object({ pulls: z.array(PriorRetrieval) }),
  }),
} as const
