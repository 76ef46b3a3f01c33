import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

/**
 * waiting: sent at `notBefore` or later; failed: no further attempts; dropped: no longer wanted.
 */
export type OutboxState = 'waiting' | 'sent' | 'failed' | 'dropped'

/** An outbound job. */
export interface OutboxRecord {
  readonly outboxId: number
  /** The kind of job, e.g. `invitation.mail`. */
  readonly kind: string
  /** Id of the object the job is about, e.g. an invitation. */
  readonly subject: string
  /**
   * Jobs of one kind and lane are sent one after the other, in the order they were queued; null if
   * the order does not matter.
   */
  readonly lane: string | null
  readonly state: OutboxState
  readonly attempts: number
  readonly notBefore: string
  /** Why the last attempt failed. It never contains an address. */
  readonly lastError: Message | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface OutboxRow<T> extends OutboxRecord {
  readonly payload: T
}

/*
 * Jobs are inserted in the transaction of the change they report, and subscribers of `outbox KIND`
 * are notified after the commit. The payload is JSON, encrypted at rest and deleted when the job
 * stops waiting.
 */

const COLUMNS = [
  'outboxId',
  'kind',
  'subject',
  'lane',
  'state',
  'attempts',
  'notBefore',
  'lastError',
  'createdAt',
  'updatedAt',
] as const

export function addOutboxJob(
  database: Database,
  {
    kind,
    subject,
    lane = null,
    payload,
    at,
  }: {
    readonly kind: string
    readonly subject: string
    readonly lane?: string | null
    readonly payload: unknown
    readonly at: string
  },
): number {
  const sealedPayload = database.seal.seal(
    Buffer.from(JSON.stringify(payload)),
    contextOf(kind, subject),
  )
  const row = {
    kind,
    subject,
    lane,
    sealedPayload,
    state: 'waiting',
    attempts: 0,
    notBefore: at,
    lastError: null,
    createdAt: at,
    updatedAt: at,
  }
  const { lastInsertRowid } = database.run(database.sql.insertInto('outbox').values(row))
  database.notify(`outbox ${kind}`)
  return lastInsertRowid
}

/**
 * Due jobs, those that have been due longest first; only the first job of each lane. A payload that
 * cannot be decrypted is undefined.
 */
export function listDueOutboxJobs(
  database: Database,
  kind: string,
  now: string,
  limit: number,
  after?: OutboxRecord,
): OutboxRow<unknown>[] {
  const rows = selectWaitingJobs(database, kind)
    .select([...COLUMNS, 'sealedPayload'])
    .where('notBefore', '<=', now)
    .where((of) =>
      of.or([
        of('lane', 'is', null),
        of.not(
          of.exists(
            of
              .selectFrom('outbox as earlier')
              .select('earlier.outboxId')
              .whereRef('earlier.lane', '=', 'outbox.lane')
              .whereRef('earlier.outboxId', '<', 'outbox.outboxId')
              .whereRef('earlier.kind', '=', 'outbox.kind')
              .where('earlier.state', '=', 'waiting')
              // Redundant, but lets SQLite use the partial index on lanes.
              .where('earlier.lane', 'is not', null),
          ),
        ),
      ]),
    )
    .orderBy('notBefore')
    .orderBy('outboxId')
    .limit(limit)
  const page = after
    ? rows.where((of) =>
        of.or([
          of('notBefore', '>', after.notBefore),
          of.and([of('notBefore', '=', after.notBefore), of('outboxId', '>', after.outboxId)]),
        ]),
      )
    : rows
  return database.all(page).map(({ sealedPayload, ...row }) => ({
    ...recordOf(row),
    payload: decryptPayload(database.seal, sealedPayload, contextOf(row.kind, row.subject)),
  }))
}

/** When the next waiting job is due, or the next one due after an instant. */
export function nextOutboxDue(
  database: Database,
  kind: string,
  after: string = '',
): string | undefined {
  const next = selectWaitingJobs(database, kind).select('notBefore').where('notBefore', '>', after)
  return database.get(next.orderBy('notBefore').orderBy('outboxId').limit(1))?.notBefore
}

export function findOutboxJob(database: Database, outboxId: number): OutboxRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('outbox').select(COLUMNS).where('outboxId', '=', outboxId),
  )
  return row && recordOf(row)
}

/** All waiting jobs of the kind, oldest first. */
export const listWaitingOutboxJobs = (database: Database, kind: string): OutboxRecord[] =>
  database.all(selectWaitingJobs(database, kind).select(COLUMNS).orderBy('outboxId')).map(recordOf)

/** Ends a waiting job; returns whether it was still waiting. */
export const settleOutboxJob = (
  database: Database,
  outboxId: number,
  state: Exclude<OutboxState, 'waiting'>,
  at: string,
  lastError: Message | null = null,
): boolean =>
  database.run(
    database.sql
      .updateTable('outbox')
      .set((of) => ({
        state,
        updatedAt: at,
        lastError: lastError && storedMessage(lastError),
        sealedPayload: null,
        attempts: of('attempts', '+', state === 'dropped' ? 0 : 1),
      }))
      .where('outboxId', '=', outboxId)
      .where('state', '=', 'waiting'),
  ).changes > 0

/** Counts a failed attempt and postpones the job to `notBefore`. */
export function postponeOutboxJob(
  database: Database,
  outboxId: number,
  {
    notBefore,
    lastError,
    at,
  }: { readonly notBefore: string; readonly lastError: Message; readonly at: string },
): void {
  database.run(
    database.sql
      .updateTable('outbox')
      .set((of) => ({
        notBefore,
        lastError: storedMessage(lastError),
        updatedAt: at,
        attempts: of('attempts', '+', 1),
      }))
      .where('outboxId', '=', outboxId)
      .where('state', '=', 'waiting'),
  )
}

/** Postpones the job to `notBefore` without counting an attempt, because it cannot be sent yet. */
export function deferOutboxJob(
  database: Database,
  outboxId: number,
  {
    notBefore,
    lastError,
    at,
  }: { readonly notBefore: string; readonly lastError: Message; readonly at: string },
): void {
  database.run(
    database.sql
      .updateTable('outbox')
      .set({ notBefore, lastError: storedMessage(lastError), updatedAt: at })
      .where('outboxId', '=', outboxId)
      .where('state', '=', 'waiting'),
  )
}

/** Makes all waiting jobs of the kind, or the given ones, due now. */
export function expediteOutboxJobs(
  database: Database,
  kind: string,
  now: string,
  outboxIds?: readonly number[],
): void {
  const later = database.sql
    .updateTable('outbox')
    .set({ notBefore: now })
    .where('kind', '=', kind)
    .where('state', '=', 'waiting')
    .where('notBefore', '>', now)
  if (!outboxIds) return void database.run(later)
  database.transaction(() => {
    for (const outboxId of outboxIds) database.run(later.where('outboxId', '=', outboxId))
  })
}

/** Drops the waiting jobs about the subject; returns how many. */
export const dropOutboxJobs = (
  database: Database,
  kind: string,
  subject: string,
  at: string,
): number =>
  database.run(
    database.sql
      .updateTable('outbox')
      .set({ state: 'dropped', updatedAt: at, sealedPayload: null })
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .where('state', '=', 'waiting'),
  ).changes

/** The newest job about the subject. */
export function findLatestOutboxJob(
  database: Database,
  kind: string,
  subject: string,
): OutboxRecord | undefined {
  const row = database.get(
    database.sql
      .selectFrom('outbox')
      .select(COLUMNS)
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .orderBy('outboxId', 'desc')
      .limit(1),
  )
  return row && recordOf(row)
}

/** Number of jobs of the kind in each state, and the newest error of those not delivered. */
export const outboxSummary = (
  database: Database,
  kind: string,
): {
  readonly waiting: number
  readonly failed: number
  readonly fault: Message | null
} => ({
  waiting: countJobs(database, kind, 'waiting'),
  failed: countJobs(database, kind, 'failed'),
  fault: messageOrNull(
    database.get(
      database.sql
        .selectFrom('outbox')
        .select('lastError')
        .where('kind', '=', kind)
        .where('state', 'in', ['waiting', 'failed'])
        .where('lastError', 'is not', null)
        .orderBy('updatedAt', 'desc')
        .limit(1),
    )?.lastError,
  ),
})

/**
 * Jobs of the kind that have been waiting since before the instant: their number, the oldest time
 * and the newest error.
 */
export function overdueOutboxJobs(
  database: Database,
  kind: string,
  before: string,
): { readonly count: number; readonly since: string | null; readonly fault: Message | null } {
  const overdueJobs = selectWaitingJobs(database, kind).where('createdAt', '<', before)
  const { count, since } = database.get(
    overdueJobs.select((of) => [
      of.fn.countAll<number>().as('count'),
      of.fn.min<string | null>('createdAt').as('since'),
    ]),
  ) ?? { count: 0, since: null }
  if (count === 0) return { count, since: null, fault: null }
  const newest = database.get(
    overdueJobs
      .select('lastError')
      .where('lastError', 'is not', null)
      .orderBy('updatedAt', 'desc')
      .limit(1),
  )
  return { count, since, fault: messageOrNull(newest?.lastError) }
}

/**
 * Deletes jobs that stopped waiting before the instant, except those of reports, whose delivery
 * history is kept as long as the report.
 */
export const purgeOutbox = (database: Database, before: string): number =>
  database.run(
    database.sql
      .deleteFrom('outbox')
      .where('state', '<>', 'waiting')
      .where('updatedAt', '<', before)
      .where('kind', '<>', 'report.delivered'),
  ).changes

const selectWaitingJobs = (database: Database, kind: string) =>
  database.sql.selectFrom('outbox').where('kind', '=', kind).where('state', '=', 'waiting')

const countJobs = (database: Database, kind: string, state: OutboxState) =>
  database.get(
    database.sql
      .selectFrom('outbox')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('kind', '=', kind)
      .where('state', '=', state),
  )?.count ?? 0

const contextOf = (kind: string, subject: string) => `outbox ${kind} ${subject}`

function decryptPayload(seal: Seal, sealed: Buffer | null, context: string): unknown {
  try {
    return sealed === null ? undefined : JSON.parse(seal.open(sealed, context).toString())
  } catch {
    return undefined
  }
}

type StoredRecord = { readonly [K in keyof OutboxRecord]: unknown } & {
  readonly lastError: string | null
}

const recordOf = (row: StoredRecord) =>
  ({ ...row, lastError: messageOrNull(row.lastError) }) as OutboxRecord
