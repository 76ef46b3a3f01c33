import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Page, pageOf, WindowOutcome } from './conventions.ts'
import { Reason } from './values.ts'

export const NOTICE_KINDS = ['destination', 'partner', 'person'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/**
 * What a recipient got of the wrong version.
 *
 * Destinations: has-images; source (the images were retrieved from it, so that it has them, too);
 * former-destination (it was removed here after it had got images).
 * Partners: created-study, enrichment (was asked about the patient), context (was asked for the
 * clinical context), report, captures, customer (an Express customer that sees the study).
 * People: signed, critical-result (was told of one), opened-images, ordered (the referring
 * physician of a signed report).
 */
export const NOTICE_CONTACTS = [
  ...(['has-images', 'source', 'former-destination'] as const),
  ...(['created-study', 'enrichment', 'context', 'report', 'captures', 'customer'] as const),
  ...(['signed', 'critical-result', 'opened-images', 'ordered'] as const),
] as const
export const NoticeContact = z.object({
  what: z.enum(NOTICE_CONTACTS),
  /** The last time; null where it is not known. */
  at: Instant.nullable(),
  /** Of the report of the study that images were added to: it was signed without them. */
  isOfTarget: z.boolean().optional(),
})
export type NoticeContact = z.infer<typeof NoticeContact>

/**
 * Somebody who has the wrong version, or a report that was signed without images that were added.
 * The gateway informs destinations; people inform the others.
 */
export const CorrectionNotice = z.object({
  noticeId: z.int(),
  correctionId: z.uuid(),
  kind: z.enum(NOTICE_KINDS),
  /** The correction was undone: the version before it is right. */
  isUndo: z.boolean(),
  /** Of the destination, the partner or the person. */
  name: z.string(),
  contacts: z.array(NoticeContact),
  /**
   * The rejection note and the corrected images on their way; null where the gateway sends nothing.
   */
  sending: z
    .object({
      waiting: z.int(),
      sent: z.int(),
      /** Given up, or refused. */
      failed: z.int(),
      lastError: Message.nullable(),
      isEnabled: z.boolean(),
    })
    .nullable(),
  /**
   * As the recipient has it, and as it is right. Who has nothing but a report of the study that
   * images were added to has no wrong version: both are that study.
   */
  patientName: z.string(),
  correctedPatientName: z.string(),
  studyInstanceUid: z.string(),
  correctedStudyInstanceUid: z.string(),
  state: z.enum(['open', 'done']),
  createdAt: Instant,
  doneAt: Instant.nullable(),
  /**
   * Who informed them, and what they answered. Without a name: the gateway did, or, where there is
   * a note, nobody had to.
   */
  doneBy: z.string(),
  note: Message.nullable(),
})
export type CorrectionNotice = z.infer<typeof CorrectionNotice>

/**
 * Who has to be informed of corrections of the identity of images (decision 0031). The handlers
 * admit people who may manage studies or write reports.
 */
export const dashboardCorrectionNotices = {
  list: operation('GET /dashboard/correction-notices', {
    access: 'signed-in',
    background: true,
    summary: 'Who has to be informed of corrections: open ones oldest first, all newest first',
    query: z.object({ ...Page, show: z.enum(['open', 'all']).default('open') }),
    reply: pageOf('notices', CorrectionNotice),
  }),
  confirm: operation('POST /dashboard/correction-notices/:noticeId/done', {
    access: 'signed-in',
    summary: 'Confirm that somebody was informed. 422 where that is confirmed already',
    params: z.object({ noticeId: z.coerce.number().int().positive() }),
    body: z.object({ note: Reason }),
    reply: WindowOutcome,
  }),
}
