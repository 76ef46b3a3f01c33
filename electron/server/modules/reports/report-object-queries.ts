import type { Database } from '#server/database/database.ts'

/** A copy of a signed report as a DICOM object in the archive. */
export interface ReportObjectRecord {
  readonly reportId: string
  /** pdf: Encapsulated PDF; sr: Basic Text SR. */
  readonly kind: 'pdf' | 'sr'
  readonly sopInstanceUid: string
  readonly createdAt: string
}

export interface ReportObjectsStore {
  ofReport(reportId: string): ReportObjectRecord[]
  /** The same one again changes nothing. */
  insert(object: ReportObjectRecord): void
}

export const reportObjectsStore = (db: Database): ReportObjectsStore => ({
  ofReport: (reportId) =>
    db.all(
      db.sql
        .selectFrom('reportObjects')
        .selectAll()
        .where('reportId', '=', reportId)
        .orderBy('kind'),
    ) as ReportObjectRecord[],
  insert: (object) =>
    void db.run(
      db.sql
        .insertInto('reportObjects')
        .values(object)
        .onConflict((old) => old.columns(['reportId', 'kind']).doNothing()),
    ),
})
