import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf, WindowOutcome } from './conventions.ts'
import { Reason, ReceivedUid } from './values.ts'

export const receivedStudyParams = z.object({ studyInstanceUid: ReceivedUid })

/**
 * different-content: another instance with the same UID exists, from another source or in another
 * study; wrong-step: MPPS reports that the wrong worklist entry was selected (110514 DCM);
 * invalid-uid: an identifier violates PS3.5 §9.1; long-header: the instance is deflated (PS3.5
 * A.5), and its header is longer than what is read of it; incomplete: it is shorter than its length
 * fields indicate, or has too little pixel data.
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
  /** Why it was quarantined. */
  detail: Message.nullable(),
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

/**
 * Instances of a study that were quarantined for the same reason, which can be decided on together.
 */
export const QuarantineGroup = z.object({
  studyInstanceUid: z.string(),
  reason: z.enum(QUARANTINE_REASONS),
  instances: z.int(),
  bytes: z.int(),
  /**
   * The last quarantined instance. A decision about the group does not include later ones, which
   * the user has not seen.
   */
  newestInstanceId: z.int(),
  /** The first 20 distinct names in the instances. */
  patientNames: z.array(z.string()),
})
export type QuarantineGroup = z.infer<typeof QuarantineGroup>

/** The result of a decision about a group. */
export const GroupOutcome = z.object({
  /** False if it was not completed. */
  success: z.boolean(),
  message: Message,
  /** Number of instances for which it was carried out. */
  decided: z.int(),
  /** Number of instances of the group that are still quarantined. */
  left: z.int(),
})
export type GroupOutcome = z.infer<typeof GroupOutcome>

const GroupDecision = z.object({
  because: z.enum(QUARANTINE_REASONS),
  /**
   * `newestInstanceId` of the group as shown; instances quarantined since then are not affected.
   */
  upTo: z.int().positive(),
  reason: Reason,
})

/** Path of a file in the recovery folder: two folder names and the file name. */
const FileName = z
  .string()
  .regex(/^[0-9a-f]{2}\/[0-9a-f]{32}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.dcm$/)

/** An image file without a database record, and data from its header. */
export const RecoveredFile = z.object({
  file: FileName,
  bytes: z.int(),
  modifiedAt: Instant,
  /** False if it is not a DICOM file or its header is damaged; the texts are empty then. */
  isReadable: z.boolean(),
  sopInstanceUid: z.string(),
  studyInstanceUid: z.string(),
  patientName: z.string(),
  modality: z.string(),
  /** AE title of the sender. */
  callingAeTitle: z.string(),
})
export type RecoveredFile = z.infer<typeof RecoveredFile>

export const RecoveryOutcome = z.object({
  imported: z.int(),
  /** Number of files that were not imported. */
  failed: z.int(),
  /** Why the last of them was not imported; null if all were imported. */
  problem: Message.nullable(),
  /** The last file that was processed, for `after` of the next call; null if there are no more. */
  next: FileName.nullable(),
})
export type RecoveryOutcome = z.infer<typeof RecoveryOutcome>

export const instanceParams = z.object({ instanceId: z.coerce.number().int().positive() })

export const quarantineAndRecovery = {
  quarantine: operation('GET /dashboard/quarantine', {
    access: 'signed-in',
    background: true,
    summary: 'Quarantined instances, newest first',
    query: z.object({ ...Page, studyInstanceUid: ReceivedUid.optional() }),
    reply: pageOf('instances', QuarantinedInstance),
  }),
  releaseInstance: operation('POST /dashboard/quarantine/:instanceId/release', {
    access: 'signed-in',
    summary: 'Release a quarantined instance into its study; the instance it replaces is kept',
    params: instanceParams,
    body: z.object({ reason: Reason }),
    reply: WindowOutcome,
  }),
  discardInstance: operation('POST /dashboard/quarantine/:instanceId/discard', {
    access: 'signed-in',
    summary: 'Delete a quarantined instance permanently',
    params: instanceParams,
    body: z.object({ reason: Reason }),
    reply: WindowOutcome,
  }),
  quarantineGroups: operation('GET /dashboard/quarantine/studies/:studyInstanceUid', {
    access: 'signed-in',
    background: true,
    summary: 'Quarantined instances of a study, grouped by reason',
    params: receivedStudyParams,
    reply: z.object({ groups: z.array(QuarantineGroup) }),
  }),
  releaseGroup: operation('POST /dashboard/quarantine/studies/:studyInstanceUid/release', {
    access: 'signed-in',
    summary:
      'Release all instances of a group into their study; the instances they replace are kept',
    params: receivedStudyParams,
    body: GroupDecision,
    reply: GroupOutcome,
  }),
  discardGroup: operation('POST /dashboard/quarantine/studies/:studyInstanceUid/discard', {
    access: 'signed-in',
    summary: 'Delete all instances of a group permanently',
    params: receivedStudyParams,
    body: GroupDecision,
    reply: GroupOutcome,
  }),
  recoveredFiles: operation('GET /dashboard/recovery', {
    access: 'signed-in',
    background: true,
    summary: 'Image files without a database record',
    query: z.object(Page),
    reply: pageOf('files', RecoveredFile),
  }),
  importRecovered: operation('POST /dashboard/recovery/import', {
    access: 'signed-in',
    summary:
      'Import such a file as if its device had sent it now; without a name, all of them in batches',
    body: z.object({
      file: FileName.optional(),
      /** `next` of the preceding batch. */
      after: FileName.optional(),
    }),
    reply: RecoveryOutcome,
  }),
  discardRecovered: operation('POST /dashboard/recovery/discard', {
    access: 'signed-in',
    summary: 'Delete such a file permanently',
    body: z.object({ file: FileName, reason: Reason }),
    reply: WindowOutcome,
  }),
} as const
