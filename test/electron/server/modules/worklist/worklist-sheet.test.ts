import { describe, expect, it } from 'vitest'
import { renderWorklistSheet } from '#server/modules/worklist/worklist-sheet.ts'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { needs } from '../../../../support/needs.ts'
import { printedBarcodes } from '../../../../support/printed-barcodes.ts'

const exam = (more: Partial<Exam>): Exam => ({
  ...{ studyInstanceUid: '2.25.1', scheduledProcedureStepId: 'S001', accessionNumber: 'A001' },
  ...{ patientName: 'Novakova^Ana', patientId: 'MRN-4711', patientBirthDate: '19610307' },
  ...{ patientSex: 'F', modality: 'CT', description: 'CT chest', location: 'ROOM 1' },
  ...{ startDate: '20261120', startTime: '0915', severity: 'normal', state: 'scheduled' },
  ...{ since: null, images: 0, imageStudyUid: null, study: null, withheld: null, remarks: [] },
  ...{ isOverdue: false, isClosed: false, devices: [] },
  ...more,
})

const sheetOf = (accessionNumbers: readonly string[], paper: 'A4' | 'Letter' = 'A4') =>
  renderWorklistSheet({
    ...{ clinicName: 'Radiology at the Isthmus', paper, language: 'en' },
    ...{ listedAt: '09:00', printedAt: '2026-11-20 09:05' },
    day: {
      ...{ day: '2026-11-20', today: '2026-11-20', now: '090500' },
      source: { kind: 'live', receivedAt: null, fault: null, awaySince: null },
      exams: accessionNumbers.map((accessionNumber) => exam({ accessionNumber })),
      tally: { all: 0, waiting: 0, withheld: 0, overdue: 0, begun: 0, completed: 0 },
    },
  })

/** Millimetres of pixels of 1/300 inch. */
const mm = (pixels: number) => (pixels / 300) * 25.4

describe('the printed worklist', () => {
  const papers = ['A4', 'Letter'] as const
  it.for(papers)(
    'has each accession number as bars that a reader takes, on %s',
    async (paper, context) => {
      needs(context, 'poppler')
      // The shortest, the longest that DICOM allows (SH), and all kinds of characters.
      const marks = [' !"#$%&\'()*+,-./', '0123456789:;<=>?', '@ABCXYZ[]^_`xyz~']
      const numbers = ['1', 'A-6103', '2026-11-20/00042', ...marks]
      const read = await printedBarcodes(await sheetOf(numbers, paper))
      expect(read.map(({ text }) => text)).toEqual(numbers)
      // A hand-held reader is held across them: each is high enough, and no two touch.
      for (const { height } of read) expect(mm(height)).toBeGreaterThan(8)
      for (const [at, { top }] of read.entries()) {
        const above = read[at - 1]
        if (above) expect(mm(top - above.top - above.height)).toBeGreaterThan(8)
      }
    },
  )

  it('has no bars without an accession number, and for one that they cannot have', async (context) => {
    needs(context, 'poppler')
    expect(await printedBarcodes(await sheetOf(['', 'Ä-17']))).toEqual([])
  })
})
