import type { Insertable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import type { NoticeContact, NoticeKind } from '#shared/contract/correction-notices.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { messageFromStored } from '#shared/messages/message-schema.ts'

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
  readonly note: Message | null
}
export type NewNotice = Omit<NoticeRecord, 'noticeId' | 'state' | 'doneAt' | 'doneBy' | 'note'>

/** A Key Object Selection that rejects the originals of a correction. */
export type RejectionNoteRecord = Insertable<Schema['rejectionNotes']>

const ONE = 'select * from correctionNotices where'
const OPEN = `${ONE} state = 'open'`
const FORMER = `select destinationId, name from formerDestinationStudies
  where studyInstanceUid = ? order by name, destinationId`
const INFORMED = `select distinct n.subject from correctionNotices n
  where n.kind = 'destination' and n.subject glob 'destination:*' and n.correctionId in (
    select c.correctionId from correctedInstances c join json_each(?) i on i.value = c.correctedId)`

type StoredNotice = Omit<NoticeRecord, keyof NoticeDetails | 'isUndo' | 'note'> & {
  readonly isUndo: number
  readonly sealedDetails: Buffer
  readonly sealedNote: Buffer | null
}

/** The same recipient again changes nothing. */
export function insertNotice(
  database: Database,
  { correctionId, kind, subject, isUndo, createdAt, ...details }: NewNotice,
): void {
  const sealed = database.seal.seal(
    Buffer.from(JSON.stringify(details satisfies NoticeDetails)),
    detailsContext(correctionId),
  )
  database.run(
    database.sql
      .insertInto('correctionNotices')
      .values({
        correctionId,
        kind,
        subject,
        isUndo: flag(isUndo),
        sealedDetails: sealed,
        state: 'open',
        createdAt,
      })
      .onConflict((same) => same.doNothing()),
  )
}

export const findNotice = (database: Database, noticeId: number): NoticeRecord | undefined =>
  all(database, `${ONE} noticeId = ?`, noticeId)[0]

export const listNoticesOfCorrection = (database: Database, correctionId: string): NoticeRecord[] =>
  all(database, `${ONE} correctionId = ? order by noticeId`, correctionId)

/** Open ones oldest first, all newest first. */
export function listNotices(
  database: Database,
  { show, after, limit }: SliceQuery & { readonly show: 'open' | 'all' },
): Slice<NoticeRecord> {
  const found =
    show === 'open'
      ? all(
          database,
          `${OPEN} and noticeId > ? order by noticeId limit ?`,
          Number(after ?? 0),
          limit + 1,
        )
      : all(
          database,
          `${ONE} noticeId < ? order by noticeId desc limit ?`,
          Number(after ?? Number.MAX_SAFE_INTEGER),
          limit + 1,
        )
  return sliceOf(found, limit, ({ noticeId }) => noticeId)
}

/** Destinations that are, or were to be, sent the instances as corrected copies. */
export const listInformedWith = (database: Database, instanceIds: readonly number[]): string[] =>
  database
    .all(rawQuery<{ subject: string }>(INFORMED, [JSON.stringify(instanceIds)]))
    .map(({ subject }) => subject.slice('destination:'.length))

/** Of all destinations, or of the one; oldest first. */
export const listOpenDestinationNotices = (database: Database, subject?: string): NoticeRecord[] =>
  subject === undefined
    ? all(database, `${OPEN} and kind = 'destination' order by noticeId`)
    : all(database, `${OPEN} and kind = 'destination' and subject = ? order by noticeId`, subject)

/** Whether it was still open. */
export function closeNotice(
  database: Database,
  noticeId: number,
  doneAt: string,
  doneBy: string,
  note: Message | null,
): boolean {
  const sealedNote =
    note && database.seal.seal(Buffer.from(storedMessage(note)), noteContext(noticeId))
  const closed = database.sql
    .updateTable('correctionNotices')
    .set({ state: 'done', doneAt, doneBy, sealedNote })
    .where('noticeId', '=', noticeId)
    .where('state', '=', 'open')
  return database.run(closed).changes > 0
}

/** Destinations that had images of the study and were removed since. */
export const listFormerDestinations = (
  database: Database,
  studyInstanceUid: string,
): { readonly destinationId: string; readonly name: string }[] =>
  database.all(rawQuery(FORMER, [studyInstanceUid]))

export const insertRejectionNote = (database: Database, record: RejectionNoteRecord): void =>
  void database.run(database.sql.insertInto('rejectionNotes').values(record))

export const findRejectionNote = (database: Database, correctionId: string) =>
  database.get(
    database.sql.selectFrom('rejectionNotes').selectAll().where('correctionId', '=', correctionId),
  )

const all = (database: Database, text: string, ...parameters: (string | number)[]) =>
  database.all(rawQuery<StoredNotice>(text, parameters)).map((row) => recordOf(database, row))

function recordOf(
  database: Database,
  { sealedDetails, sealedNote, isUndo, ...row }: StoredNotice,
): NoticeRecord {
  const details = JSON.parse(
    database.seal.open(sealedDetails, detailsContext(row.correctionId)).toString(),
  )
  const note =
    sealedNote &&
    messageFromStored(database.seal.open(sealedNote, noteContext(row.noticeId)).toString())
  return { ...row, ...(details as NoticeDetails), isUndo: isUndo === 1, note }
}

const detailsContext = (correctionId: string) => `correction notice of ${correctionId}`
const noteContext = (noticeId: number) => `correction notice ${noticeId} note`
