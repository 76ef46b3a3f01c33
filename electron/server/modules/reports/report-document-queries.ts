import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { ReportTables } from '#server/database/tables/reports.ts'

// The tables reportPdfs and reportObjects: the PDF of each signed report, and its copies as DICOM
// objects. A PDF is in the database, encrypted, so that one transaction holds it and the signature
// (docs/decisions/0016). It is never changed.

const ENTRY = ['reportId', 'sha256', 'pages', 'bytes', 'createdAt'] as const
/**
 * What is known of a PDF without decrypting it: the SHA-256 in hex and the number of its bytes are
 * those of the PDF.
 */
export type ReportPdfEntry = Pick<Selectable<ReportTables['reportPdfs']>, (typeof ENTRY)[number]>

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
  database.get(database.sql.selectFrom('reportPdfs').select(ENTRY).where('reportId', '=', reportId))

/** At most `count`, chosen at random. */
export function sampleReportPdfs(database: Database, count: number): ReportPdfEntry[] {
  const pdfs = database.sql.selectFrom('reportPdfs')
  // Chosen by their ids alone: the pages of the database that hold the PDFs are not read for it.
  const chosen = pdfs.select('reportId').orderBy(sql`random()`).limit(count)
  return database.all(pdfs.select(ENTRY).where('reportId', 'in', chosen))
}

/** The bytes as they were rendered. @throws StoreError seal-broken */
export function readReportPdf(database: Database, reportId: string): Buffer | undefined {
  const row = database.get(
    database.sql.selectFrom('reportPdfs').selectAll().where('reportId', '=', reportId),
  )
  return row && database.seal.open(row.sealedPdf, contextOf(row))
}

const contextOf = ({ reportId, sha256 }: Pick<ReportPdfEntry, 'reportId' | 'sha256'>) =>
  `report PDF ${reportId} ${sha256}`

/** pdf: Encapsulated PDF; sr: Basic Text SR. */
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

/** The same one again changes nothing. */
export const insertReportObject = (database: Database, object: ReportObject) =>
  database.run(
    database.sql
      .insertInto('reportObjects')
      .values(object)
      .onConflict((old) => old.columns(['reportId', 'kind']).doNothing()),
  )
