import type { Insertable } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import type { NoticeContact, NoticeKind } from '#shared/contract/correction-notices.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { messageFromStored } from '#shared/messages/message-schema.ts'

/** A recipient of images that were corrected later, and what was received. Encrypted at rest. */
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
  /** The recipient: a kind of id and an id, such as `user:usr_…`. */
  readonly subject: string
  readonly isUndo: boolean
  readonly state: 'open' | 'done'
  readonly createdAt: string
  readonly doneAt: string | null
  /** A user id; empty if the gateway closed the notice. */
  readonly doneBy: string
  /** Encrypted at rest. */
  readonly note: Message | null
}
export type NewNotice = Omit<NoticeRecord, 'noticeId' | 'state' | 'doneAt' | 'doneBy' | 'note'>

/** A Key Object Selection document that rejects the originals of a correction. */
export type RejectionNoteRecord = Insertable<Schema['rejectionNotes']>

const SELECT = 'select * from correctionNotices where'
const SELECT_OPEN = `${SELECT} state = 'open'`
const SELECT_FORMER_DESTINATIONS = `select destinationId, name from formerDestinationStudies
  where studyInstanceUid = ? order by name, destinationId`
const SELECT_INFORMED_SUBJECTS = `select distinct n.subject from correctionNotices n
  where n.kind = 'destination' and n.subject glob 'destination:*' and n.correctionId in (
    select c.correctionId from correctedInstances c join json_each(?) i on i.value = c.correctedId)`

type StoredNotice = Omit<NoticeRecord, keyof NoticeDetails | 'isUndo' | 'note'> & {
  readonly isUndo: number
  readonly sealedDetails: Buffer
  readonly sealedNote: Buffer | null
}

/** Does nothing if the recipient already has a notice. */
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
  readNotices(database, `${SELECT} noticeId = ?`, noticeId)[0]

export const listNoticesOfCorrection = (database: Database, correctionId: string): NoticeRecord[] =>
  readNotices(database, `${SELECT} correctionId = ? order by noticeId`, correctionId)

/** Open notices are listed oldest first, all notices newest first. */
export function listNotices(
  database: Database,
  { show, after, limit }: SliceQuery & { readonly show: 'open' | 'all' },
): Slice<NoticeRecord> {
  const found =
    show === 'open'
      ? readNotices(
          database,
          `${SELECT_OPEN} and noticeId > ? order by noticeId limit ?`,
          Number(after ?? 0),
          limit + 1,
        )
      : readNotices(
          database,
          `${SELECT} noticeId < ? order by noticeId desc limit ?`,
          Number(after ?? Number.MAX_SAFE_INTEGER),
          limit + 1,
        )
  return sliceOf(found, limit, ({ noticeId }) => noticeId)
}

/** Ids of the destinations to which the instances are or were to be sent as corrected copies. */
export const listDestinationsSentCopies = (
  database: Database,
  instanceIds: readonly number[],
): string[] =>
  database
    .all(rawQuery<{ subject: string }>(SELECT_INFORMED_SUBJECTS, [JSON.stringify(instanceIds)]))
    .map(({ subject }) => subject.slice('destination:'.length))

/** Of all destinations or of one, oldest first. */
export const listOpenDestinationNotices = (database: Database, subject?: string): NoticeRecord[] =>
  subject === undefined
    ? readNotices(database, `${SELECT_OPEN} and kind = 'destination' order by noticeId`)
    : readNotices(
        database,
        `${SELECT_OPEN} and kind = 'destination' and subject = ? order by noticeId`,
        subject,
      )

/** Closes the notice; returns whether it was open. */
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

/** Deleted destinations that had images of the study. */
export const listFormerDestinations = (
  database: Database,
  studyInstanceUid: string,
): { readonly destinationId: string; readonly name: string }[] =>
  database.all(rawQuery(SELECT_FORMER_DESTINATIONS, [studyInstanceUid]))

export const insertRejectionNote = (database: Database, record: RejectionNoteRecord): void =>
  void database.run(database.sql.insertInto('rejectionNotes').values(record))

export const findRejectionNote = (database: Database, correctionId: string) =>
  database.get(
    database.sql.selectFrom('rejectionNotes').selectAll().where('correctionId', '=', correctionId),
  )

const readNotices = (database: Database, text: string, ...parameters: (string | number)[]) =>
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
