import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'

/** What is known of a PDF without opening it. */
export interface ReportPdfEntry {
  readonly reportId: string
  /** Of the PDF, hex. */
  readonly sha256: string
  readonly pages: number
  /** Of the PDF, before it is sealed. */
  readonly bytes: number
  readonly createdAt: string
}

/**
 * The PDF of each signed report, sealed, in the database: one transaction holds it and the
 * signature (docs/decisions/0016). It is never changed.
 */
export interface ReportPdfsStore {
  insert(pdf: Omit<ReportPdfEntry, 'bytes'> & { readonly content: Buffer }): void
  entry(reportId: string): ReportPdfEntry | undefined
  /** At most so many, as chance has it. */
  sample(count: number): ReportPdfEntry[]
  /** The bytes as they were rendered. @throws StoreError seal-broken */
  read(reportId: string): Buffer | undefined
}

const ENTRY = ['reportId', 'sha256', 'pages', 'bytes', 'createdAt'] as const

export function reportPdfsStore(db: Database, seal: Seal): ReportPdfsStore {
  const of = (reportId: string) => db.sql.selectFrom('reportPdfs').where('reportId', '=', reportId)
  return {
    insert: ({ content, ...row }) =>
      void db.run(
        db.sql.insertInto('reportPdfs').values({
          ...row,
          bytes: content.length,
          sealedPdf: seal.seal(content, contextOf(row.reportId, row.sha256)),
        }),
      ),
    entry: (reportId) => db.get(of(reportId).select(ENTRY)),
    sample: (count) =>
      db.all(
        db.sql
          .selectFrom('reportPdfs')
          .select(ENTRY)
          // By their ids alone: the pages of the PDFs are not read for it.
          .where(
            'reportId',
            'in',
            db.sql.selectFrom('reportPdfs').select('reportId').orderBy(sql`random()`).limit(count),
          ),
      ),
    read(reportId) {
      const row = db.get(of(reportId).select(['sealedPdf', 'sha256']))
      return row && seal.open(row.sealedPdf, contextOf(reportId, row.sha256))
    },
  }
}

const contextOf = (reportId: string, sha256: string) => `report PDF ${reportId} ${sha256}`
