import type { CorrectionInstant } from '#server/modules/corrections/correction-notice-queries.ts'
import type { Communication } from '#shared/contract/reports.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'

/** Who signs, as frozen at signing. */
export interface Signer {
  readonly userId: string
  readonly name: string
  readonly clinicRole: string
  readonly npiNumber: string | null
}

/** A report or an addendum, as it is signed. */
export interface ReportPart {
  readonly isAddendum: boolean
  readonly text: string
  /** SHA-256 of the UTF-8 text, hex. */
  readonly textHash: string
  readonly signer: Signer
  readonly signedAt: string
  readonly isCritical: boolean
  readonly finding: string | null
  readonly communication: Communication | null
  /** Of an addendum: the correction of the images that it follows. */
  readonly follows: CorrectionInstant | null
}

export interface ReportPdfInput {
  readonly clinicName: string
  /** Lines below the clinic's name. */
  readonly letterhead: string
  readonly paper: 'A4' | 'Letter'
  /** IANA name; instants are shown in it. */
  readonly timeZone: string
  readonly reportId: string
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly metadata: StudyReportMetadata
  /** The report first, then its addenda in their order; the last one is what is being signed. */
  readonly parts: readonly ReportPart[]
}

export interface ReportPdf {
  readonly bytes: Buffer
  readonly pages: number
  /** Of the bytes, hex. */
  readonly sha256: string
}

/**
 * The PDF of a signed report with its addenda. Deterministic: the same input, the same bytes. Fonts
 * are embedded, its text can be extracted, and the number of its bytes is even, as DICOM wants
 * values.
 */
export async function renderReportPdf(input: ReportPdfInput): Promise<ReportPdf> {
  // pdfkit and its fonts are loaded when the first report is signed, not when the gateway starts.
  const { renderedPdf } = await import('./report-pdf-drawing.ts')
  return renderedPdf(input)
}
