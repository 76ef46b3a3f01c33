import type { ExamDay } from '#shared/contract/dashboard-exams.ts'

/** What is printed of a day. */
export interface WorklistSheetInput {
  readonly clinicName: string
  readonly paper: 'A4' | 'Letter'
  readonly language: 'en' | 'es'
  readonly day: ExamDay
  /** `HH:MM` in the clinic, of the newest answer that holds the day; '' where there is none. */
  readonly listedAt: string
  /** `YYYY-MM-DD HH:MM` in the clinic. */
  readonly printedAt: string
}

/**
 * The exams of a day on paper, for a day without the network: each room on pages of its own, each
 * exam with its accession number as a barcode (Code 128) that a console's reader takes. What is
 * done, closed or no longer listed is left out.
 */
export async function renderWorklistSheet(input: WorklistSheetInput): Promise<Buffer> {
  // pdfkit and its fonts are loaded when the first document is made, not when the gateway starts.
  const { renderedSheet } = await import('./worklist-sheet-drawing.ts')
  return renderedSheet(input)
}
