import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Slice, SliceQuery } from '#server/database/page.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { forwardsOfCorrection } from '#server/modules/forwarding/forward-queries.ts'
import { isVisible, visibleCustomerIds } from '#server/modules/studies/study-access.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { actorOf, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import type { CorrectionNotice } from '#shared/contract/correction-notices.ts'
import { ApiError } from '#shared/errors.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import {
  closeNotice,
  findNotice,
  insertNotice,
  listNotices,
  listNoticesOfCorrection,
  listOpenDestinationNotices,
  type NoticeDetails,
  type NoticeRecord,
} from './correction-notice-queries.ts'
import { type CorrectionDone, type CorrectionRecord, findCorrection } from './correction-queries.ts'
import { type Recipient, recipientsOf, reportRecipientsOf } from './correction-recipients.ts'

// Tracks who must be informed of corrections, until a user confirms that they were.

const MAX_OPEN_NOTICES = 1000
/** Note of a notice that was closed because the recipient has the correct version. */
const NOT_NEEDED_NOTE = message('corrections.notice-not-needed')

/** A correction, in the transaction that applies or undoes it. */
export type AppliedCorrection = Omit<CorrectionDone, 'isUndo'>

/** The two versions that a notice describes. */
type Versions = Omit<NoticeDetails, 'name' | 'contacts'>

/**
 * Creates notices for everyone who has the originals, or a signed report of the study to which they
 * were moved, except the user who makes the correction. Must be called in the transaction of the
 * correction. `destinations` are ids. If the correction undoes another one with copies of the
 * original values, the destinations get notices of this correction, and the other recipients get
 * undo notices as from `addUndoNotices`.
 */
export function addNotices(
  context: Context,
  made: AppliedCorrection,
  destinations: readonly string[],
): void {
  const { database } = context
  const { correctionId, userId, at, undoes } = made.correction
  const { fromStudyInstanceUid: from, toStudyInstanceUid: to } = made.correction
  const versions = versionsOf(made)
  const { correctedPatientName: patientName } = versions
  const targetVersions = {
    patientName,
    correctedPatientName: patientName,
    studyInstanceUid: to,
    correctedStudyInstanceUid: to,
  }
  const undoneCorrection = undoes === null ? undefined : findCorrection(database, undoes)
  for (const recipient of noticeRecipientsOf(context, from, to, destinations, userId))
    if (!undoneCorrection || isSentTo(recipient))
      insertNotice(database, {
        ...(hasOnlyTargetReport(recipient) ? targetVersions : versions),
        ...recipient,
        correctionId,
        isUndo: false,
        createdAt: at,
      })
  if (undoneCorrection) addUndoNoticesFor(context, undoneCorrection, versions, at, userId)
}

/**
 * Everyone who has images or values of the study `from`, or a signed report of the study `to` that
 * the images are moved to, except the user who makes the correction. `destinations` are ids.
 */
export const noticeRecipientsOf = (
  context: Context,
  from: string,
  to: string,
  destinations: readonly string[],
  userId: string | null,
): Recipient[] =>
  mergeRecipients([
    ...recipientsOf(context, from, destinations),
    ...(from === to ? [] : reportRecipientsOf(context, to)),
  ]).filter((recipient) => isOtherUser(recipient, userId))

/**
 * Creates notices for everyone who was informed of the correction or has received the corrected
 * version since; all others have the correct version. Must be called in the transaction that makes
 * the originals current again.
 */
export function addUndoNotices(context: Context, made: AppliedCorrection): void {
  const { database, clock } = context
  const { correction } = made
  const versions = versionsOf(made)
  const at = correction.undoneAt ?? instantOf(clock())
  const reversedVersions = {
    patientName: versions.correctedPatientName,
    correctedPatientName: versions.patientName,
    studyInstanceUid: versions.correctedStudyInstanceUid,
    correctedStudyInstanceUid: versions.studyInstanceUid,
  }
  addUndoNoticesFor(context, correction, reversedVersions, at, correction.undoneBy)
  // Nothing was queued for these destinations.
  for (const one of listNoticesOfCorrection(database, correction.correctionId))
    if (one.state === 'open' && isSentTo(one))
      closeNotice(database, one.noticeId, at, '', NOT_NEEDED_NOTE)
}

/**
 * Creates undo notices for the recipients of a correction that is being undone.
 * @param versions the version that is now wrong and the one that is correct again
 */
function addUndoNoticesFor(
  context: Context,
  { correctionId, at: madeAt }: CorrectionRecord,
  versions: Versions,
  at: string,
  by: string | null,
): void {
  const { database } = context
  const since = recipientsOf(context, versions.studyInstanceUid, [], madeAt)
  const known = listNoticesOfCorrection(database, correctionId).filter(
    (one) => !one.isUndo && !isSentTo(one),
  )
  for (const { noticeId, state, subject, kind } of known)
    if (state === 'open' && !since.some((one) => one.subject === subject && one.kind === kind))
      closeNotice(database, noticeId, at, '', NOT_NEEDED_NOTE)
  const informed = known.filter((one) => one.state === 'done').map(recipientOfNotice)
  for (const recipient of [...since, ...informed])
    if (isOtherUser(recipient, by))
      insertNotice(database, {
        ...versions,
        ...recipient,
        correctionId,
        isUndo: true,
        createdAt: at,
      })
}

const versionsOf = ({ correction, pairs: [first] }: AppliedCorrection): Versions => ({
  patientName: first?.original.patientName ?? '',
  correctedPatientName: first?.copy.patientName ?? '',
  studyInstanceUid: correction.fromStudyInstanceUid,
  correctedStudyInstanceUid: correction.toStudyInstanceUid,
})

/** Whether the gateway sends the corrected images to this recipient. */
const isSentTo = ({ kind, subject }: Pick<Recipient, 'kind' | 'subject'>) =>
  kind === 'destination' && subject.startsWith('destination:')

/** Whether the recipient is not the user who makes the correction. */
const isOtherUser = ({ subject }: Recipient, userId: string | null) =>
  userId === null || subject !== `user:${userId}`

/** Whether the recipient only has a report of the study to which images were added. */
const hasOnlyTargetReport = ({ contacts }: Pick<Recipient, 'contacts'>) =>
  contacts.every(({ isOfTarget }) => isOfTarget === true)

/** Merges recipients that occur more than once, with all their contacts. */
function mergeRecipients(all: readonly Recipient[]): Recipient[] {
  const bySubject = Map.groupBy(all, ({ kind, subject }) => `${kind} ${subject}`)
  return [...bySubject.values()].map((same) => ({
    ...(same[0] as Recipient),
    contacts: same.flatMap(({ contacts }) => contacts),
  }))
}

/**
 * The recipient of an earlier notice. If the notice was only about a report of the target study,
 * its versions are kept.
 */
function recipientOfNotice(notice: NoticeRecord): Recipient & Partial<Versions> {
  const { kind, subject, name, contacts } = notice
  const recipient = { kind, subject, name, contacts: [...contacts] }
  if (!hasOnlyTargetReport(recipient)) return recipient
  const { patientName, correctedPatientName, studyInstanceUid, correctedStudyInstanceUid } = notice
  return {
    ...recipient,
    patientName,
    correctedPatientName,
    studyInstanceUid,
    correctedStudyInstanceUid,
  }
}

/**
 * Lists notices, for callers who may manage studies or write reports. Notices of studies that the
 * caller cannot see are removed, so a page may contain fewer than `limit`.
 * @throws ApiError not-permitted
 */
export function visibleNotices(
  context: Context,
  caller: UserCaller,
  query: SliceQuery & { readonly show: 'open' | 'all' },
): Slice<CorrectionNotice> {
  requireCanInform(caller)
  const { items, ...rest } = listNotices(context.database, query)
  return {
    items: items
      .filter((one) => isShownTo(context, caller, one))
      .map((one) => noticeReply(context, one)),
    ...rest,
  }
}

/**
 * Records that the recipient was informed and closes the notice.
 * @throws ApiError not-permitted, not-found; refused if it is already closed
 */
export function confirmNotice(
  context: Context,
  caller: UserCaller,
  noticeId: number,
  text: string,
): WindowOutcome {
  const { database, clock } = context
  requireCanInform(caller)
  return database.transaction(() => {
    const found = findNotice(database, noticeId)
    if (!found || !isShownTo(context, caller, found))
      throw new ApiError('not-found', message('corrections.no-notice'))
    if (!closeNotice(database, noticeId, instantOf(clock()), caller.user.userId, verbatim(text)))
      throw new ApiError('refused', message('corrections.informed-already'))
    recordNoticeClosed(context, actorOf(caller), found, { note: text })
    return { success: true, message: message('corrections.confirmed') }
  })
}

/**
 * Number, up to `limit`, and age of the open notices that require action by a user and that the
 * caller may see. Images that are still being sent to a destination require none.
 */
export function openNotices(context: Context, caller: UserCaller, limit: number) {
  if (!canInform(caller)) return { count: 0, since: null }
  const { items } = listNotices(context.database, { show: 'open', limit: MAX_OPEN_NOTICES })
  const found = items.filter(
    (one) => isShownTo(context, caller, one) && needsAction(sendingOf(context, one)),
  )
  return { count: Math.min(found.length, limit), since: found[0]?.createdAt ?? null }
}

/**
 * Closes the notices of destinations that have received all corrected images, for all destinations
 * or for one.
 */
export function closeSentNotices(context: Context, destinationId?: string): void {
  const { database, clock } = context
  const subject = destinationId && `destination:${destinationId}`
  for (const notice of listOpenDestinationNotices(database, subject)) {
    const sending = sendingOf(context, notice)
    if (!sending || sending.sent === 0 || sending.waiting + sending.failed > 0) continue
    database.transaction(() => {
      if (closeNotice(database, notice.noticeId, instantOf(clock()), '', null))
        recordNoticeClosed(context, 'gateway', notice, { sent: sending.sent })
    })
  }
}

const recordNoticeClosed = (
  context: Context,
  actor: Parameters<typeof note>[1],
  { correctionId, noticeId, kind, name, studyInstanceUid }: NoticeRecord,
  detail: { readonly note: string } | { readonly sent: number },
) =>
  note(context, actor, 'correction.inform', studyInstanceUid, {
    correctionId,
    noticeId,
    kind,
    name,
    ...detail,
  })

/** Notices contain patient names, so only users who can act on them may see them. */
const canInform = (caller: UserCaller) =>
  isAllowed(caller, 'manageStudies') || isAllowed(caller, 'writeReports')

function requireCanInform(caller: UserCaller): void {
  if (!canInform(caller)) throw new ApiError('not-permitted', message('corrections.may-not-inform'))
}

/** Members who are linked to customers see only notices about those customers' studies. */
function isShownTo(
  { database }: Context,
  caller: UserCaller,
  { studyInstanceUid, correctedStudyInstanceUid }: NoticeRecord,
): boolean {
  if (visibleCustomerIds(caller) === undefined) return true
  return [studyInstanceUid, correctedStudyInstanceUid].every((uid) => {
    const study = findStudyByUid(database, 'scribe', uid) ?? findStudyByUid(database, 'viewer', uid)
    return study !== undefined && isVisible(caller, study)
  })
}

/**
 * Progress of sending the corrected images to the notice's destination; `null` if the gateway does
 * not send any.
 */
function sendingOf({ database }: Context, notice: NoticeRecord): CorrectionNotice['sending'] {
  if (!isSentTo(notice)) return null
  const [, destinationId = ''] = notice.subject.split(':')
  const destination = findDestination(database, destinationId)
  if (!destination) return null
  const forwards = forwardsOfCorrection(database, destinationId, notice.correctionId)
  return { ...forwards, isEnabled: destination.isEnabled }
}

const needsAction = (sending: CorrectionNotice['sending']) =>
  sending === null || sending.failed > 0 || !sending.isEnabled

function noticeReply(context: Context, record: NoticeRecord): CorrectionNotice {
  const { subject: _, contacts, doneBy, ...notice } = record
  return {
    ...notice,
    contacts: [...contacts],
    sending: record.state === 'open' ? sendingOf(context, record) : null,
    doneBy: doneBy === '' ? '' : namedUserOf(context.database, doneBy).name,
  }
}
