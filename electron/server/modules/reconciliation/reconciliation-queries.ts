import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import type { ReconciliationDecision } from '#shared/contract/reconciliation.ts'

type DecisionKind = ReconciliationDecision['kind']

/**
 * A user's decision about an exam without an order (`link`, `keep`) or an order without images
 * (`not-done`).
 */
export interface ReconciliationRecord {
  readonly decisionId: number
  readonly kind: DecisionKind
  /** Day of the exam or the order in the clinic, `YYYY-MM-DD`. */
  readonly day: string
  readonly imageStudyUid: string | null
  /** The worklist row of the order; encrypted at rest. */
  readonly order: Omit<SentWorklistRow, 'callingAeTitle' | 'at' | 'linkedBy'> | null
  readonly reason: string
  readonly userId: string
  readonly userName: string
  readonly at: string
}

interface StoredDecision {
  readonly decisionId: number
  readonly kind: DecisionKind
  readonly day: string
  readonly imageStudyUid: string | null
  readonly sealedDetails: Buffer
  readonly userId: string
  readonly at: string
}
type Details = Pick<ReconciliationRecord, 'order' | 'reason' | 'userName'>

const SELECT = `select decisionId, kind, day, imageStudyUid, sealedDetails, userId, at from reconciliations
  where undoneAt is null and`
const INSERT = `insert into reconciliations
    (kind, day, imageStudyUid, orderStudyUid, scheduledProcedureStepId, sealedDetails, userId, at)
  values (?, ?, ?, ?, ?, ?, ?, ?)`
// The text must equal the conditions of the partial index.
const UNSCHEDULED_CONDITION = `s.sealedHandedOut is null and s.isFetched = 0 and s.remoteAddress <> ''
  and s.state = 'settled' and s.instances > 0
  and not exists (select 1 from studies y where y.area = 'scribe' and y.studyInstanceUid = s.studyInstanceUid
    and (y.createdByApiKeyId is not null or y.createdByUserId is not null))
  and not exists (select 1 from reconciliations r
    where r.imageStudyUid = s.studyInstanceUid and r.undoneAt is null)`
const SELECT_UNSCHEDULED = `select s.studyInstanceUid from imageStudies s indexed by imageStudiesUnscheduled
  where ${UNSCHEDULED_CONDITION} and s.createdAt >= ? and s.createdAt < ? order by s.createdAt, s.studyInstanceUid limit ?`
const COUNT_UNSCHEDULED = `
  select count(*) as count, min(createdAt) as since from (
    select s.createdAt from imageStudies s indexed by imageStudiesUnscheduled
    where ${UNSCHEDULED_CONDITION} and s.createdAt >= ? limit ?)`
// A missing partner is not an outage.
const FROM_FAULTY_INSPECTIONS = `from inspections indexed by inspectionsWithFault where fault is not null and fault <> 'no-endpoint'`

/**
 * Records a decision.
 * @throws if the exam or the order has a decision already (constraint of the database)
 */
export function insertReconciliation(
  database: Database,
  {
    kind,
    day,
    imageStudyUid,
    order,
    reason,
    userId,
    userName,
    at,
  }: Omit<ReconciliationRecord, 'decisionId'>,
): ReconciliationRecord {
  const details: Details = { order, reason, userName }
  const sealed = database.seal.seal(Buffer.from(JSON.stringify(details)), contextOf({ kind, at }))
  const keys = [order?.studyInstanceUid ?? null, order?.scheduledProcedureStepId ?? null]
  const values = [kind, day, imageStudyUid, ...keys, sealed, userId, at]
  const { lastInsertRowid: decisionId } = database.run(rawQuery(INSERT, values))
  return { decisionId, kind, day, imageStudyUid, userId, at, ...details }
}

/** Returns a decision unless it was undone. */
export const findReconciliation = (
  database: Database,
  decisionId: number,
): ReconciliationRecord | undefined => findDecision(database, 'decisionId = ?', [decisionId])

export const findReconciliationOfImages = (
  database: Database,
  uid: string,
): ReconciliationRecord | undefined => findDecision(database, 'imageStudyUid = ?', [uid])

export const findReconciliationOfOrder = (
  database: Database,
  uid: string,
  step: string,
): ReconciliationRecord | undefined =>
  findDecision(database, 'orderStudyUid = ? and scheduledProcedureStepId = ?', [uid, step])

/** The decisions about these days, both inclusive, in the order in which they were made. */
export const listReconciliations = (
  database: Database,
  fromDay: string,
  toDay: string,
): ReconciliationRecord[] =>
  database
    .all(
      rawQuery<StoredDecision>(`${SELECT} day between ? and ? order by decisionId`, [
        fromDay,
        toDay,
      ]),
    )
    .map((row) => recordOf(database, row))

/** Marks a decision as undone. Returns false if it was undone already. */
export const setReconciliationUndone = (
  database: Database,
  decisionId: number,
  at: string,
  userId: string,
): boolean =>
  database.run(
    rawQuery(
      'update reconciliations set undoneAt = ?, undoneBy = ? where decisionId = ? and undoneAt is null',
      [...[at, userId, decisionId]],
    ),
  ).changes > 0

/**
 * Lists studies with images that a device sent between the instants (`to` exclusive) and that
 * belong to no order, oldest first: no worklist row was sent or linked for them, and neither a
 * partner nor a user created a study for them. Studies that are kept as unscheduled are excluded.
 */
export const listUnscheduledStudies = (
  database: Database,
  from: string,
  to: string,
  limit: number,
): string[] =>
  database
    .all(rawQuery<{ studyInstanceUid: string }>(SELECT_UNSCHEDULED, [from, to, limit]))
    .map(({ studyInstanceUid }) => studyInstanceUid)

/**
 * Counts studies whose first images arrived since the instant and that belong to no order (see
 * `listUnscheduledStudies`); stops counting at `most`.
 */
export const countUnscheduledStudies = (
  database: Database,
  since: string,
  most: number,
): { readonly count: number; readonly since: string | null } =>
  database.get(
    rawQuery<{ count: number; since: string | null }>(COUNT_UNSCHEDULED, [since, most]),
  ) ?? {
    count: 0,
    since: null,
  }

/** Whether a worklist request to the partner failed between the instants, `to` exclusive. */
export const hadWorklistFault = (database: Database, from: string, to: string): boolean =>
  database.get(
    rawQuery(`select 1 ${FROM_FAULTY_INSPECTIONS} and at >= ? and at < ? limit 1`, [from, to]),
  ) !== undefined

/** When a worklist request to the partner last failed. */
export const findLastWorklistFaultAt = (database: Database): string | undefined =>
  database.get(
    rawQuery<{ at: string }>(`select at ${FROM_FAULTY_INSPECTIONS} order by at desc limit 1`, []),
  )?.at

const contextOf = ({ kind, at }: Pick<ReconciliationRecord, 'kind' | 'at'>) =>
  `reconciliation ${kind} ${at}`

const recordOf = (
  database: Database,
  { sealedDetails, ...row }: StoredDecision,
): ReconciliationRecord => ({
  ...row,
  ...(JSON.parse(database.seal.open(sealedDetails, contextOf(row)).toString()) as Details),
})

function findDecision(database: Database, where: string, parameters: readonly unknown[]) {
  const row = database.get(rawQuery<StoredDecision>(`${SELECT} ${where}`, parameters))
  return row && recordOf(database, row)
}
