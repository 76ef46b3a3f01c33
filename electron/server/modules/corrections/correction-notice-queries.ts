import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/flag.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { NoticeContact, NoticeKind } from '#shared/contract/correction-notices.ts'
import type { ImageChange } from '#shared/contract/reports.ts'

/** Who has the wrong version of corrected images, and what they got of it; sealed at rest. */
export interface NoticeDetails {
  readonly name: string
  readonly contacts: readonly NoticeContact[]
  readonly patientName: string
  readonly correctedPatientName: string
  readonly studyInstanceUid: string
  readonly correctedStudyInstanceUid: string
}

export interface NoticeRecord extends NoticeDetails {
  readonly noticeId: number
  readonly correctionId: string
  readonly kind: NoticeKind
  /** Who, within the kind: an id with what it is an id of, such as `user:usr_…`. */
  readonly subject: string
  readonly isUndo: boolean
  readonly state: 'open' | 'done'
  readonly createdAt: string
  readonly doneAt: string | null
  /** A user id; empty where the gateway did it. */
  readonly doneBy: string
  /** Sealed at rest. */
  readonly note: string
}
export type NewNotice = Omit<NoticeRecord, 'noticeId' | 'state' | 'doneAt' | 'doneBy' | 'note'>

export interface CorrectionInstant {
  readonly correctionId: string
  readonly at: string
  /** What it did to the images of the study. */
  readonly what: ImageChange
}

/** A Key Object Selection that rejects the originals of a correction. */
export interface RejectionNoteRecord {
  readonly correctionId: string
  readonly studyInstanceUid: string
  readonly sopInstanceUid: string
  readonly createdAt: string
}

export interface CorrectionNoticesStore {
  /** The same recipient again changes nothing. */
  insert(notice: NewNotice): void
  get(noticeId: number): NoticeRecord | undefined
  ofCorrection(correctionId: string): NoticeRecord[]
  /** Open ones oldest first, all newest first. */
  list(query: SliceQuery & { readonly show: 'open' | 'all' }): Slice<NoticeRecord>
  /** Destinations that are, or were to be, sent the instances as corrected copies. */
  informedWith(instanceIds: readonly number[]): string[]
  /** Of all destinations, or of the one; oldest first. */
  openOfDestinations(subject?: string): NoticeRecord[]
  /** Whether it was still open. */
  settle(
    noticeId: number,
    done: { readonly at: string; readonly by: string; readonly note: string },
  ): boolean
  /** Destinations that had images of the study and were removed since. */
  formerDestinations(
    studyInstanceUid: string,
  ): { readonly destinationId: string; readonly name: string }[]
  /**
   * The last correction of images that were in the study then, or that it brought into the study,
   * which was made in the span and not undone by its end. What undoes another correction brings
   * back the images that were read.
   */
  correctionIn(
    studyInstanceUid: string,
    span: { readonly from: string; readonly to: string },
  ): CorrectionInstant | undefined
  /** As `correctionIn`: all of them, the newest first. */
  correctionsIn(
    studyInstanceUid: string,
    span: { readonly from: string; readonly to: string },
  ): CorrectionInstant[]
  insertNote(note: RejectionNoteRecord): void
  noteOf(correctionId: string): RejectionNoteRecord | undefined
}

const IN_SPAN = 'at >= ? and at <= ? and undoes is null and (undoneAt is null or undoneAt > ?)'
// Two queries, as there are two indexes.
const CORRECTIONS_IN = `
  select correctionId, at, iif(toStudyInstanceUid = fromStudyInstanceUid, 'corrected', 'removed') as what
    from corrections where fromStudyInstanceUid = ? and ${IN_SPAN}
  union select correctionId, at, 'added' from corrections
    where toStudyInstanceUid = ? and toStudyInstanceUid <> fromStudyInstanceUid and ${IN_SPAN}
  order by at desc`
const ONE = 'select * from correctionNotices where'
const OPEN = `${ONE} state = 'open'`
const INSERT = `insert into correctionNotices
    (correctionId, kind, subject, isUndo, sealedDetails, state, createdAt) values (?, ?, ?, ?, ?, 'open', ?)
  on conflict (correctionId, kind, subject, isUndo) do nothing`
const SETTLE = `update correctionNotices set state = 'done', doneAt = ?, doneBy = ?, sealedNote = ?
  where noticeId = ? and state = 'open'`
const FORMER = `select destinationId, name from formerDestinationStudies
  where studyInstanceUid = ? order by name, destinationId`
const INFORMED = `select distinct n.subject from correctionNotices n
  where n.kind = 'destination' and n.subject glob 'destination:*' and n.correctionId in (
    select c.correctionId from correctedInstances c join json_each(?) i on i.value = c.correctedId)`

interface StoredNotice {
  noticeId: number
  correctionId: string
  kind: NoticeKind
  subject: string
  isUndo: number
  sealedDetails: Buffer
  state: 'open' | 'done'
  createdAt: string
  doneAt: string | null
  doneBy: string
  sealedNote: Buffer | null
}

export function correctionNoticesStore(db: Database, seal: Seal): CorrectionNoticesStore {
  const all = (text: string, ...parameters: (string | number)[]) =>
    db.all(rawQuery<StoredNotice>(text, parameters)).map(recordOf)

  function recordOf({ sealedDetails, sealedNote, isUndo, ...row }: StoredNotice): NoticeRecord {
    const details = JSON.parse(
      seal.open(sealedDetails, detailsContext(row.correctionId)).toString(),
    )
    const note =
      sealedNote === null ? '' : seal.open(sealedNote, noteContext(row.noticeId)).toString()
    return { ...row, ...(details as NoticeDetails), isUndo: isUndo === 1, note }
  }

  function correctionsIn(
    studyInstanceUid: string,
    { from, to }: { readonly from: string; readonly to: string },
  ) {
    const ofStudy = [studyInstanceUid, from, to, to]
    return db.all(rawQuery<CorrectionInstant>(CORRECTIONS_IN, [...ofStudy, ...ofStudy]))
  }

  return {
    insert({ correctionId, kind, subject, isUndo, createdAt, ...details }) {
      const sealed = seal.seal(
        Buffer.from(JSON.stringify(details satisfies NoticeDetails)),
        detailsContext(correctionId),
      )
      db.run(rawQuery(INSERT, [correctionId, kind, subject, flag(isUndo), sealed, createdAt]))
    },
    get: (noticeId) => all(`${ONE} noticeId = ?`, noticeId)[0],
    ofCorrection: (correctionId) => all(`${ONE} correctionId = ? order by noticeId`, correctionId),
    list({ show, after, limit }) {
      const found =
        show === 'open'
          ? all(`${OPEN} and noticeId > ? order by noticeId limit ?`, Number(after ?? 0), limit + 1)
          : all(
              `${ONE} noticeId < ? order by noticeId desc limit ?`,
              Number(after ?? Number.MAX_SAFE_INTEGER),
              limit + 1,
            )
      return sliceOf(found, limit, ({ noticeId }) => noticeId)
    },
    openOfDestinations: (subject) =>
      subject === undefined
        ? all(`${OPEN} and kind = 'destination' order by noticeId`)
        : all(`${OPEN} and kind = 'destination' and subject = ? order by noticeId`, subject),
    settle(noticeId, { at, by, note }) {
      const sealed = note === '' ? null : seal.seal(Buffer.from(note), noteContext(noticeId))
      return db.run(rawQuery(SETTLE, [at, by, sealed, noticeId])).changes > 0
    },
    formerDestinations: (studyInstanceUid) => db.all(rawQuery(FORMER, [studyInstanceUid])),
    correctionIn: (studyInstanceUid, span) => correctionsIn(studyInstanceUid, span)[0],
    correctionsIn,
    insertNote: ({ correctionId, studyInstanceUid, sopInstanceUid, createdAt }) =>
      void db.run(
        rawQuery('insert into rejectionNotes values (?, ?, ?, ?)', [
          correctionId,
          studyInstanceUid,
          sopInstanceUid,
          createdAt,
        ]),
      ),
    noteOf: (correctionId) =>
      db.get(
        rawQuery<RejectionNoteRecord>('select * from rejectionNotes where correctionId = ?', [
          correctionId,
        ]),
      ),
    informedWith: (instanceIds) =>
      db
        .all(rawQuery<{ subject: string }>(INFORMED, [JSON.stringify(instanceIds)]))
        .map(({ subject }) => subject.slice('destination:'.length)),
  }
}

const detailsContext = (correctionId: string) => `correction notice of ${correctionId}`
const noteContext = (noticeId: number) => `correction notice ${noticeId} note`
