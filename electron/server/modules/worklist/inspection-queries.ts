import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type PageOf, type PageQuery, pageOf, readNumericCursor } from '#server/database/page.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { storedMessage } from '#shared/messages/message.ts'
import { messageFromStored } from '#shared/messages/message-schema.ts'

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
export interface SentAnswer {
  readonly answerHash: string
  readonly verdictHash: string
  readonly at: Instant
  readonly remoteAddress: string
}

export type InspectionOutcome = 'all' | 'rows' | 'empty' | 'failed' | 'withheld'

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

/** Its id. */
export function insertInspection(
  database: Database,
  { detail, sentence, ...summary }: InspectionRecord,
): number {
  const sealedDetail = database.seal.seal(detail, 'inspection')
  const row = { ...summary, sentence: storedMessage(sentence), sealedDetail }
  return database.run(database.sql.insertInto('inspections').values(row)).lastInsertRowid
}

/**
 * It was asked and answered so `times` more, last at the instant; one that is kept no more is
 * left out.
 */
export function repeatInspection(
  database: Database,
  inspectionId: number,
  times: number,
  lastAt: Instant,
): void {
  database.run(
    database.sql
      .updateTable('inspections')
      .set({ repeats: sql<number>`repeats + ${times}`, lastAt })
      .where('inspectionId', '=', inspectionId),
  )
}

/** Newest first. */
export function listInspections(
  database: Database,
  {
    cursor,
    limit,
    aeTitle,
    outcome,
  }: PageQuery & {
    readonly aeTitle?: string | undefined
    readonly outcome: InspectionOutcome
  },
): PageOf<InspectionSummary> {
  const before = readNumericCursor(cursor)
  const rows = database.all(
    database.sql
      .selectFrom('inspections')
      .select(SUMMARY)
      .$if(before !== undefined, (query) => query.where('inspectionId', '<', before ?? 0))
      .$if(aeTitle !== undefined, (query) => query.where('callingAeTitle', '=', aeTitle ?? ''))
      .$if(outcome !== 'all', (query) => query.where(OUTCOMES[outcome]))
      .orderBy('inspectionId', 'desc')
      .limit(limit + 1),
  )
  return pageOf(rows.map(summaryOf), limit, (row) => row.inspectionId)
}

const summaryOf = <Row extends { readonly sentence: string }>({ sentence, ...row }: Row) =>
  ({ ...row, sentence: messageFromStored(sentence) }) as Omit<Row, 'sentence'> & InspectionSummary

/** @throws StoreError seal-broken */
export function readInspection(
  database: Database,
  inspectionId: number,
): (InspectionRecord & InspectionSummary) | undefined {
  const row = database.get(
    database.sql.selectFrom('inspections').selectAll().where('inspectionId', '=', inspectionId),
  )
  if (row === undefined) return undefined
  const { sealedDetail, ...summary } = summaryOf(row)
  return { ...summary, detail: database.seal.open(sealedDetail, 'inspection') }
}

/**
 * Distinct results that the device itself was sent rows of, newest first, out of its last 10,000
 * queries.
 */
export const listSentAnswers = (
  database: Database,
  callingAeTitle: string,
  limit: number,
): SentAnswer[] => results(database, callingAeTitle, { limit, leastSent: 1, scanned: 10_000 })

/**
 * As `listSentAnswers`, with those of which every row was filtered or withheld, out of its last 2,000
 * queries.
 */
export const listGivenAnswers = (
  database: Database,
  callingAeTitle: string,
  limit: number,
): SentAnswer[] => results(database, callingAeTitle, { limit, leastSent: 0, scanned: 2000 })

/** The newest query of the device itself. */
export function findLastInspection(
  database: Database,
  callingAeTitle: string,
): InspectionSummary | undefined {
  const row = database.get(
    database.sql
      .selectFrom('inspections')
      .select(SUMMARY)
      .where('callingAeTitle', '=', callingAeTitle)
      .where('origin', '=', 'device')
      .orderBy('inspectionId', 'desc')
      .limit(1),
  )
  return row && summaryOf(row)
}

/** Forgets at most `limit` queries received before the instant. */
export const purgeInspections = (
  database: Database,
  before: Instant,
  limit: number = 1000,
): number =>
  database.run(
    database.sql
      .deleteFrom('inspections')
      .where(
        'inspectionId',
        'in',
        database.sql
          .selectFrom('inspections')
          .select('inspectionId')
          .where('at', '<', before)
          .limit(limit),
      ),
  ).changes

/**
 * Queries since the instant, their rows sent and withheld, and how many ended neither in success
 * nor in a cancel.
 */
export const countInspectionsSince = (
  database: Database,
  since: Instant,
): { queries: number; rowsSent: number; failures: number; withheld: number } =>
  database.get(
    database.sql
      .selectFrom('inspections')
      .select([
        sql<number>`total(1 + repeats)`.as('queries'),
        sql<number>`total(sent * (1 + repeats))`.as('rowsSent'),
        sql<number>`total((${FAILED}) * (1 + repeats))`.as('failures'),
        sql<number>`total(withheld * (1 + repeats))`.as('withheld'),
      ])
      .where('at', '>=', since),
  ) ?? { queries: 0, rowsSent: 0, failures: 0, withheld: 0 }

/** Queries by how they ended. */
export interface QueryTally {
  /** From an answer of the partner that was given or still fresh; or cancelled by the device. */
  readonly answered: number
  /** From the last good answer, since the partner gave none. */
  readonly stored: number
  readonly failed: number
}

const ANSWERED_STORED = sql<boolean>`status in ('0000', 'FE00') and source in ('stored', 'downtime')`
const ANSWERED_LIVE = sql<boolean>`status in ('0000', 'FE00') and source not in ('stored', 'downtime')`

/** Queries received from `from` until before `to`, with those that repeated them. */
export const tallyInspections = (
  database: Database,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): QueryTally =>
  database.get(
    database.sql
      .selectFrom('inspections')
      .select([
        sql<number>`total((${ANSWERED_LIVE}) * (1 + repeats))`.as('answered'),
        sql<number>`total((${ANSWERED_STORED}) * (1 + repeats))`.as('stored'),
        sql<number>`total((${FAILED}) * (1 + repeats))`.as('failed'),
      ])
      .where('at', '>=', from)
      .where('at', '<', to),
  ) ?? { answered: 0, stored: 0, failed: 0 }

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
): SentAnswer[] =>
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
    .map(({ newest: _, ...row }) => row as SentAnswer)
