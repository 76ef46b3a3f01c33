import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { COMMITMENT_STATES } from '#shared/contract/images.ts'

export type CommitmentState = (typeof COMMITMENT_STATES)[number]

export interface CommitmentItem {
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  /**
   * FailureReason (0008,1197) of the result; null where it is committed, or no result was made yet.
   */
  readonly failureReason: number | null
}

/** A storage commitment request (PS3.4 Annex J) and the way of its result. */
export interface CommitmentRecord {
  readonly commitmentId: number
  readonly transactionUid: string
  readonly callingAeTitle: string
  readonly remoteAddress: string
  readonly deviceName: string
  readonly requestedAt: string
  readonly state: CommitmentState
  readonly attempts: number
  /** When the result is sent next; null where it is not. */
  readonly nextAt: string | null
  /** Why the last attempt failed; empty where none did. */
  readonly lastError: string
  /** How many instances it names, and how many of them the result refuses. */
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

export interface CommitmentsStore {
  /** Its id. */
  append(commitment: NewCommitment): number
  get(commitmentId: number): CommitmentRecord | undefined
  /** The newest of a transaction of a device. */
  find(callingAeTitle: string, transactionUid: string): CommitmentRecord | undefined
  /** In the order they were named. */
  itemsOf(commitmentId: number): CommitmentItem[]
  /** Those that name an instance of the study, newest first. */
  ofStudy(studyInstanceUid: string): CommitmentRecord[]
  /** Waiting results that are due, the oldest first. */
  due(now: string, limit: number): CommitmentRecord[]
  /** When the next waiting result is due. */
  nextDue(): string | undefined
  /** What the result refuses, in place of what it refused before. */
  setFailures(
    commitmentId: number,
    failures: readonly { readonly sopInstanceUid: string; readonly failureReason: number }[],
  ): void
  /** Counts the attempt that settled it. Whether it was still waiting. */
  settle(
    commitmentId: number,
    state: Exclude<CommitmentState, 'waiting'>,
    lastError?: string,
  ): boolean
  /** Counts a failed attempt; it waits until `nextAt`. */
  postpone(
    commitmentId: number,
    attempt: { readonly nextAt: string; readonly lastError: string },
  ): void
  /** Forgets those that stopped waiting and were requested before the instant. */
  purge(before: string): number
}

const SELECT = `
  select commitmentId, transactionUid, callingAeTitle, remoteAddress, deviceName, requestedAt, state, attempts, nextAt, lastError,
    (select count(*) from commitmentItems i where i.commitmentId = c.commitmentId) as instances,
    (select count(failureReason) from commitmentItems i where i.commitmentId = c.commitmentId) as failed
  from commitments c`
// Instances that are here, whatever became of them, and those that are only announced.
const OF_STUDY = `${SELECT} where commitmentId in (
    select i.commitmentId from instances n join commitmentItems i on i.sopInstanceUid = n.sopInstanceUid where n.studyInstanceUid = ?
    union
    select i.commitmentId from announcedInstances a join commitmentItems i on i.sopInstanceUid = a.sopInstanceUid where a.studyInstanceUid = ?)
  order by commitmentId desc`

export function commitmentsStore(db: Database): CommitmentsStore {
  const all = (text: string, ...parameters: (string | number)[]) =>
    db.all(rawQuery<CommitmentRecord>(text, parameters))

  return {
    append: ({ items, ...commitment }) =>
      db.transaction(() => {
        const row = { ...commitment, state: 'waiting', lastError: '' }
        const commitmentId = db.run(db.sql.insertInto('commitments').values(row)).lastInsertRowid
        for (const [position, { sopClassUid, sopInstanceUid }] of items.entries())
          db.run(rawQuery(INSERT_ITEM, [commitmentId, position, sopClassUid, sopInstanceUid]))
        db.notify('commitments')
        return commitmentId
      }),
    get: (commitmentId) => all(`${SELECT} where commitmentId = ?`, commitmentId)[0],
    find: (callingAeTitle, transactionUid) =>
      all(
        `${SELECT} where transactionUid = ? and callingAeTitle = ? order by commitmentId desc limit 1`,
        transactionUid,
        callingAeTitle,
      )[0],
    itemsOf: (commitmentId) =>
      db.all(
        db.sql
          .selectFrom('commitmentItems')
          .select(['sopClassUid', 'sopInstanceUid', 'failureReason'])
          .where('commitmentId', '=', commitmentId)
          .orderBy('position'),
      ),
    ofStudy: (studyInstanceUid) => all(OF_STUDY, studyInstanceUid, studyInstanceUid),
    due: (now, limit) =>
      all(
        `${SELECT} where state = 'waiting' and nextAt <= ? order by nextAt, commitmentId limit ?`,
        now,
        limit,
      ),
    nextDue: () => db.get(rawQuery<{ nextAt: string | null }>(NEXT, []))?.nextAt ?? undefined,
    setFailures: (commitmentId, failures) =>
      db.transaction(() => {
        db.run(
          db.sql
            .updateTable('commitmentItems')
            .set({ failureReason: null })
            .where('commitmentId', '=', commitmentId),
        )
        const reasons = new Map(
          failures.map(({ sopInstanceUid, failureReason }) => [sopInstanceUid, failureReason]),
        )
        const items = db.sql
          .selectFrom('commitmentItems')
          .select(['position', 'sopInstanceUid'])
          .where('commitmentId', '=', commitmentId)
        for (const { position, sopInstanceUid } of db.all(items)) {
          const reason = reasons.get(sopInstanceUid)
          if (reason !== undefined) db.run(rawQuery(SET_REASON, [reason, commitmentId, position]))
        }
      }),
    settle: (commitmentId, state, lastError = '') =>
      db.run(
        db.sql
          .updateTable('commitments')
          .set((of) => ({ state, nextAt: null, lastError, attempts: of('attempts', '+', 1) }))
          .where('commitmentId', '=', commitmentId)
          .where('state', '=', 'waiting'),
      ).changes > 0,
    postpone: (commitmentId, { nextAt, lastError }) =>
      void db.run(
        db.sql
          .updateTable('commitments')
          .set((of) => ({ nextAt, lastError, attempts: of('attempts', '+', 1) }))
          .where('commitmentId', '=', commitmentId)
          .where('state', '=', 'waiting'),
      ),
    purge: (before) =>
      db.run(
        db.sql
          .deleteFrom('commitments')
          .where('state', '<>', 'waiting')
          .where('requestedAt', '<', before),
      ).changes,
  }
}

const INSERT_ITEM =
  'insert into commitmentItems (commitmentId, position, sopClassUid, sopInstanceUid) values (?, ?, ?, ?)'
const SET_REASON =
  'update commitmentItems set failureReason = ? where commitmentId = ? and position = ?'
const NEXT = `select min(nextAt) as nextAt from commitments where state = 'waiting'`
