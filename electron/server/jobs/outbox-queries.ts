import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'

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
  readonly lastError: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface OutboxRow<T> extends OutboxRecord {
  readonly payload: T
}

/**
 * Rows are appended in the transaction of what they tell of, and the listeners of `outbox KIND` are
 * told once it has committed. The payload is JSON, sealed at rest,
 * and forgotten when the row stops waiting.
 */
export interface OutboxStore {
  append(row: {
    readonly kind: string
    readonly subject: string
    readonly lane?: string
    readonly payload: unknown
    readonly at: string
  }): number
  /**
   * The waiting rows that are due, those first that are due longest; of a lane only its first one.
   * A payload that cannot be opened is undefined.
   */
  due(kind: string, now: string, limit: number, after?: OutboxRecord): OutboxRow<unknown>[]
  /** When the next waiting row is due, or the next one after an instant. */
  nextDue(kind: string, after?: string): string | undefined
  get(outboxId: number): OutboxRecord | undefined
  /** Every row of the kind that waits, oldest first. */
  waiting(kind: string): OutboxRecord[]
  /** Whether it was still waiting. */
  settle(
    outboxId: number,
    state: Exclude<OutboxState, 'waiting'>,
    at: string,
    lastError?: string | null,
  ): boolean
  /** Counts a failed attempt; the row waits until `notBefore`. */
  postpone(
    outboxId: number,
    attempt: { readonly notBefore: string; readonly lastError: string; readonly at: string },
  ): void
  /** Lets it wait until then without an attempt: it cannot go out now. */
  hold(
    outboxId: number,
    until: { readonly notBefore: string; readonly lastError: string; readonly at: string },
  ): void
  /** Lets everything of the kind that waits, or these rows of it, be due now. */
  hasten(kind: string, now: string, outboxIds?: readonly number[]): void
  /** Drops what still waits about the subject; how many rows. */
  drop(kind: string, subject: string, at: string): number
  /** The newest row about the subject. */
  latest(kind: string, subject: string): OutboxRecord | undefined
  /**
   * How many rows of the kind there are in each state, and the newest fault among the undelivered.
   */
  summary(kind: string): {
    readonly waiting: number
    readonly failed: number
    readonly fault: string | null
  }
  /**
   * Rows of the kind that wait since before the instant: how many, the oldest, and the newest fault
   * among them.
   */
  overdue(
    kind: string,
    before: string,
  ): { readonly count: number; readonly since: string | null; readonly fault: string | null }
  /**
   * Forgets rows that stopped waiting before the instant, but those of reports: how a report was
   * delivered is told for as long as it is kept.
   */
  purge(before: string): number
}

export function outboxStore(db: Database, seal: Seal): OutboxStore {
  const columns = [
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
  const waiting = (kind: string) =>
    db.sql.selectFrom('outbox').where('kind', '=', kind).where('state', '=', 'waiting')
  const countOf = (kind: string, state: OutboxState) =>
    db.get(
      db.sql
        .selectFrom('outbox')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('kind', '=', kind)
        .where('state', '=', state),
    )?.count ?? 0

  return {
    append({ kind, subject, lane = null, payload, at }) {
      const sealedPayload = seal.seal(
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
      const { lastInsertRowid } = db.run(db.sql.insertInto('outbox').values(row))
      db.notify(`outbox ${kind}`)
      return lastInsertRowid
    },
    due(kind, now, limit, after) {
      const rows = waiting(kind)
        .select([...columns, 'sealedPayload'])
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
      return db.all(page).map(({ sealedPayload, ...row }) => ({
        ...recordOf(row),
        payload: opened(seal, sealedPayload, contextOf(row.kind, row.subject)),
      }))
    },
    nextDue(kind, after = '') {
      const next = waiting(kind).select('notBefore').where('notBefore', '>', after)
      return db.get(next.orderBy('notBefore').orderBy('outboxId').limit(1))?.notBefore
    },
    get(outboxId) {
      const row = db.get(
        db.sql.selectFrom('outbox').select(columns).where('outboxId', '=', outboxId),
      )
      return row && recordOf(row)
    },
    waiting: (kind) => db.all(waiting(kind).select(columns).orderBy('outboxId')).map(recordOf),
    settle: (outboxId, state, at, lastError = null) =>
      db.run(
        db.sql
          .updateTable('outbox')
          .set((of) => ({
            state,
            updatedAt: at,
            lastError,
            sealedPayload: null,
            attempts: of('attempts', '+', state === 'dropped' ? 0 : 1),
          }))
          .where('outboxId', '=', outboxId)
          .where('state', '=', 'waiting'),
      ).changes > 0,
    postpone: (outboxId, { notBefore, lastError, at }) =>
      void db.run(
        db.sql
          .updateTable('outbox')
          .set((of) => ({ notBefore, lastError, updatedAt: at, attempts: of('attempts', '+', 1) }))
          .where('outboxId', '=', outboxId)
          .where('state', '=', 'waiting'),
      ),
    hold: (outboxId, { notBefore, lastError, at }) =>
      void db.run(
        db.sql
          .updateTable('outbox')
          .set({ notBefore, lastError, updatedAt: at })
          .where('outboxId', '=', outboxId)
          .where('state', '=', 'waiting'),
      ),
    hasten(kind, now, outboxIds) {
      const later = db.sql
        .updateTable('outbox')
        .set({ notBefore: now })
        .where('kind', '=', kind)
        .where('state', '=', 'waiting')
        .where('notBefore', '>', now)
      if (!outboxIds) return void db.run(later)
      db.transaction(() => {
        for (const outboxId of outboxIds) db.run(later.where('outboxId', '=', outboxId))
      })
    },
    drop: (kind, subject, at) =>
      db.run(
        db.sql
          .updateTable('outbox')
          .set({ state: 'dropped', updatedAt: at, sealedPayload: null })
          .where('kind', '=', kind)
          .where('subject', '=', subject)
          .where('state', '=', 'waiting'),
      ).changes,
    latest(kind, subject) {
      const row = db.get(
        db.sql
          .selectFrom('outbox')
          .select(columns)
          .where('kind', '=', kind)
          .where('subject', '=', subject)
          .orderBy('outboxId', 'desc')
          .limit(1),
      )
      return row && recordOf(row)
    },
    summary: (kind) => ({
      waiting: countOf(kind, 'waiting'),
      failed: countOf(kind, 'failed'),
      fault:
        db.get(
          db.sql
            .selectFrom('outbox')
            .select('lastError')
            .where('kind', '=', kind)
            .where('state', 'in', ['waiting', 'failed'])
            .where('lastError', 'is not', null)
            .orderBy('updatedAt', 'desc')
            .limit(1),
        )?.lastError ?? null,
    }),
    overdue(kind, before) {
      const late = waiting(kind).where('createdAt', '<', before)
      const { count, since } = db.get(
        late.select((of) => [
          of.fn.countAll<number>().as('count'),
          of.fn.min<string | null>('createdAt').as('since'),
        ]),
      ) ?? { count: 0, since: null }
      if (count === 0) return { count, since: null, fault: null }
      const newest = db.get(
        late
          .select('lastError')
          .where('lastError', 'is not', null)
          .orderBy('updatedAt', 'desc')
          .limit(1),
      )
      return { count, since, fault: newest?.lastError ?? null }
    },
    purge: (before) =>
      db.run(
        db.sql
          .deleteFrom('outbox')
          .where('state', '<>', 'waiting')
          .where('updatedAt', '<', before)
          .where('kind', '<>', 'report.delivered'),
      ).changes,
  }
}

const contextOf = (kind: string, subject: string) => `outbox ${kind} ${subject}`

function opened(seal: Seal, sealed: Buffer | null, context: string): unknown {
  try {
    return sealed === null ? undefined : JSON.parse(seal.open(sealed, context).toString())
  } catch {
    return undefined
  }
}

const recordOf = (row: { [K in keyof OutboxRecord]: unknown }) => row as OutboxRecord
