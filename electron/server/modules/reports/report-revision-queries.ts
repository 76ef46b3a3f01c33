import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'

/** The text of a draft as it was saved once; sealed at rest. */
export interface ReportRevisionRecord {
  readonly reportId: string
  /** From 1. */
  readonly revision: number
  readonly userId: string
  readonly windowId: string
  readonly at: string
  readonly text: string
}

/** They go with their draft, and when it is signed. */
export interface ReportRevisionsStore {
  /** Keeps the revision, and forgets all but the newest `most` of its report. */
  append(revision: ReportRevisionRecord, most: number): void
  read(reportId: string, revision: number): ReportRevisionRecord | undefined
  /** The newest one. */
  latest(reportId: string): ReportRevisionRecord | undefined
  /** Newest first. */
  list(reportId: string): ReportRevisionRecord[]
  /** Forgets all of the report. */
  clear(reportId: string): void
}

export function reportRevisionsStore(db: Database, seal: Seal): ReportRevisionsStore {
  const of = (reportId: string) =>
    db.sql.selectFrom('reportRevisions').selectAll().where('reportId', '=', reportId)
  const recordOf = ({
    sealedText,
    ...row
  }: Omit<ReportRevisionRecord, 'text'> & { sealedText: Buffer }): ReportRevisionRecord => ({
    ...row,
    text: seal.open(sealedText, contextOf(row.reportId, row.revision)).toString(),
  })
  return {
    append: ({ text, ...row }, most) =>
      db.transaction(() => {
        const sealedText = seal.seal(Buffer.from(text), contextOf(row.reportId, row.revision))
        db.run(db.sql.insertInto('reportRevisions').values({ ...row, sealedText }))
        db.run(
          db.sql
            .deleteFrom('reportRevisions')
            .where('reportId', '=', row.reportId)
            .where('revision', '<=', row.revision - most),
        )
      }),
    read(reportId, revision) {
      const row = db.get(of(reportId).where('revision', '=', revision))
      return row && recordOf(row)
    },
    latest(reportId) {
      const row = db.get(of(reportId).orderBy('revision', 'desc').limit(1))
      return row && recordOf(row)
    },
    list: (reportId) => db.all(of(reportId).orderBy('revision', 'desc')).map(recordOf),
    clear: (reportId) =>
      void db.run(db.sql.deleteFrom('reportRevisions').where('reportId', '=', reportId)),
  }
}

const contextOf = (reportId: string, revision: number) => `report revision ${reportId} ${revision}`
