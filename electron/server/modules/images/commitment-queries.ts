import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { COMMITMENT_STATES } from '#shared/contract/images.ts'
import { type Message, storedMessage, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

export type CommitmentState = (typeof COMMITMENT_STATES)[number]

export interface CommitmentItem {
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  /** FailureReason (0008,1197) of the result; null if it is committed or there is no result yet. */
  readonly failureReason: number | null
}

/** A storage commitment request (PS3.4 Annex J) and the delivery of its result. */
export interface CommitmentRecord {
  readonly commitmentId: number
  readonly transactionUid: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly deviceName: string
  readonly requestedAt: string
  readonly state: CommitmentState
  readonly attempts: number
  /** When the next delivery attempt is due; null if none is. */
  readonly nextAt: string | null
  /** Why the last attempt failed; null if it did not. */
  readonly lastError: Message | null
  /** Number of requested instances, and of those that the result refuses. */
  readonly instances: number
  readonly failed: number
}
export type NewCommitment = Pick<
  CommitmentRecord,
  'transactionUid' | 'callingAeTitle' | 'remoteAddress' | 'deviceName' | 'requestedAt'
> & {
  readonly nextAt: string
  readonly items: readonly Pick<CommitmentItem, 'sopClassUid' | 'sopInstanceUid'>[]
}

const SELECT = `
  select commitmentId, transactionUid, callingAeTitle, remoteAddress, deviceName, requestedAt, state, attempts, nextAt, lastError,
    (select count(*) from commitmentItems i where i.commitmentId = c.commitmentId) as instances,
    (select count(failureReason) from commitmentItems i where i.commitmentId = c.commitmentId) as failed
  from commitments c`
// Requests for instances that were received, in any state, or only announced.
const SELECT_BY_STUDY = `${SELECT} where commitmentId in (
    select i.commitmentId from instances n join commitmentItems i on i.sopInstanceUid = n.sopInstanceUid where n.studyInstanceUid = ?
    union
    select i.commitmentId from announcedInstances a join commitmentItems i on i.sopInstanceUid = a.sopInstanceUid where a.studyInstanceUid = ?)
  order by commitmentId desc`

/** Inserts a request; returns its id. */
export const insertCommitment = (
  database: Database,
  { items, ...commitment }: NewCommitment,
): number =>
  database.transaction(() => {
    const row = { ...commitment, state: 'waiting', lastError: '' }
    const commitmentId = database.run(
      database.sql.insertInto('commitments').values(row),
    ).lastInsertRowid
    for (const [position, { sopClassUid, sopInstanceUid }] of items.entries())
      database.run(rawQuery(INSERT_ITEM, [commitmentId, position, sopClassUid, sopInstanceUid]))
    database.notify('commitments')
    return commitmentId
  })

export const findCommitment = (
  database: Database,
  commitmentId: number,
): CommitmentRecord | undefined =>
  readCommitments(database, `${SELECT} where commitmentId = ?`, commitmentId)[0]

/** The latest request of the device with this Transaction UID. */
export const findCommitmentOf = (
  database: Database,
  callingAeTitle: string,
  transactionUid: string,
): CommitmentRecord | undefined =>
  readCommitments(
    database,
    `${SELECT} where transactionUid = ? and callingAeTitle = ? order by commitmentId desc limit 1`,
    transactionUid,
    callingAeTitle,
  )[0]

/** Lists the requested instances, in the order of the request. */
export const listCommitmentItems = (database: Database, commitmentId: number): CommitmentItem[] =>
  database.all(
    database.sql
      .selectFrom('commitmentItems')
      .select(['sopClassUid', 'sopInstanceUid', 'failureReason'])
      .where('commitmentId', '=', commitmentId)
      .orderBy('position'),
  )

/** Requests that contain an instance of the study, newest first. */
export const listStudyCommitments = (
  database: Database,
  studyInstanceUid: string,
): CommitmentRecord[] =>
  readCommitments(database, SELECT_BY_STUDY, studyInstanceUid, studyInstanceUid)

/** Waiting results that are due, oldest first. */
export const listDueCommitments = (
  database: Database,
  now: string,
  limit: number,
): CommitmentRecord[] =>
  readCommitments(
    database,
    `${SELECT} where state = 'waiting' and nextAt <= ? order by nextAt, commitmentId limit ?`,
    now,
    limit,
  )

/** When the next waiting result is due. */
export const nextCommitmentDue = (database: Database): string | undefined =>
  database.get(rawQuery<{ nextAt: string | null }>(SELECT_NEXT_AT, []))?.nextAt ?? undefined

/** Number of waiting results, and since when the oldest has been waiting. */
export const countWaitingCommitments = (database: Database) =>
  database.get(rawQuery<{ count: number; since: string | null }>(SELECT_WAITING, [])) ?? {
    count: 0,
    since: null,
  }

/** Replaces the failures of the result. */
export const setCommitmentFailures = (
  database: Database,
  commitmentId: number,
  failures: readonly { readonly sopInstanceUid: string; readonly failureReason: number }[],
): void =>
  database.transaction(() => {
    database.run(
      database.sql
        .updateTable('commitmentItems')
        .set({ failureReason: null })
        .where('commitmentId', '=', commitmentId),
    )
    const reasons = new Map(
      failures.map(({ sopInstanceUid, failureReason }) => [sopInstanceUid, failureReason]),
    )
    const items = database.sql
      .selectFrom('commitmentItems')
      .select(['position', 'sopInstanceUid'])
      .where('commitmentId', '=', commitmentId)
    for (const { position, sopInstanceUid } of database.all(items)) {
      const reason = reasons.get(sopInstanceUid)
      if (reason !== undefined) database.run(rawQuery(SET_REASON, [reason, commitmentId, position]))
    }
  })

/** Records the final attempt; returns whether the result was waiting. */
export const settleCommitment = (
  database: Database,
  commitmentId: number,
  state: Exclude<CommitmentState, 'waiting'>,
  lastError: Message | null = null,
): boolean =>
  database.run(
    database.sql
      .updateTable('commitments')
      .set((of) => ({
        state,
        nextAt: null,
        lastError: storedOrEmpty(lastError),
        attempts: of('attempts', '+', 1),
      }))
      .where('commitmentId', '=', commitmentId)
      .where('state', '=', 'waiting'),
  ).changes > 0

/** Records a failed attempt; the next one is due at `nextAt`. */
export function postponeCommitment(
  database: Database,
  commitmentId: number,
  { nextAt, lastError }: { readonly nextAt: string; readonly lastError: Message },
): void {
  database.run(
    database.sql
      .updateTable('commitments')
      .set((of) => ({
        nextAt,
        lastError: storedMessage(lastError),
        attempts: of('attempts', '+', 1),
      }))
      .where('commitmentId', '=', commitmentId)
      .where('state', '=', 'waiting'),
  )
}

/** Deletes requests made before the given time, except waiting ones. */
export const purgeCommitments = (database: Database, before: string): number =>
  database.run(
    database.sql
      .deleteFrom('commitments')
      .where('state', '<>', 'waiting')
      .where('requestedAt', '<', before),
  ).changes

const readCommitments = (database: Database, text: string, ...parameters: (string | number)[]) =>
  database
    .all(rawQuery<StoredCommitment>(text, parameters))
    .map((row): CommitmentRecord => ({ ...row, lastError: messageOrNull(row.lastError) }))

type StoredCommitment = Omit<CommitmentRecord, 'lastError'> & { readonly lastError: string }

const INSERT_ITEM =
  'insert into commitmentItems (commitmentId, position, sopClassUid, sopInstanceUid) values (?, ?, ?, ?)'
const SET_REASON =
  'update commitmentItems set failureReason = ? where commitmentId = ? and position = ?'
const SELECT_WAITING = `select count(*) as count, min(requestedAt) as since from commitments where state = 'waiting'`
const SELECT_NEXT_AT = `select min(nextAt) as nextAt from commitments where state = 'waiting'`
