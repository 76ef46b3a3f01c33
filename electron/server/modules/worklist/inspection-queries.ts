import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type PageOf, type PageQuery, pageOf, readNumericCursor } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { storedMessage } from '#shared/messages/message.ts'
import { messageFromStored } from '#shared/messages/message-schema.ts'

/** A query that is recorded for the first time. */
export type NewInspection = Omit<InspectionSummary, 'inspectionId' | 'repeats' | 'lastAt'>

/**
 * A worklist query as recorded. The summary contains no patient data; `detail` is encrypted at
 * rest.
 */
export interface InspectionRecord extends NewInspection {
  readonly transferSyntax: string
  /** What the inspector needs to show the query, serialized by `inspections.ts`. */
  readonly detail: Buffer
  /** Hash of the partner's answer that it was served from, in `documents`; null for none. */
  readonly answerHash: string | null
  /** Hash of the verdicts on the rows of that answer, in `documents`; null for none. */
  readonly verdictHash: string | null
}

/** What a device was sent, and the last query that was answered with it. */
export interface SentAnswer {
  readonly answerHash: string
  readonly verdictHash: string
  readonly at: Instant
  readonly remoteAddress: string
}

export type InspectionOutcome = 'all' | 'rows' | 'empty' | 'failed' | 'withheld'

const SUMMARY_COLUMNS = [
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

// 0000 is success, FE00 is cancel (PS3.4 K.4.1.1.4). The text must equal the conditions of the
// partial indexes of migration 1.
const IS_FAILED = sql<boolean>`status not in ('0000', 'FE00')`
const OUTCOME_CONDITIONS = {
  all: sql<boolean>`true`,
  rows: sql<boolean>`sent > 0`,
  empty: sql<boolean>`sent = 0 and status = '0000'`,
  failed: IS_FAILED,
  withheld: sql<boolean>`withheld > 0`,
} as const satisfies Record<InspectionOutcome, unknown>

/** Records a query and returns its ID. */
export function insertInspection(
  database: Database,
  { detail, sentence, ...summary }: InspectionRecord,
): number {
  const sealedDetail = database.seal.seal(detail, 'inspection')
  const row = { ...summary, sentence: storedMessage(sentence), sealedDetail }
  // Not built with kysely, which takes longer than the insert itself.
  const columns = Object.keys(row)
  const text = `insert into inspections (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
  return database.run(rawQuery(text, Object.values(row))).lastInsertRowid
}

/**
 * Counts `times` more repetitions of a query, the last one at `lastAt`. Does nothing if the record
 * has been deleted.
 */
export function recordRepeats(
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

/** One page of recorded queries, newest first. */
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
      .select(SUMMARY_COLUMNS)
      .$if(before !== undefined, (query) => query.where('inspectionId', '<', before ?? 0))
      .$if(aeTitle !== undefined, (query) => query.where('callingAeTitle', '=', aeTitle ?? ''))
      .$if(outcome !== 'all', (query) => query.where(OUTCOME_CONDITIONS[outcome]))
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
 * Distinct results with at least one row that were sent to the device, newest first, among its last
 * 10,000 queries.
 */
export const listSentAnswers = (
  database: Database,
  callingAeTitle: string,
  limit: number,
): SentAnswer[] => listResults(database, callingAeTitle, { limit, minSent: 1, scanned: 10_000 })

/**
 * Like `listSentAnswers`, but includes results of which every row was filtered or withheld, among
 * its last 2,000 queries.
 */
export const listServedAnswers = (
  database: Database,
  callingAeTitle: string,
  limit: number,
): SentAnswer[] => listResults(database, callingAeTitle, { limit, minSent: 0, scanned: 2000 })

/** The newest query that the device made itself. */
export function findLastInspection(
  database: Database,
  callingAeTitle: string,
): InspectionSummary | undefined {
  const row = database.get(
    database.sql
      .selectFrom('inspections')
      .select(SUMMARY_COLUMNS)
      .where('callingAeTitle', '=', callingAeTitle)
      .where('origin', '=', 'device')
      .orderBy('inspectionId', 'desc')
      .limit(1),
  )
  return row && summaryOf(row)
}

/**
 * Deletes at most `limit` queries received before the instant and returns how many were deleted.
 */
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
 * Counts the queries since the instant, their rows sent and withheld, and those that ended neither
 * in success nor in cancel.
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
        sql<number>`total((${IS_FAILED}) * (1 + repeats))`.as('failures'),
        sql<number>`total(withheld * (1 + repeats))`.as('withheld'),
      ])
      .where('at', '>=', since),
  ) ?? { queries: 0, rowsSent: 0, failures: 0, withheld: 0 }

/** Number of queries by outcome. */
export interface QueryTally {
  /** Answered from a current or cached answer of the partner, or cancelled by the device. */
  readonly answered: number
  /** Answered from the last valid answer, because the partner did not answer. */
  readonly stored: number
  readonly failed: number
}

const ANSWERED_STORED = sql<boolean>`status in ('0000', 'FE00') and source in ('stored', 'downtime')`
const ANSWERED_LIVE = sql<boolean>`status in ('0000', 'FE00') and source not in ('stored', 'downtime')`

/** Counts the queries received from `from` (inclusive) to `to` (exclusive), including repeats. */
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
        sql<number>`total((${IS_FAILED}) * (1 + repeats))`.as('failed'),
      ])
      .where('at', '>=', from)
      .where('at', '<', to),
  ) ?? { answered: 0, stored: 0, failed: 0 }

interface ResultFilter {
  readonly limit: number
  readonly minSent: number
  /** Number of queries examined. */
  readonly scanned: number
}

const listResults = (
  db: Database,
  callingAeTitle: string,
  { limit, minSent, scanned }: ResultFilter,
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
            .where('sent', '>=', minSent)
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
