import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { numberAfter, type PageOf, type PageQuery, pageOf } from '#server/database/page.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'

/** A query that was answered once so far. */
export type NewInspection = Omit<InspectionSummary, 'inspectionId' | 'repeats' | 'lastAt'>

/**
 * A worklist query as recorded. Nothing about a patient is in the summary; `detail` is sealed at
 * rest.
 */
export interface InspectionRecord extends NewInspection {
  readonly transferSyntax: string
  /** What the slice needs to show it again, in its own form. */
  readonly detail: Buffer
  /** The partner's answer it was served from, in `documents`. */
  readonly answerHash: string | null
  /** The verdict on each of its rows, in `documents`. */
  readonly verdictHash: string | null
}

/** What a device was sent, with the query that was last answered so. */
export interface HandedOutAnswer {
  readonly answerHash: string
  readonly verdictHash: string
  readonly at: Instant
  readonly remoteAddress: string
}

export type InspectionOutcome = 'all' | 'rows' | 'empty' | 'failed' | 'withheld'

export interface InspectionsStore {
  /** Its id. */
  insert(record: InspectionRecord): number
  /**
   * It was asked and answered so `times` more, last at the instant; one that is kept no more is
   * left out.
   */
  repeat(inspectionId: number, times: number, lastAt: Instant): void
  /** Newest first. */
  list(
    query: PageQuery & {
      readonly aeTitle?: string | undefined
      readonly outcome: InspectionOutcome
    },
  ): PageOf<InspectionSummary>
  /** @throws StoreError seal-broken */
  read(inspectionId: number): (InspectionRecord & InspectionSummary) | undefined
  /**
   * Distinct results that the device itself was sent rows of, newest first, out of its last 10,000
   * queries.
   */
  handedOut(callingAeTitle: string, limit: number): HandedOutAnswer[]
  /**
   * As `handedOut`, with those of which every row was filtered or withheld, out of its last 2,000
   * queries.
   */
  answered(callingAeTitle: string, limit: number): HandedOutAnswer[]
  /** The newest query of the device itself. */
  last(callingAeTitle: string): InspectionSummary | undefined
  /** Forgets at most `limit` queries received before the instant. */
  purge(before: Instant, limit?: number): number
  /**
   * Queries since the instant, their rows sent and withheld, and how many ended neither in success
   * nor in a cancel.
   */
  today(since: Instant): { queries: number; rowsSent: number; failures: number; withheld: number }
}

const SUMMARY = [
  'inspectionId',
  'at',
  'origin',
  'deviceName',
  'callingAeTitle',
  'calledAeTitle',
  'remoteAddress',
  'source',
  'status',
  'errorComment',
  'fault',
  'sent',
  'filtered',
  'withheld',
  'tookMs',
  'partnerMs',
  'sentence',
  'repeats',
  'lastAt',
] as const satisfies (keyof InspectionSummary)[]

// 0000 success, FE00 cancel (PS3.4 K.4.1.1.4). Word for word the conditions of the partial indexes
// of migration 1.
const FAILED = sql<boolean>`status not in ('0000', 'FE00')`
const OUTCOMES = {
  all: sql<boolean>`true`,
  rows: sql<boolean>`sent > 0`,
  empty: sql<boolean>`sent = 0 and status = '0000'`,
  failed: FAILED,
  withheld: sql<boolean>`withheld > 0`,
} as const satisfies Record<InspectionOutcome, unknown>

export function inspectionsStore(db: Database, seal: Seal): InspectionsStore {
  return {
    insert({ detail, ...summary }) {
      const row = { ...summary, sealedDetail: seal.seal(detail, 'inspection') }
      return db.run(db.sql.insertInto('inspections').values(row)).lastInsertRowid
    },
    repeat(inspectionId, times, lastAt) {
      db.run(
        db.sql
          .updateTable('inspections')
          .set({ repeats: sql<number>`repeats + ${times}`, lastAt })
          .where('inspectionId', '=', inspectionId),
      )
    },
    list({ cursor, limit, aeTitle, outcome }) {
      const before = numberAfter(cursor)
      const rows = db.all(
        db.sql
          .selectFrom('inspections')
          .select(SUMMARY)
          .$if(before !== undefined, (query) => query.where('inspectionId', '<', before ?? 0))
          .$if(aeTitle !== undefined, (query) => query.where('callingAeTitle', '=', aeTitle ?? ''))
          .$if(outcome !== 'all', (query) => query.where(OUTCOMES[outcome]))
          .orderBy('inspectionId', 'desc')
          .limit(limit + 1),
      )
      return pageOf(rows as InspectionSummary[], limit, (row) => row.inspectionId)
    },
    read(inspectionId) {
      const row = db.get(
        db.sql.selectFrom('inspections').selectAll().where('inspectionId', '=', inspectionId),
      )
      if (row === undefined) return undefined
      const { sealedDetail, ...summary } = row
      return { ...summary, detail: seal.open(sealedDetail, 'inspection') } as InspectionRecord &
        InspectionSummary
    },
    handedOut: (callingAeTitle, limit) =>
      results(db, callingAeTitle, { limit, leastSent: 1, scanned: 10_000 }),
    answered: (callingAeTitle, limit) =>
      results(db, callingAeTitle, { limit, leastSent: 0, scanned: 2000 }),
    last: (callingAeTitle) =>
      db.get(
        db.sql
          .selectFrom('inspections')
          .select(SUMMARY)
          .where('callingAeTitle', '=', callingAeTitle)
          .where('origin', '=', 'device')
          .orderBy('inspectionId', 'desc')
          .limit(1),
      ) as InspectionSummary | undefined,
    purge: (before, limit = 1000) =>
      db.run(
        db.sql
          .deleteFrom('inspections')
          .where(
            'inspectionId',
            'in',
            db.sql
              .selectFrom('inspections')
              .select('inspectionId')
              .where('at', '<', before)
              .limit(limit),
          ),
      ).changes,
    today: (since) =>
      db.get(
        db.sql
          .selectFrom('inspections')
          .select([
            sql<number>`total(1 + repeats)`.as('queries'),
            sql<number>`total(sent * (1 + repeats))`.as('rowsSent'),
            sql<number>`total((${FAILED}) * (1 + repeats))`.as('failures'),
            sql<number>`total(withheld * (1 + repeats))`.as('withheld'),
          ])
          .where('at', '>=', since),
      ) ?? { queries: 0, rowsSent: 0, failures: 0, withheld: 0 },
  }
}

interface Results {
  readonly limit: number
  readonly leastSent: number
  /** Queries that are looked at. */
  readonly scanned: number
}

const results = (
  db: Database,
  callingAeTitle: string,
  { limit, leastSent, scanned }: Results,
): HandedOutAnswer[] =>
  db
    .all(
      db.sql
        .selectFrom(
          db.sql
            .selectFrom('inspections')
            .select(['inspectionId', 'answerHash', 'verdictHash', 'at', 'remoteAddress'])
            .where('callingAeTitle', '=', callingAeTitle)
            .where('origin', '=', 'device')
            .where('sent', '>=', leastSent)
            .where('answerHash', 'is not', null)
            .where('verdictHash', 'is not', null)
            .orderBy('inspectionId', 'desc')
            .limit(scanned)
            .as('sent'),
        )
        // SQLite takes the other columns from the row that has the maximum.
        .select(({ fn }) => [
          fn.max('inspectionId').as('newest'),
          'answerHash',
          'verdictHash',
          'at',
          'remoteAddress',
        ])
        .groupBy(['answerHash', 'verdictHash'])
        .orderBy('newest', 'desc')
        .limit(limit),
    )
    .map(({ newest: _, ...row }) => row as HandedOutAnswer)
