import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Slice, SliceQuery } from '#server/database/page.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { forwardsOfCorrection } from '#server/modules/forwarding/forward-queries.ts'
import { isVisible, visibleCustomers } from '#server/modules/studies/study-access.ts'
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

// Who has to be informed of corrections, until somebody confirms that they were.

const MOST_OPEN = 1000
/** The note where nobody was informed, because the version that they have is right. */
const NOT_NEEDED = message('corrections.notice-not-needed')

/** A correction in the transaction that makes it, or that undoes it. */
export type CorrectionMade = Omit<CorrectionDone, 'isUndo'>

/** What a notice says of the two versions. */
type Versions = Omit<NoticeDetails, 'name' | 'contacts'>

/**
 * In the transaction of the correction: lists who has the originals, and who has a signed report of
 * the study that they were added to, but for the person who corrects them; `destinations` by their
 * ids. Where it undoes another one by copies with the values before, the destinations are listed
 * with it, and everybody else as by `addUndoNotices`.
 */
export function addNotices(
  context: Context,
  made: CorrectionMade,
  destinations: readonly string[],
): void {
  const { database } = context
  const { correctionId, userId, at, undoes } = made.correction
  const { fromStudyInstanceUid: from, toStudyInstanceUid: to } = made.correction
  const versions = versionsOf(made)
  const { correctedPatientName: patientName } = versions
  const ofTarget = {
    patientName,
    correctedPatientName: patientName,
    studyInstanceUid: to,
    correctedStudyInstanceUid: to,
  }
  const undone = undoes === null ? undefined : findCorrection(database, undoes)
  const recipients = mergeRecipients([
    ...recipientsOf(context, from, destinations),
    ...(from === to ? [] : reportRecipientsOf(context, to)),
  ])
  for (const recipient of recipients)
    if (isOther(recipient, userId) && (!undone || isSentTo(recipient)))
      insertNotice(database, {
        ...(hasOnlyTarget(recipient) ? ofTarget : versions),
        ...recipient,
        correctionId,
        isUndo: false,
        createdAt: at,
      })
  if (undone) addForUndone(context, undone, versions, at, userId)
}

/**
 * In the transaction that makes the originals current again. Whoever was informed of the
 * correction, or got the corrected version meanwhile, is informed of this; the others have the
 * right version.
 */
export function addUndoNotices(context: Context, made: CorrectionMade): void {
  const { database, clock } = context
  const { correction } = made
  const versions = versionsOf(made)
  const at = correction.undoneAt ?? instantOf(clock())
  const reversed = {
    patientName: versions.correctedPatientName,
    correctedPatientName: versions.patientName,
    studyInstanceUid: versions.correctedStudyInstanceUid,
    correctedStudyInstanceUid: versions.studyInstanceUid,
  }
  addForUndone(context, correction, reversed, at, correction.undoneBy)
  // Nothing was queued for them.
  for (const one of listNoticesOfCorrection(database, correction.correctionId))
    if (one.state === 'open' && isSentTo(one))
      closeNotice(database, one.noticeId, at, '', NOT_NEEDED)
}

/** `versions`: the version that is not right any more, and the one that is right again. */
function addForUndone(
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
      closeNotice(database, noticeId, at, '', NOT_NEEDED)
  const informed = known.filter((one) => one.state === 'done').map(recipientAgain)
  for (const recipient of [...since, ...informed])
    if (isOther(recipient, by))
      insertNotice(database, {
        ...versions,
        ...recipient,
        correctionId,
        isUndo: true,
        createdAt: at,
      })
}

const versionsOf = ({ correction, pairs: [first] }: CorrectionMade): Versions => ({
  patientName: first?.original.patientName ?? '',
  correctedPatientName: first?.copy.patientName ?? '',
  studyInstanceUid: correction.fromStudyInstanceUid,
  correctedStudyInstanceUid: correction.toStudyInstanceUid,
})

/** Whether the gateway sends the corrected images there. */
const isSentTo = ({ kind, subject }: Pick<Recipient, 'kind' | 'subject'>) =>
  kind === 'destination' && subject.startsWith('destination:')

/** Whoever makes a correction knows of it. */
const isOther = ({ subject }: Recipient, userId: string | null) =>
  userId === null || subject !== `user:${userId}`

/** Whether all they have is a report of the study that images were added to. */
const hasOnlyTarget = ({ contacts }: Pick<Recipient, 'contacts'>) =>
  contacts.every(({ isOfTarget }) => isOfTarget === true)

/** Each recipient once, with all contacts. */
function mergeRecipients(all: readonly Recipient[]): Recipient[] {
  const bySubject = Map.groupBy(all, ({ kind, subject }) => `${kind} ${subject}`)
  return [...bySubject.values()].map((same) => ({
    ...(same[0] as Recipient),
    contacts: same.flatMap(({ contacts }) => contacts),
  }))
}

/** The study whose report they have, where that is all they have, stays the one it was. */
function recipientAgain(notice: NoticeRecord): Recipient & Partial<Versions> {
  const { kind, subject, name, contacts } = notice
  const recipient = { kind, subject, name, contacts: [...contacts] }
  if (!hasOnlyTarget(recipient)) return recipient
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
 * For who manages studies or writes reports; of studies that the person may see, so that a page may
 * be short. @throws ApiError not-permitted
 */
export function visibleNotices(
  context: Context,
  caller: UserCaller,
  query: SliceQuery & { readonly show: 'open' | 'all' },
): Slice<CorrectionNotice> {
  demandAllowed(caller)
  const { items, ...rest } = listNotices(context.database, query)
  return {
    items: items
      .filter((one) => isShownTo(context, caller, one))
      .map((one) => noticeReply(context, one)),
    ...rest,
  }
}

/** @throws ApiError not-permitted, not-found; refused: it is confirmed already */
export function confirmNotice(
  context: Context,
  caller: UserCaller,
  noticeId: number,
  text: string,
): WindowOutcome {
  const { database, clock } = context
  demandAllowed(caller)
  return database.transaction(() => {
    const found = findNotice(database, noticeId)
    if (!found || !isShownTo(context, caller, found))
      throw new ApiError('not-found', message('corrections.no-notice'))
    if (!closeNotice(database, noticeId, instantOf(clock()), caller.user.userId, verbatim(text)))
      throw new ApiError('refused', message('corrections.informed-already'))
    noteInformed(context, actorOf(caller), found, { note: text })
    return { success: true, message: message('corrections.confirmed') }
  })
}

/**
 * Open ones of studies that the person may see that wait for a person, counted up to `most`, and
 * since when. Images on their way to a destination need nobody.
 */
export function openNotices(context: Context, caller: UserCaller, most: number) {
  if (!mayInform(caller)) return { count: 0, since: null }
  const { items } = listNotices(context.database, { show: 'open', limit: MOST_OPEN })
  const found = items.filter(
    (one) => isShownTo(context, caller, one) && needsPerson(sendingOf(context, one)),
  )
  return { count: Math.min(found.length, most), since: found[0]?.createdAt ?? null }
}

/** Closes the notices of destinations that have been sent everything, or of the one. */
export function closeSentNotices(context: Context, destinationId?: string): void {
  const { database, clock } = context
  const subject = destinationId && `destination:${destinationId}`
  for (const notice of listOpenDestinationNotices(database, subject)) {
    const sending = sendingOf(context, notice)
    if (!sending || sending.sent === 0 || sending.waiting + sending.failed > 0) continue
    database.transaction(() => {
      if (closeNotice(database, notice.noticeId, instantOf(clock()), '', null))
        noteInformed(context, 'gateway', notice, { sent: sending.sent })
    })
  }
}

const noteInformed = (
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

/** Notices name patients: they are for who may act upon them. */
const mayInform = (caller: UserCaller) =>
  isAllowed(caller, 'manageStudies') || isAllowed(caller, 'writeReports')

function demandAllowed(caller: UserCaller): void {
  if (!mayInform(caller)) throw new ApiError('not-permitted', message('corrections.may-not-inform'))
}

/** Members with customers see notices about studies of these alone. */
function isShownTo(
  { database }: Context,
  caller: UserCaller,
  { studyInstanceUid, correctedStudyInstanceUid }: NoticeRecord,
): boolean {
  if (visibleCustomers(caller) === undefined) return true
  return [studyInstanceUid, correctedStudyInstanceUid].every((uid) => {
    const study = findStudyByUid(database, 'scribe', uid) ?? findStudyByUid(database, 'viewer', uid)
    return study !== undefined && isVisible(caller, study)
  })
}

/** How the corrected images stand at the destination of the notice; null where it is none. */
function sendingOf({ database }: Context, notice: NoticeRecord): CorrectionNotice['sending'] {
  if (!isSentTo(notice)) return null
  const [, destinationId = ''] = notice.subject.split(':')
  const destination = findDestination(database, destinationId)
  if (!destination) return null
  const forwards = forwardsOfCorrection(database, destinationId, notice.correctionId)
  return { ...forwards, isEnabled: destination.isEnabled }
}

const needsPerson = (sending: CorrectionNotice['sending']) =>
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
