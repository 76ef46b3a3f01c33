import type { Slice, SliceQuery } from '#server/database/page.ts'
import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { forwardsOfCorrection } from '#server/modules/forwarding/forward-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { personOf } from '#server/modules/reports/report-people.ts'
import { isVisible, visibleCustomers } from '#server/modules/studies/study-access.ts'
import { actorOf, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { CorrectionNotice, NoticeKind } from '#shared/contract/correction-notices.ts'
import { ApiError } from '#shared/errors.ts'
import type { NoticeRecord } from './correction-notice-queries.ts'
import type { CorrectionRecord } from './correction-queries.ts'
import { type Recipient, recipientsOf, reportRecipientsOf } from './correction-recipients.ts'

/** A correction in the transaction that makes it, or that undoes it. */
export interface CorrectionMade {
  readonly correction: Pick<
    CorrectionRecord,
    | 'correctionId'
    | 'fromStudyInstanceUid'
    | 'toStudyInstanceUid'
    | 'userId'
    | 'at'
    | 'undoes'
    | 'undoneAt'
    | 'undoneBy'
  >
  /** Images of the wrong version, each with its corrected copy. */
  readonly pairs: readonly { readonly original: InstanceRecord; readonly copy: InstanceRecord }[]
}

/** Who has to be informed of corrections, until somebody confirms that they were. */
export interface CorrectionNotices {
  /**
   * In the transaction of the correction: lists who has the originals, and who has a signed report
   * of the study that they were added to, but for the person who corrects them; `destinations` by
   * their ids.
   * Where it undoes another one by copies with the values before, the destinations are listed with
   * it, and everybody else as by `undo`.
   */
  add(made: CorrectionMade, destinations: readonly string[]): void
  /**
   * In the transaction that makes the originals current again. Whoever was informed of the
   * correction, or got the corrected version meanwhile, is informed of this; the others have the
   * right version.
   */
  undo(made: CorrectionMade): void
  /**
   * For who manages studies or writes reports; of studies that the person may see, so that a page
   * may be short. @throws ApiError not-permitted
   */
  list(
    caller: UserCaller,
    query: SliceQuery & { readonly show: 'open' | 'all' },
  ): Slice<CorrectionNotice>
  /** @throws ApiError not-permitted, not-found; refused: it is confirmed already */
  confirm(caller: UserCaller, noticeId: number, said: string): Outcome
  /**
   * Open ones of studies that the person may see that wait for a person, counted up to `most`, and
   * since when. Images on their way to a destination need nobody.
   */
  open(caller: UserCaller, most: number): { readonly count: number; readonly since: string | null }
  /** Closes the notices of destinations that have been sent everything, or of the one. */
  settleSent(destinationId?: string): void
}

const MOST_OPEN = 1000

/** The note where nobody was informed, because the version that they have is right. */
const NOT_NEEDED = 'Not needed: the correction was undone.'

/** What a notice says of the two versions. */
type Concerned = Pick<
  NoticeRecord,
  'patientName' | 'correctedPatientName' | 'studyInstanceUid' | 'correctedStudyInstanceUid'
>

/** Whether the gateway sends the corrected images there. */
const isSent = (kind: NoticeKind, subject: string) =>
  kind === 'destination' && subject.startsWith('destination:')

/** Whoever makes a correction knows of it. */
const isOther =
  (userId: string | null) =>
  ({ subject }: { readonly subject: string }) =>
    userId === null || subject !== `user:${userId}`

/** Whether all they have is a report of the study that images were added to. */
const hasOnlyTarget = ({ contacts }: Pick<Recipient, 'contacts'>) =>
  contacts.every(({ isOfTarget }) => isOfTarget === true)

/** Recipients of both lists, once each. */
function together(some: readonly Recipient[], others: readonly Recipient[]): Recipient[] {
  const bySubject = Map.groupBy([...some, ...others], ({ kind, subject }) => `${kind} ${subject}`)
  return [...bySubject.values()].map((of) => ({
    ...(of[0] as Recipient),
    contacts: of.flatMap(({ contacts }) => contacts),
  }))
}

/** The study of which they have the report is the one it was. */
function listedAgain(one: NoticeRecord): Recipient & Partial<Concerned> {
  const {
    kind,
    subject,
    name,
    contacts,
    patientName,
    correctedPatientName,
    studyInstanceUid,
    correctedStudyInstanceUid,
  } = one
  const who = { kind, subject, name, contacts: [...contacts] }
  return hasOnlyTarget(who)
    ? { ...who, patientName, correctedPatientName, studyInstanceUid, correctedStudyInstanceUid }
    : who
}

export function openCorrectionNotices(deps: DomainDeps): CorrectionNotices {
  const { store, clock } = deps
  const { correctionNotices: notices, database } = store

  const detailsOf = ({ correction, pairs: [first] }: CorrectionMade): Concerned => ({
    patientName: first?.original.patientName ?? '',
    correctedPatientName: first?.copy.patientName ?? '',
    studyInstanceUid: correction.fromStudyInstanceUid,
    correctedStudyInstanceUid: correction.toStudyInstanceUid,
  })

  /** `concerned`: the version that is not right any more, and the one that is right again. */
  function listUndone(
    undone: Pick<CorrectionRecord, 'correctionId' | 'at'>,
    concerned: Concerned,
    { at: undoneAt, by }: { readonly at: string; readonly by: string | null },
  ): void {
    const { correctionId } = undone
    const since = recipientsOf(store, concerned.studyInstanceUid, [], undone.at)
    const known = notices
      .ofCorrection(correctionId)
      .filter(({ isUndo, kind, subject }) => !isUndo && !isSent(kind, subject))
    const isSince = (one: NoticeRecord) =>
      since.some(({ subject, kind }) => subject === one.subject && kind === one.kind)
    for (const one of known)
      if (one.state === 'open' && !isSince(one))
        notices.settle(one.noticeId, { at: undoneAt, by: '', note: NOT_NEEDED })
    const informed = known.filter((one) => one.state === 'done')
    for (const one of [...since, ...informed.map(listedAgain)].filter(isOther(by)))
      notices.insert({ ...concerned, ...one, correctionId, isUndo: true, createdAt: undoneAt })
  }

  /** Notices name patients: they are for who may act upon them. */
  const mayInform = (caller: UserCaller) =>
    isAllowed(caller, 'manageStudies') || isAllowed(caller, 'writeReports')

  function demandAllowed(caller: UserCaller): void {
    if (!mayInform(caller))
      throw new ApiError(
        'not-permitted',
        'Your account may neither manage studies nor write reports.',
      )
  }

  /** Members with customers see notices about studies of these alone. */
  function isShownTo(
    caller: UserCaller,
    { studyInstanceUid, correctedStudyInstanceUid }: NoticeRecord,
  ): boolean {
    if (visibleCustomers(caller) === undefined) return true
    return [studyInstanceUid, correctedStudyInstanceUid].every((uid) => {
      const study = store.studies.byUid('scribe', uid) ?? store.studies.byUid('viewer', uid)
      return study !== undefined && isVisible(caller, study)
    })
  }

  function sendingOf({ kind, subject, correctionId }: NoticeRecord): CorrectionNotice['sending'] {
    const [, destinationId = ''] = subject.split(':')
    const destination = isSent(kind, subject)
      ? findDestination(store.database, destinationId)
      : undefined
    if (!destination) return null
    const tally = forwardsOfCorrection(store.database, destinationId, correctionId)
    return { ...tally, isEnabled: destination.isEnabled }
  }

  const needsPerson = (sending: CorrectionNotice['sending']) =>
    sending === null || sending.failed > 0 || !sending.isEnabled

  const view = (record: NoticeRecord): CorrectionNotice => {
    const { subject: _, contacts, doneBy, ...notice } = record
    return {
      ...notice,
      contacts: [...contacts],
      sending: record.state === 'open' ? sendingOf(record) : null,
      doneBy: doneBy === '' ? '' : personOf(deps, doneBy).name,
    }
  }

  return {
    add(made, destinations) {
      const {
        correctionId,
        fromStudyInstanceUid: from,
        toStudyInstanceUid: to,
        userId,
        at,
        undoes,
      } = made.correction
      const concerned = detailsOf(made)
      const { correctedPatientName: patientName } = concerned
      const target = {
        patientName,
        correctedPatientName: patientName,
        studyInstanceUid: to,
        correctedStudyInstanceUid: to,
      }
      const undone = undoes === null ? undefined : store.corrections.get(undoes)
      const ofTarget = from === to ? [] : reportRecipientsOf(store, to)
      for (const one of together(recipientsOf(store, from, destinations), ofTarget).filter(
        isOther(userId),
      ))
        if (!undone || isSent(one.kind, one.subject))
          notices.insert({
            ...(hasOnlyTarget(one) ? target : concerned),
            ...one,
            correctionId,
            isUndo: false,
            createdAt: at,
          })
      if (undone) listUndone(undone, concerned, { at, by: userId })
    },

    undo(made) {
      const { patientName, correctedPatientName, studyInstanceUid, correctedStudyInstanceUid } =
        detailsOf(made)
      const { correction } = made
      const swapped = {
        ...{ patientName: correctedPatientName, correctedPatientName: patientName },
        ...{
          studyInstanceUid: correctedStudyInstanceUid,
          correctedStudyInstanceUid: studyInstanceUid,
        },
      }
      const undoneAt = correction.undoneAt ?? instantOf(clock())
      listUndone(correction, swapped, { at: undoneAt, by: correction.undoneBy })
      // Nothing was queued for them.
      for (const one of notices.ofCorrection(correction.correctionId))
        if (one.state === 'open' && isSent(one.kind, one.subject))
          notices.settle(one.noticeId, { at: undoneAt, by: '', note: NOT_NEEDED })
    },

    list(caller, query) {
      demandAllowed(caller)
      const { items, ...rest } = notices.list(query)
      return { items: items.filter((one) => isShownTo(caller, one)).map(view), ...rest }
    },

    confirm(caller, noticeId, said) {
      demandAllowed(caller)
      return database.transaction(() => {
        const found = notices.get(noticeId)
        if (!found || !isShownTo(caller, found))
          throw new ApiError('not-found', 'There is no such notice.')
        const done = { at: instantOf(clock()), by: caller.user.userId, note: said }
        if (!notices.settle(noticeId, done))
          throw new ApiError('refused', 'This recipient is already marked as informed.')
        const { kind, name, correctionId, studyInstanceUid } = found
        note(deps.store, actorOf(caller), 'correction.inform', studyInstanceUid, {
          correctionId,
          noticeId,
          kind,
          name,
          note: said,
        })
        return { success: true, message: 'Confirmed.' }
      })
    },

    open(caller, most) {
      if (!mayInform(caller)) return { count: 0, since: null }
      const found = notices
        .list({ show: 'open', limit: MOST_OPEN })
        .items.filter((one) => isShownTo(caller, one) && needsPerson(sendingOf(one)))
      return { count: Math.min(found.length, most), since: found[0]?.createdAt ?? null }
    },

    settleSent(destinationId) {
      for (const one of notices.openOfDestinations(
        destinationId && `destination:${destinationId}`,
      )) {
        const sending = sendingOf(one)
        if (!sending || sending.sent === 0 || sending.waiting + sending.failed > 0) continue
        database.transaction(() => {
          if (!notices.settle(one.noticeId, { at: instantOf(clock()), by: '', note: '' })) return
          const { correctionId, studyInstanceUid, kind, name, noticeId } = one
          const { sent } = sending
          note(deps.store, 'gateway', 'correction.inform', studyInstanceUid, {
            correctionId,
            noticeId,
            kind,
            name,
            sent,
          })
        })
      }
    },
  }
}
