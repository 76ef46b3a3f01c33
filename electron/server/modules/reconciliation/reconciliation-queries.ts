import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { HandedOutRow } from '#server/modules/images/image-study-queries.ts'
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

export interface ReconciliationsStore {
  /** @throws one holds for the exam or the order already (a constraint of the database) */
  insert(record: Omit<ReconciliationRecord, 'decisionId'>): ReconciliationRecord
  /** Those that were not undone. */
  get(decisionId: number): ReconciliationRecord | undefined
  ofImages(studyInstanceUid: string): ReconciliationRecord | undefined
  ofOrder(
    studyInstanceUid: string,
    scheduledProcedureStepId: string,
  ): ReconciliationRecord | undefined
  /** Of these days, both included, in the order they were made. */
  between(fromDay: string, toDay: string): ReconciliationRecord[]
  /** Whether it held until now. */
  undo(decisionId: number, at: string, userId: string): boolean
  /**
   * Studies with images of a device that came between the instants (the second excluded) and belong
   * to no order, the first first: no row of the worklist was sent for them or linked, and no
   * partner and no person created a study for them. Those that are kept as unscheduled are left
   * out.
   */
  unscheduled(from: string, to: string, limit: number): string[]
  /**
   * Whether a query could not be answered by the partner between the instants, the second excluded.
   */
  hadFault(from: string, to: string): boolean
  /** When the partner last did not answer a query. */
  lastFault(): string | undefined
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
export const IS_UNSCHEDULED = `s.sealedHandedOut is null and s.isFetched = 0 and s.remoteAddress <> ''
  and s.state = 'settled' and s.instances > 0
  and not exists (select 1 from studies y where y.area = 'scribe' and y.studyInstanceUid = s.studyInstanceUid
    and (y.createdByApiKeyId is not null or y.createdByUserId is not null))
  and not exists (select 1 from reconciliations r
    where r.imageStudyUid = s.studyInstanceUid and r.undoneAt is null)`
const UNSCHEDULED = `select s.studyInstanceUid from imageStudies s indexed by imageStudiesUnscheduled
  where ${IS_UNSCHEDULED} and s.createdAt >= ? and s.createdAt < ? order by s.createdAt, s.studyInstanceUid limit ?`
// Where no partner is set at all, it is not away.
const FAULT = `from inspections indexed by inspectionsWithFault where fault is not null and fault <> 'no-endpoint'`

export function reconciliationsStore(db: Database, seal: Seal): ReconciliationsStore {
  const contextOf = (of: Pick<ReconciliationRecord, 'kind' | 'at'>) =>
    `reconciliation ${of.kind} ${of.at}`
  const recordOf = ({ sealedDetails, ...row }: Stored): ReconciliationRecord => ({
    ...row,
    ...(JSON.parse(seal.open(sealedDetails, contextOf(row)).toString()) as Details),
  })
  const one = (where: string, parameters: readonly unknown[]) => {
    const row = db.get(rawQuery<Stored>(`${SELECT} ${where}`, parameters))
    return row && recordOf(row)
  }

  return {
    insert({ kind, day, imageStudyUid, order, reason, userId, userName, at }) {
      const details: Details = { order, reason, userName }
      const sealed = seal.seal(Buffer.from(JSON.stringify(details)), contextOf({ kind, at }))
      const keys = [order?.studyInstanceUid ?? null, order?.scheduledProcedureStepId ?? null]
      const values = [kind, day, imageStudyUid, ...keys, sealed, userId, at]
      const { lastInsertRowid: decisionId } = db.run(rawQuery(INSERT, values))
      return { decisionId, kind, day, imageStudyUid, userId, at, ...details }
    },
    get: (decisionId) => one('decisionId = ?', [decisionId]),
    ofImages: (uid) => one('imageStudyUid = ?', [uid]),
    ofOrder: (uid, step) => one('orderStudyUid = ? and scheduledProcedureStepId = ?', [uid, step]),
    between: (fromDay, toDay) =>
      db
        .all(
          rawQuery<Stored>(`${SELECT} day between ? and ? order by decisionId`, [fromDay, toDay]),
        )
        .map(recordOf),
    undo: (decisionId, at, userId) =>
      db.run(
        rawQuery(
          'update reconciliations set undoneAt = ?, undoneBy = ? where decisionId = ? and undoneAt is null',
          [...[at, userId, decisionId]],
        ),
      ).changes > 0,
    unscheduled: (from, to, limit) =>
      db
        .all(rawQuery<{ studyInstanceUid: string }>(UNSCHEDULED, [from, to, limit]))
        .map(({ studyInstanceUid }) => studyInstanceUid),
    hadFault: (from, to) =>
      db.get(rawQuery(`select 1 ${FAULT} and at >= ? and at < ? limit 1`, [from, to])) !==
      undefined,
    lastFault: () =>
      db.get(rawQuery<{ at: string }>(`select at ${FAULT} order by at desc limit 1`, []))?.at,
  }
}
