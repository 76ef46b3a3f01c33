import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type { HandedOutRow } from '#server/modules/studies/image-study-row.ts'
import type { ReconciliationDecision } from '#shared/contract/reconciliation.ts'

type Kind = ReconciliationDecision['kind']

/**
 * What a person decided about an exam without an order (`link`, `keep`) or an order without images.
 */
export interface ReconciliationRecord {
  readonly decisionId: number
  readonly kind: Kind
  /** `YYYY-MM-DD`, of the exam or the order in the clinic. */
  readonly day: string
  readonly imageStudyUid: string | null
  /** With the sealed details: as the worklist had it. */
  readonly order: Omit<HandedOutRow, 'callingAeTitle' | 'at' | 'linkedBy'> | null
  readonly reason: string
  readonly userId: string
  readonly userName: string
  readonly at: string
}

interface Stored {
  readonly decisionId: number
  readonly kind: Kind
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
// The conditions of the partial index word for word.
const IS_UNSCHEDULED = `s.sealedHandedOut is null and s.isFetched = 0 and s.remoteAddress <> ''
  and s.state = 'settled' and s.instances > 0
  and not exists (select 1 from studies y where y.area = 'scribe' and y.studyInstanceUid = s.studyInstanceUid
    and (y.createdByApiKeyId is not null or y.createdByUserId is not null))
  and not exists (select 1 from reconciliations r
    where r.imageStudyUid = s.studyInstanceUid and r.undoneAt is null)`
const UNSCHEDULED = `select s.studyInstanceUid from imageStudies s indexed by imageStudiesUnscheduled
  where ${IS_UNSCHEDULED} and s.createdAt >= ? and s.createdAt < ? order by s.createdAt, s.studyInstanceUid limit ?`
const UNPLANNED = `
  select count(*) as count, min(createdAt) as since from (
    select s.createdAt from imageStudies s indexed by imageStudiesUnscheduled
    where ${IS_UNSCHEDULED} and s.createdAt >= ? limit ?)`
// Where no partner is set at all, it is not away.
const FAULT = `from inspections indexed by inspectionsWithFault where fault is not null and fault <> 'no-endpoint'`

/** @throws one holds for the exam or the order already (a constraint of the database) */
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

/** Those that were not undone. */
export const findReconciliation = (
  database: Database,
  decisionId: number,
): ReconciliationRecord | undefined => one(database, 'decisionId = ?', [decisionId])

export const findReconciliationOfImages = (
  database: Database,
  uid: string,
): ReconciliationRecord | undefined => one(database, 'imageStudyUid = ?', [uid])

export const findReconciliationOfOrder = (
  database: Database,
  uid: string,
  step: string,
): ReconciliationRecord | undefined =>
  one(database, 'orderStudyUid = ? and scheduledProcedureStepId = ?', [uid, step])

/** Of these days, both included, in the order they were made. */
export const listReconciliations = (
  database: Database,
  fromDay: string,
  toDay: string,
): ReconciliationRecord[] =>
  database
    .all(rawQuery<Stored>(`${SELECT} day between ? and ? order by decisionId`, [fromDay, toDay]))
    .map((row) => recordOf(database, row))

/** Whether it held until now. */
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
 * Studies with images of a device that came between the instants (the second excluded) and belong
 * to no order, the first first: no row of the worklist was sent for them or linked, and no
 * partner and no person created a study for them. Those that are kept as unscheduled are left
 * out.
 */
export const listUnscheduledStudies = (
  database: Database,
  from: string,
  to: string,
  limit: number,
): string[] =>
  database
    .all(rawQuery<{ studyInstanceUid: string }>(UNSCHEDULED, [from, to, limit]))
    .map(({ studyInstanceUid }) => studyInstanceUid)

/**
 * Studies with images that began to arrive since the instant and belong to no order
 * (see `listUnscheduledStudies`); counting stops at `most`.
 */
export const countUnplannedStudies = (
  database: Database,
  since: string,
  most: number,
): { readonly count: number; readonly since: string | null } =>
  database.get(rawQuery<{ count: number; since: string | null }>(UNPLANNED, [since, most])) ?? {
    count: 0,
    since: null,
  }

/**
 * Whether a query could not be answered by the partner between the instants, the second excluded.
 */
export const hadWorklistFault = (database: Database, from: string, to: string): boolean =>
  database.get(rawQuery(`select 1 ${FAULT} and at >= ? and at < ? limit 1`, [from, to])) !==
  undefined

/** When the partner last did not answer a query. */
export const findLastWorklistFault = (database: Database): string | undefined =>
  database.get(rawQuery<{ at: string }>(`select at ${FAULT} order by at desc limit 1`, []))?.at

const contextOf = (of: Pick<ReconciliationRecord, 'kind' | 'at'>) =>
  `reconciliation ${of.kind} ${of.at}`

const recordOf = (database: Database, { sealedDetails, ...row }: Stored): ReconciliationRecord => ({
  ...row,
  ...(JSON.parse(database.seal.open(sealedDetails, contextOf(row)).toString()) as Details),
})

function one(database: Database, where: string, parameters: readonly unknown[]) {
  const row = database.get(rawQuery<Stored>(`${SELECT} ${where}`, parameters))
  return row && recordOf(database, row)
}
