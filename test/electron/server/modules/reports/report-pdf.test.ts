import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { renderReportPdf } from '#server/modules/reports/report-pdf.ts'
import { needs } from '../../../../support/needs.ts'
import { readPdf, reportPart, reportPdfInput } from '../../../../support/report-pdf.ts'

/** Line ends of the page are not those of the text. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

describe('the PDF of a report', () => {
  it('is the same bytes for the same input, whatever was rendered before, and others for another', async () => {
    const first = await renderReportPdf(reportPdfInput())
    await renderReportPdf(reportPdfInput({ studyDescription: '山田 Ёлка ≤ \u00a0-\u2011 µ μ' }))
    const again = await renderReportPdf(reportPdfInput())
    expect(again.bytes.equals(first.bytes)).toBe(true)
    expect(again.sha256).toBe(createHash('sha256').update(first.bytes).digest('hex'))
    expect((await renderReportPdf(reportPdfInput({ accessionNumber: 'A-4712' }))).sha256).not.toBe(
      first.sha256,
    )
  })

  it('renders side by side what it renders one after the other', async () => {
    const inputs = ['Ёлка', '山田', 'Nguyễn'].map((patientName) =>
      reportPdfInput({ metadata: { patientName } }),
    )
    const side = await Promise.all(inputs.map(renderReportPdf))
    for (const [at, input] of inputs.entries())
      expect((await renderReportPdf(input)).sha256).toBe(side[at]?.sha256)
  })

  it('has an even number of bytes, as a value of DICOM', async () => {
    for (const studyDescription of ['a', 'ab', 'abc', 'abcd'])
      expect((await renderReportPdf(reportPdfInput({ studyDescription }))).bytes.length % 2).toBe(0)
  })

  // A report may have 200,000 characters: what takes the square of that stops the gateway for
  // everybody.
  it('sets a line with a run of spaces as long as a report may be', async () => {
    const text = `No acute${' '.repeat(199_000)}findings.`
    expect((await renderReportPdf(reportPdfInput({ parts: [reportPart({ text })] }))).pages).toBe(1)
  })

  it('shows patient, examination, text, signature and hash, with the sections as headings', async (context) => {
    needs(context, 'poppler')
    const part = reportPart()
    const { bytes, pages } = await renderReportPdf(reportPdfInput({ parts: [part] }))
    const { text, info } = await readPdf(bytes)
    const words = flat(text)
    for (const expected of [
      'Jane Example',
      '7 Mar 1961',
      'Female',
      'M-0012345',
      'A-4711',
      '21 Nov 2026, 11:40',
      'Dr. Paul Sample',
    ])
      expect(words).toContain(expected)
    for (const expected of [
      'Indication Cough for six weeks.',
      'measures 8 x 7 mm, unchanged. No pleural effusion.',
      '2. No sign of pneumonia.',
    ])
      expect(words).toContain(expected)
    expect(words).toContain(
      'Signed electronically by Dr. Miriam Kessler Radiologist · NPI 1234567893',
    )
    expect(words).toContain('21 Nov 2026, 14:05:33, Europe/Berlin (UTC+01:00)')
    expect(words).toContain(part.textHash)
    expect(words).toContain('Page 1 of 1')
    expect(info).toContain('CT chest with contrast')
    expect(info).toMatch(/Tagged:\s+yes/)
    expect(info).toMatch(/Page size:\s+595\.28 x 841\.89/)
    expect(pages).toBe(1)
  })

  it('names nobody in its title, and prints on Letter where that is asked', async (context) => {
    needs(context, 'poppler')
    const { bytes } = await renderReportPdf(
      reportPdfInput({ paper: 'Letter', studyDescription: '' }),
    )
    const { info } = await readPdf(bytes)
    expect(info).toMatch(/Title:\s+Radiology report/)
    expect(info).not.toContain('Jane')
    expect(info).toMatch(/Page size:\s+612 x 792/)
  })

  it('prints names of every script so that they can be copied, with embedded fonts alone', async (context) => {
    needs(context, 'poppler')
    const names = [
      'Екатерина Щёголева-Їжакевич',
      'Ευαγγελία Παπαδοπούλου',
      'Ἀθηνᾶ Ὀδυσσέως',
      '山田 花子 (ヤマダ ハナコ)',
      '髙島 﨑子',
      'Nguyễn Thị Ngọc Ánh',
      'Żółć Łódź Škoda Güneş İstanbul',
      'АaΑあß',
    ]
    for (const patientName of names) {
      const { bytes } = await renderReportPdf(
        reportPdfInput({ metadata: { patientName, referringPhysicianName: patientName } }),
      )
      const { text, fonts } = await readPdf(bytes)
      expect(flat(text).split(patientName).length - 1, patientName).toBeGreaterThanOrEqual(2)
      const rows = fonts.trim().split('\n').slice(2)
      expect(rows.length).toBeGreaterThan(1)
      for (const row of rows) expect(row).toMatch(/ yes yes yes /)
    }
  })

  it('writes what measurements need, and says so where a character has no font', async (context) => {
    needs(context, 'poppler')
    const all = await readPdf(
      (
        await renderReportPdf(
          reportPdfInput({ parts: [reportPart({ text: 'Findings: ≤ ≥ ± × ° µ → ² ∅ ½ ♀ ∞' })] }),
        )
      ).bytes,
    )
    expect(flat(all.text)).toContain('≤ ≥ ± × ° µ → ² ∅ ½ ♀ ∞')
    expect(all.text).not.toContain('A box stands for')
    const some = await readPdf(
      (
        await renderReportPdf(
          reportPdfInput({ parts: [reportPart({ text: 'Name: שרה 😀 here' })] }),
        )
      ).bytes,
    )
    expect(flat(some.text)).toContain(
      'A box stands for a character that this document has no font for.',
    )
    expect(flat(some.text)).toMatch(/Name: .* here/)
  })

  it('numbers the addenda, each with its own signature and critical result', async (context) => {
    needs(context, 'poppler')
    const critical = reportPart({
      isCritical: true,
      finding: 'Tension pneumothorax',
      communication: {
        communicatedTo: 'Dr. Sample',
        method: 'phone',
        communicatedAt: '2026-11-21T13:10:00.000Z',
        isReadBack: true,
        note: 'Sent to the ward.',
      },
    })
    const parts = [
      critical,
      reportPart({ isAddendum: true, text: 'First more.', signedAt: '2026-11-22T08:00:00.000Z' }),
      reportPart({
        isAddendum: true,
        text: 'Impression: Growth.',
        isCritical: true,
        finding: 'Growth',
        signedAt: '2026-12-01T08:00:00.000Z',
      }),
    ]
    const words = flat(
      (await readPdf((await renderReportPdf(reportPdfInput({ parts }))).bytes)).text,
    )
    expect(words).toContain(
      'Critical result Tension pneumothorax Communicated to Dr. Sample by phone and read back, 21 Nov 2026, 14:10:00',
    )
    expect(words).toMatch(/Addendum 1 First more\. Addendum signed electronically by/)
    expect(words).toMatch(
      /Addendum 2 Critical result Growth Not yet documented .* Impression Growth\./,
    )
    for (const { textHash } of parts) expect(words).toContain(textHash)
  })

  it('keeps patient, study and number on every page of a long report, and all of its words in their order', async (context) => {
    needs(context, 'poppler')
    const words = Array.from({ length: 6000 }, (_, at) => `w${at}`)
    const text = Array.from({ length: 60 }, (_, at) =>
      words.slice(at * 100, at * 100 + 100).join(' '),
    ).join('\n\n')
    const rendered = await renderReportPdf(reportPdfInput({ parts: [reportPart({ text })] }))
    const { pages, text: all } = await readPdf(rendered.bytes)
    expect(pages.length).toBe(rendered.pages)
    expect(rendered.pages).toBeGreaterThan(5)
    for (const [at, page] of pages.entries()) {
      expect(page).toContain('Jane Example')
      expect(page).toContain('A-4711')
      expect(page).toContain(`Page ${at + 1} of ${rendered.pages}`)
    }
    expect(all.match(/\bw\d+\b/g)).toEqual(words)
  })

  it('shows names from images in the order of a list', async (context) => {
    needs(context, 'poppler')
    const { bytes } = await renderReportPdf(
      reportPdfInput({ metadata: { patientName: 'MEIER^ANNA^MARIA^^=x' } }),
    )
    expect((await readPdf(bytes)).text).toContain('MEIER, ANNA MARIA')
  })

  it.each([
    [
      'nothing is known',
      {
        clinicName: '',
        letterhead: '',
        accessionNumber: '',
        studyDescription: '',
        metadata: {},
        parts: [reportPart({ text: '' })],
      },
    ],
    [
      'everything is as long as it may be',
      {
        studyDescription: 'MRI '.repeat(250),
        letterhead: 'x'.repeat(500),
        metadata: {
          patientName: 'Maximiliane '.repeat(41),
          mrn: '9'.repeat(200),
          facilityName: 'Ü'.repeat(500),
          scanType: 'W'.repeat(500),
          referringPhysicianName: 'W'.repeat(500),
          age: 'W'.repeat(100),
        },
        parts: [
          reportPart({ text: 'x'.repeat(5000), isCritical: true, finding: 'W'.repeat(1000) }),
        ],
      },
    ],
    [
      'the text is none that anybody would write',
      {
        parts: [
          reportPart({
            text: '\u0000\u0007\ud800 \u202eabc\u202c e\u0323\u0308\u0301\u0301 \u0301 👩‍⚕️ \u200d क्ष\u200dत्रिय \uffff \r\n\t\u2028x',
          }),
        ],
      },
    ],
  ])('is rendered where %s', async (_, more) => {
    const { bytes, pages } = await renderReportPdf(reportPdfInput(more as never))
    expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-')
    expect(pages).toBeGreaterThan(0)
  })
})
