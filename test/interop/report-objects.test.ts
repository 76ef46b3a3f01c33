import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { sendInstances } from '#server/dicom/scu/store.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { OwnInstance } from '#server/modules/images/own-instances.ts'
import { reportInstances } from '#server/modules/reports/report-instances.ts'
import { renderReportPdf } from '#server/modules/reports/report-pdf.ts'
import type { ArchivedReport } from '#server/modules/reports/signed-report.ts'
import { receivedFile, startStorescp } from '../support/archive.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { needs } from '../support/needs.ts'
import { reportPart, reportPdfInput } from '../support/report-pdf.ts'

const run = promisify(execFile)
const primary = {
  reportId: 'rep_0f3c5a7e9b1d4f6a8c2e4b6d8f0a1c3e',
  ...reportPart({ text: 'Findings: Без патологии.\nНорма.\n\nImpression: 正常。' }),
}
const addendum = {
  reportId: 'rep_1f3c5a7e9b1d4f6a8c2e4b6d8f0a1c3e',
  ...reportPart({
    isAddendum: true,
    text: 'After review.\n\nImpression:\nGrowth.',
    isCritical: true,
    finding: 'Growth',
    communication: {
      communicatedTo: 'Dr. Sample',
      method: 'phone',
      communicatedAt: '2026-11-22T08:00:00.000Z',
      isReadBack: true,
      note: '',
    },
  }),
}

async function reportOf(more: Partial<ArchivedReport> = {}): Promise<ArchivedReport> {
  const { metadata, studyInstanceUid, studyDescription, accessionNumber } = reportPdfInput()
  const { bytes: pdf } = await renderReportPdf(reportPdfInput())
  return {
    reportId: primary.reportId,
    studyInstanceUid,
    studyDescription,
    accessionNumber,
    metadata,
    parts: [primary],
    pdf,
    ...more,
  }
}

const objectsOf = (report: ArchivedReport, earlier: InstanceRecord[] = []) =>
  reportInstances(report, undefined, earlier, 'Radiology at the Isthmus', 'Europe/Berlin')

function written(folder: string, { sopClassUid, sopInstanceUid, dataSet }: OwnInstance): string {
  const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
  const file = join(folder, `${sopInstanceUid}.dcm`)
  const meta = fileMeta({
    sopClassUid,
    sopInstanceUid,
    transferSyntaxUid,
    sourceAeTitle: 'ISTHMUS',
  })
  writeFileSync(file, Buffer.concat([meta, writeDataSet(dataSet, transferSyntaxUid)]))
  return file
}

/** Both objects of a report, as files. */
function filesOf(
  folder: string,
  report: ArchivedReport,
  earlier: InstanceRecord[] = [],
): [pdf: string, sr: string] {
  const { wanted } = objectsOf(report, earlier)
  return wanted.map((instance) => written(folder, instance)) as [string, string]
}

const lengthOf = (dataSet: OwnInstance['dataSet']) =>
  writeDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian).length

/** What a validator that is not ours says. */
async function verdictOn(file: string): Promise<string> {
  const { stdout, stderr } = await run('dciodvfy', [file]).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

describe('DICOM copies of a report, by tools that are not ours', () => {
  it('are an Encapsulated PDF and a Basic Text SR without an error', async (context) => {
    needs(context, 'dicom3tools')
    using folder = scratchFolder()
    const earlier = [{ seriesInstanceUid: '2.25.71', sopInstanceUid: '2.25.72' } as InstanceRecord]
    const reports = [
      await reportOf(),
      await reportOf({ reportId: addendum.reportId, parts: [primary, addendum] }),
      await reportOf({
        metadata: {},
        accessionNumber: '',
        studyDescription: '',
        parts: [{ ...primary, text: '' }],
      }),
      await reportOf({
        metadata: {
          patientName: 'x'.repeat(500),
          mrn: '9'.repeat(200),
          sex: 'other',
          scanTime: '23:59',
        },
      }),
    ]
    for (const report of reports) {
      const [pdf, sr] = filesOf(folder.path, report, report.parts.length > 1 ? earlier : [])
      const [ofPdf, ofSr] = [await verdictOn(pdf), await verdictOn(sr)]
      expect(ofPdf).toContain('EncapsulatedPDF')
      expect(ofSr).toContain('BasicTextSR')
      expect(`${ofPdf}${ofSr}`).not.toMatch(/^Error/m)
    }
  })

  it('give the PDF back byte for byte', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    const report = await reportOf()
    const [pdf] = filesOf(folder.path, report)
    const out = join(folder.path, 'out.pdf')
    await run('dcm2pdf', [pdf, out])
    expect(readFileSync(out).equals(report.pdf)).toBe(true)
  })

  it('are read as a tree of sections with their text, who verified it and when', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    const [, sr] = filesOf(
      folder.path,
      await reportOf({ parts: [primary, addendum], reportId: addendum.reportId }),
    )
    const { stdout } = await run('dsrdump', ['+Pl', '+U8', sr]).catch(() =>
      run('dsrdump', ['+Pl', sr]),
    )
    expect(stdout).toContain('Completion Flag     : COMPLETE')
    expect(stdout).toContain('Verification Flag   : VERIFIED')
    expect(stdout).toContain(
      '2026-11-21 14:05:33 +01:00, Dr. Miriam Kessler, Radiology at the Isthmus',
    )
    expect(stdout).toMatch(/"Findings"\)=SEPARATE>\s*<contains TEXT:\(,,"Finding"\)="Без патологии/)
    expect(stdout).toMatch(
      /"Impressions"\)=SEPARATE>\s*<contains TEXT:\(,,"Impression"\)="正常。">/,
    )
    expect(stdout).toMatch(
      /"Addendum"\)=SEPARATE>\s*<contains TEXT:\(,,"Comment"\)="After review\.">/,
    )
    expect(stdout).toMatch(
      /"Communication of Critical Results"\)=SEPARATE>\s*<contains TEXT:\(,,"Comment"\)="Growth\. Communicated to Dr\. Sample by phone/,
    )
  })

  it('arrive at a PACS byte for byte', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    await using archive = await startStorescp(['+B'])
    const { wanted } = objectsOf(await reportOf())
    const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
    const instances = wanted.map(({ sopClassUid, sopInstanceUid, ...instance }) => {
      const path = written(folder.path, { sopClassUid, sopInstanceUid, ...instance })
      return {
        sopClassUid,
        sopInstanceUid,
        transferSyntaxUid,
        path,
        dataSetOffset: readFileSync(path).length - lengthOf(instance.dataSet),
      }
    })
    const peer = { host: '127.0.0.1', port: archive.port, aeTitle: 'STORESCP', tls: undefined }
    const outcomes: string[] = []
    for await (const { outcome } of sendInstances({ peer, callingAeTitle: 'ISTHMUS' }, instances))
      outcomes.push(outcome)
    expect(outcomes).toEqual(['sent', 'sent'])
    const received = archive.files().map((name) => receivedFile(archive, name))
    for (const { dataSet } of wanted) {
      const bytes = writeDataSet(dataSet, transferSyntaxUid)
      expect(received.some((file) => file.subarray(file.length - bytes.length).equals(bytes))).toBe(
        true,
      )
    }
  })

  it('are in the study’s own place, and every one of another UID', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    const files = [
      ...filesOf(folder.path, await reportOf()),
      ...filesOf(folder.path, await reportOf({ reportId: addendum.reportId })),
    ]
    const dumps = await Promise.all(
      files.map(async (file) => (await run('dcmdump', ['+L', file])).stdout),
    )
    const elementOf = (dump: string, tag: string) =>
      new RegExp(`^\\(${tag}\\) \\w\\w \\[([^\\]]*)\\]`, 'm').exec(dump)?.[1]
    expect(new Set(dumps.map((dump) => elementOf(dump, '0020,000d')))).toEqual(
      new Set(['2.25.1001']),
    )
    expect(new Set(dumps.map((dump) => elementOf(dump, '0008,0018'))).size).toBe(4)
    expect(new Set(dumps.map((dump) => elementOf(dump, '0020,000e'))).size).toBe(4)
    expect(dumps.map((dump) => elementOf(dump, '0008,0005'))).toEqual(Array(4).fill('ISO_IR 192'))
  })
})
