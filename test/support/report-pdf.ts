import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ReportPdfInput } from '#server/modules/reports/report-pdf-layout.ts'
import type { ReportPart } from '#server/modules/reports/signed-report.ts'

const run = promisify(execFile)
const TEXT = `Indication: Cough for six weeks.

Findings:
The nodule in the right upper lobe measures 8 x 7 mm, unchanged. No pleural effusion.

Impression:
1. Unchanged nodule.
2. No sign of pneumonia.`

/** A part of a report of an invented patient. */
export const reportPart = (more: Partial<ReportPart> = {}): ReportPart => {
  const text = more.text ?? TEXT
  return {
    isAddendum: false,
    text,
    textHash: createHash('sha256').update(text).digest('hex'),
    signer: {
      userId: 'usr_1',
      name: 'Dr. Miriam Kessler',
      clinicRole: 'Radiologist',
      npiNumber: '1234567893',
    },
    signedAt: '2026-11-21T13:05:33.123Z',
    isCritical: false,
    finding: null,
    communication: null,
    follows: null,
    ...more,
  }
}

/** A report of an invented patient. */
export const reportPdfInput = (more: Partial<ReportPdfInput> = {}): ReportPdfInput => ({
  clinicName: 'Radiology at the Isthmus',
  letterhead: '14 Harbour Street\nPhone 555 0100',
  paper: 'A4',
  timeZone: 'Europe/Berlin',
  reportId: 'rep_0f3c5a7e9b1d4f6a8c2e4b6d8f0a1c3e',
  studyInstanceUid: '2.25.1001',
  studyDescription: 'CT chest with contrast',
  accessionNumber: 'A-4711',
  metadata: {
    patientName: 'Jane Example',
    dateOfBirth: '1961-03-07',
    sex: 'female',
    mrn: 'M-0012345',
    scanDate: '2026-11-21',
    scanTime: '11:40',
    scanType: 'CT',
    referringPhysicianName: 'Dr. Paul Sample',
    facilityName: 'Isthmus Imaging Centre',
  },
  parts: [reportPart()],
  ...more,
})

/**
 * What poppler, which is not ours, reads of a PDF: the text of each page, and what it says of
 * itself.
 */
export async function readPdf(bytes: Buffer): Promise<{
  readonly pages: string[]
  readonly text: string
  readonly info: string
  readonly fonts: string
}> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-pdf-'))
  try {
    const file = join(folder, 'report.pdf')
    writeFileSync(file, bytes)
    const of = async (command: string, ...args: string[]) =>
      (await run(command, args, { timeout: 60_000, maxBuffer: 1 << 26 })).stdout
    const text = await of('pdftotext', '-raw', '-enc', 'UTF-8', file, '-')
    return {
      text,
      pages: text.split('\f').slice(0, -1),
      info: await of('pdfinfo', file),
      fonts: await of('pdffonts', file),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
