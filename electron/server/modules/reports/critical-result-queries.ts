import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import type { Communication } from '#shared/contract/reports.ts'

/** A critical result: what was found and who was told of it, sealed at rest. */
export interface CriticalResultRecord {
  readonly reportId: string
  readonly studyId: string
  /** When the report was signed. */
  readonly openedAt: string
  /** Null: nobody was told yet. */
  readonly communicatedAt: string | null
  readonly finding: string
  /** `recordedBy`: the user who documented it. */
  readonly communication:
    | (Communication & { readonly recordedBy: { readonly userId: string; readonly name: string } })
    | null
}

export interface CriticalResultsStore {
  get(reportId: string): CriticalResultRecord | undefined
  /** Those that nobody was told of, oldest first. */
  open(limit: number): CriticalResultRecord[]
  insert(result: CriticalResultRecord): void
  update(result: CriticalResultRecord): void
}

export function criticalResultsStore(db: Database, seal: Seal): CriticalResultsStore {
  const every = db.sql.selectFrom('criticalResults').selectAll()
  const recordOf = ({ sealedDetail, ...row }: StoredResult): CriticalResultRecord => ({
    ...row,
    ...(JSON.parse(seal.open(sealedDetail, contextOf(row.reportId)).toString()) as Detail),
  })
  const rowOf = ({ finding, communication, ...row }: CriticalResultRecord): StoredResult => ({
    ...row,
    sealedDetail: seal.seal(
      Buffer.from(JSON.stringify({ finding, communication } satisfies Detail)),
      contextOf(row.reportId),
    ),
  })
  return {
    get(reportId) {
      const row = db.get(every.where('reportId', '=', reportId))
      return row && recordOf(row)
    },
    open: (limit) =>
      db
        .all(
          every
            .where('communicatedAt', 'is', null)
            .orderBy('openedAt')
            .orderBy('reportId')
            .limit(limit),
        )
        .map(recordOf),
    insert: (result) => void db.run(db.sql.insertInto('criticalResults').values(rowOf(result))),
    update(result) {
      const { communicatedAt, sealedDetail } = rowOf(result)
      db.run(
        db.sql
          .updateTable('criticalResults')
          .set({ communicatedAt, sealedDetail })
          .where('reportId', '=', result.reportId),
      )
    },
  }
}

type Detail = Pick<CriticalResultRecord, 'finding' | 'communication'>
type StoredResult = Omit<CriticalResultRecord, keyof Detail> & { readonly sealedDetail: Buffer }
const contextOf = (reportId: string) => `critical result ${reportId}`
