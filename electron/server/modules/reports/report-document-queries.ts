import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { ReportTables } from '#server/database/tables/reports.ts'

// The tables reportPdfs and reportObjects: the PDF of each signed report, and its copies as DICOM
// objects. PDFs are encrypted in the database, so that a PDF and its signature are written in one
// transaction (docs/decisions/0016). They are never changed.

const ENTRY_COLUMNS = ['reportId', 'sha256', 'pages', 'bytes', 'createdAt'] as const
/**
 * The metadata of a PDF, readable without decrypting it: its SHA-256 in hex, its size in bytes and
 * its number of pages.
 */
export type ReportPdfEntry = Pick<
  Selectable<ReportTables['reportPdfs']>,
  (typeof ENTRY_COLUMNS)[number]
>

export const insertReportPdf = (
  database: Database,
  { content, ...row }: Omit<ReportPdfEntry, 'bytes'> & { readonly content: Buffer },
) =>
  database.run(
    database.sql.insertInto('reportPdfs').values({
      ...row,
      bytes: content.length,
      sealedPdf: database.seal.seal(content, contextOf(row)),
    }),
  )

export const findReportPdf = (database: Database, reportId: string): ReportPdfEntry | undefined =>
  database.get(
    database.sql.selectFrom('reportPdfs').select(ENTRY_COLUMNS).where('reportId', '=', reportId),
  )

/** Returns at most `count` PDFs, chosen at random. */
export function sampleReportPdfs(database: Database, count: number): ReportPdfEntry[] {
  const pdfs = database.sql.selectFrom('reportPdfs')
  // Chosen by ID only, so that the database pages that hold the PDFs are not read.
  const chosen = pdfs.select('reportId').orderBy(sql`random()`).limit(count)
  return database.all(pdfs.select(ENTRY_COLUMNS).where('reportId', 'in', chosen))
}

/**
 * The bytes of a PDF as they were rendered.
 * @throws StoreError seal-broken
 */
export function readReportPdf(database: Database, reportId: string): Buffer | undefined {
  const row = database.get(
    database.sql.selectFrom('reportPdfs').selectAll().where('reportId', '=', reportId),
  )
  return row && database.seal.open(row.sealedPdf, contextOf(row))
}

const contextOf = ({ reportId, sha256 }: Pick<ReportPdfEntry, 'reportId' | 'sha256'>) =>
  `report PDF ${reportId} ${sha256}`

/** A DICOM copy of a report. pdf: Encapsulated PDF; sr: Basic Text SR. */
export type ReportObject = Omit<Selectable<ReportTables['reportObjects']>, 'kind'> & {
  readonly kind: 'pdf' | 'sr'
}

export const listReportObjects = (database: Database, reportId: string) =>
  database.all(
    database.sql
      .selectFrom('reportObjects')
      .selectAll()
      .where('reportId', '=', reportId)
      .orderBy('kind'),
  ) as ReportObject[]

/** Records a copy. Does nothing if it is recorded already. */
export const insertReportObject = (database: Database, object: ReportObject) =>
  database.run(
    database.sql
      .insertInto('reportObjects')
      .values(object)
      .onConflict((old) => old.columns(['reportId', 'kind']).doNothing()),
  )
