import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

/** waiting: goes out at `notBefore`; failed: given up; dropped: no longer wanted. */
export type OutboxState = 'waiting' | 'sent' | 'failed' | 'dropped'

/** Something that must leave the gateway. */
export interface OutboxRecord {
  readonly outboxId: number
  /** What it is, e.g. `invitation.mail`. */
  readonly kind: string
  /** Id of what it is about, e.g. the invitation's. */
  readonly subject: string
  /**
   * Rows of one kind and lane go out one after the other, in the order they came; null: of none.
   */
  readonly lane: string | null
  readonly state: OutboxState
  readonly attempts: number
  readonly notBefore: string
  /** Why the last attempt failed; never an address. */
  readonly lastError: Message | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface OutboxRow<T> extends OutboxRecord {
  readonly payload: T
}

/*
 * Rows are appended in the transaction of what they tell of, and the listeners of `outbox KIND` are
 * told once it has committed. The payload is JSON, sealed at rest,
 * and forgotten when the row stops waiting.
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
 * The waiting rows that are due, those first that are due longest; of a lane only its first one.
 * A payload that cannot be opened is undefined.
 */
export function listDueOutboxJobs(
  database: Database,
  kind: string,
  now: string,
  limit: number,
  after?: OutboxRecord,
): OutboxRow<unknown>[] {
  const rows = waitingJobs(database, kind)
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
              // Said once more for the index of lanes, which knows only rows that have one.
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
    payload: opened(database.seal, sealedPayload, contextOf(row.kind, row.subject)),
  }))
}

/** When the next waiting row is due, or the next one after an instant. */
export function nextOutboxDue(
  database: Database,
  kind: string,
  after: string = '',
): string | undefined {
  const next = waitingJobs(database, kind).select('notBefore').where('notBefore', '>', after)
  return database.get(next.orderBy('notBefore').orderBy('outboxId').limit(1))?.notBefore
}

export function findOutboxJob(database: Database, outboxId: number): OutboxRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('outbox').select(COLUMNS).where('outboxId', '=', outboxId),
  )
  return row && recordOf(row)
}

/** Every row of the kind that waits, oldest first. */
export const listWaitingOutboxJobs = (database: Database, kind: string): OutboxRecord[] =>
  database.all(waitingJobs(database, kind).select(COLUMNS).orderBy('outboxId')).map(recordOf)

/** Whether it was still waiting. */
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

/** Counts a failed attempt; the row waits until `notBefore`. */
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

/** Lets it wait until then without an attempt: it cannot go out now. */
export function holdOutboxJob(
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

/** Lets everything of the kind that waits, or these rows of it, be due now. */
export function hastenOutboxJobs(
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

/** Drops what still waits about the subject; how many rows. */
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

/** The newest row about the subject. */
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

/**
 * How many rows of the kind there are in each state, and the newest fault among the undelivered.
 */
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
 * Rows of the kind that wait since before the instant: how many, the oldest, and the newest fault
 * among them.
 */
export function overdueOutboxJobs(
  database: Database,
  kind: string,
  before: string,
): { readonly count: number; readonly since: string | null; readonly fault: Message | null } {
  const late = waitingJobs(database, kind).where('createdAt', '<', before)
  const { count, since } = database.get(
    late.select((of) => [
      of.fn.countAll<number>().as('count'),
      of.fn.min<string | null>('createdAt').as('since'),
    ]),
  ) ?? { count: 0, since: null }
  if (count === 0) return { count, since: null, fault: null }
  const newest = database.get(
    late
      .select('lastError')
      .where('lastError', 'is not', null)
      .orderBy('updatedAt', 'desc')
      .limit(1),
  )
  return { count, since, fault: messageOrNull(newest?.lastError) }
}

/**
 * Forgets rows that stopped waiting before the instant, but those of reports: how a report was
 * delivered is told for as long as it is kept.
 */
export const purgeOutbox = (database: Database, before: string): number =>
  database.run(
    database.sql
      .deleteFrom('outbox')
      .where('state', '<>', 'waiting')
      .where('updatedAt', '<', before)
      .where('kind', '<>', 'report.delivered'),
  ).changes

const waitingJobs = (database: Database, kind: string) =>
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

function opened(seal: Seal, sealed: Buffer | null, context: string): unknown {
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
