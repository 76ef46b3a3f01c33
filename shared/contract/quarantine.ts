import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf, WindowOutcome } from './conventions.ts'
import { Reason, ReceivedUid } from './values.ts'

export const receivedStudyParams = z.object({ studyInstanceUid: ReceivedUid })

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
  /** Why it was set aside. */
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
  message: Message,
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
  /** Why the last of them was not imported; null where all were. */
  problem: Message.nullable(),
  /**
   * The last file that was looked at, for the next call's `after`; null where there are no more.
   */
  next: FileName.nullable(),
})
export type RecoveryOutcome = z.infer<typeof RecoveryOutcome>

export const instanceParams = z.object({ instanceId: z.coerce.number().int().positive() })

export const quarantineAndRecovery = {
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
    reply: WindowOutcome,
  }),
  discardInstance: operation('POST /dashboard/quarantine/:instanceId/discard', {
    access: 'signed-in',
    summary: 'Delete a quarantined instance for good',
    params: instanceParams,
    body: z.object({ reason: Reason }),
    reply: WindowOutcome,
  }),
  quarantineGroups: operation('GET /dashboard/quarantine/studies/:studyInstanceUid', {
    access: 'signed-in',
    background: true,
    summary: 'What was set aside of one study, by the reason why',
    params: receivedStudyParams,
    reply: z.object({ groups: z.array(QuarantineGroup) }),
  }),
  releaseGroup: operation('POST /dashboard/quarantine/studies/:studyInstanceUid/release', {
    access: 'signed-in',
    summary:
      'Let all instances of a group take their place in their study; those they replace are kept',
    params: receivedStudyParams,
    body: GroupDecision,
    reply: GroupOutcome,
  }),
  discardGroup: operation('POST /dashboard/quarantine/studies/:studyInstanceUid/discard', {
    access: 'signed-in',
    summary: 'Delete all instances of a group for good',
    params: receivedStudyParams,
    body: GroupDecision,
    reply: GroupOutcome,
  }),
  recoveredFiles: operation('GET /dashboard/recovery', {
    access: 'signed-in',
    background: true,
    summary: 'Image files that the database does not know',
    query: z.object(Page),
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
    reply: WindowOutcome,
  }),
} as const
