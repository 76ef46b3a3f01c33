import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf, WindowOutcome } from './conventions.ts'
import { Reason } from './values.ts'

export const NOTICE_KINDS = ['destination', 'partner', 'person'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/**
 * How a recipient received the wrong version.
 *
 * Destinations: has-images; source (the images were retrieved from it, so it has them too);
 * former-destination (it was removed after it had received images).
 * Partners: created-study; enrichment (it was asked about the patient); context (it was asked for
 * the clinical context); report; captures; customer (an Express customer that can see the study).
 * People: signed; critical-result (was notified of one); opened-images; ordered (the referring
 * physician of a signed report).
 */
export const NOTICE_CONTACTS = [
  ...(['has-images', 'source', 'former-destination'] as const),
  ...(['created-study', 'enrichment', 'context', 'report', 'captures', 'customer'] as const),
  ...(['signed', 'critical-result', 'opened-images', 'ordered'] as const),
] as const
export const NoticeContact = z.object({
  what: z.enum(NOTICE_CONTACTS),
  /** The last time; null if unknown. */
  at: Instant.nullable(),
  /** Concerns the report of the study that images were added to, which was signed without them. */
  isOfTarget: z.boolean().optional(),
})
export type NoticeContact = z.infer<typeof NoticeContact>

/**
 * A recipient who has the wrong version, or a report that was signed without images that were added
 * later. The gateway informs destinations; users inform the others.
 */
export const CorrectionNotice = z.object({
  noticeId: z.int(),
  correctionId: z.uuid(),
  kind: z.enum(NOTICE_KINDS),
  /** Whether the correction was undone, so that the former version is correct. */
  isUndo: z.boolean(),
  /** Name of the destination, the partner or the person. */
  name: z.string(),
  contacts: z.array(NoticeContact),
  /** Delivery of the rejection note and the corrected images; null if the gateway sends nothing. */
  sending: z
    .object({
      waiting: z.int(),
      sent: z.int(),
      /** Stopped, or rejected. */
      failed: z.int(),
      lastError: Message.nullable(),
      isEnabled: z.boolean(),
    })
    .nullable(),
  /**
   * The recipient's version and the correct version. A recipient that has only a report of the
   * study that images were added to has no wrong version: both refer to that study.
   */
  patientName: z.string(),
  correctedPatientName: z.string(),
  studyInstanceUid: z.string(),
  correctedStudyInstanceUid: z.string(),
  state: z.enum(['open', 'done']),
  createdAt: Instant,
  doneAt: Instant.nullable(),
  /**
   * Who informed them, and their answer. An empty name means that the gateway did, or, if there is
   * a note, that it was not necessary.
   */
  doneBy: z.string(),
  note: Message.nullable(),
})
export type CorrectionNotice = z.infer<typeof CorrectionNotice>

/**
 * Recipients who have to be informed of corrections of the identity of images (decision 0031). The
 * handlers admit users who may manage studies or write reports.
 */
export const dashboardCorrectionNotices = {
  list: operation('GET /dashboard/correction-notices', {
    access: 'signed-in',
    background: true,
    summary: 'Recipients to be informed of corrections: open ones oldest first, all newest first',
    query: z.object({ ...Page, show: z.enum(['open', 'all']).default('open') }),
    reply: pageOf('notices', CorrectionNotice),
  }),
  confirm: operation('POST /dashboard/correction-notices/:noticeId/done', {
    access: 'signed-in',
    summary: 'Confirm that a recipient was informed. 422 if that is already confirmed',
    params: z.object({ noticeId: z.coerce.number().int().positive() }),
    body: z.object({ note: Reason }),
    reply: WindowOutcome,
  }),
}
