import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { readStructuredReport } from '#server/dicom/objects/structured-report.ts'
import { StructuredReport } from '#shared/contract/viewed-objects.ts'
import { englishText } from '#shared/messages/english.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import {
  codeValue,
  container,
  contains,
  doseReport,
  keyObjects,
  measurementReport,
  reportFile,
  textItem,
} from '../../../../support/structured-reports.ts'
import { TestSource } from '../pixel-data/viewed-file-fixture.ts'

const read = (bytes: Buffer): StructuredReport =>
  StructuredReport.parse(readStructuredReport(new TestSource(bytes)))

const SR = '1.2.840.10008.5.1.4.1.1.88.11'
const TITLE = ['18748-4', 'LN', 'Diagnostic imaging report'] as const
const FINDING = ['121071', 'DCM', 'Finding'] as const

describe('a measurement report', () => {
  const report = read(measurementReport('2.25.100.1.1'))

  it('has a title, a patient, flags and the one who verified it', () => {
    expect(report).toMatchObject({
      title: { value: '126000', scheme: 'DCM', meaning: 'Imaging Measurement Report' },
      context: {
        patientName: 'Müller^Jörg',
        patientId: 'P-0815',
        referringPhysician: 'Refer^Anna',
      },
      completionFlag: 'COMPLETE',
      verificationFlag: 'VERIFIED',
      people: [{ role: 'verifier', name: 'Invented^Carla^^Dr.', at: '20260310113000' }],
      faults: [],
    })
  })

  it('has its measurements with units, modifiers and images', () => {
    const axis = report.items.findIndex(({ concept }) => concept?.meaning === 'Long Axis')
    expect(report.items.slice(axis, axis + 3)).toMatchObject([
      { depth: 3, valueType: 'NUM', value: '12.5', code: { value: 'mm' }, position: '1.4.1.2' },
      { relationship: 'INFERRED FROM', references: [{ sopInstanceUid: '2.25.100.1.1' }] },
      { relationship: 'HAS CONCEPT MOD', code: { meaning: 'Right lung' } },
    ])
  })

  it.each(Object.entries(TRANSFER_SYNTAX).filter(([name]) => !name.startsWith('deflated')))(
    'is the same in %s',
    (_name, transferSyntaxUid) => {
      expect(read(measurementReport('2.25.100.1.1', { transferSyntaxUid }))).toEqual(report)
    },
  )
})

describe('a report that is wrong', () => {
  it('without content says so', () => {
    expect(() => read(reportFile(SR, {}))).toThrow(ViewedFileFault)
    expect(() => read(reportFile(SR, {}))).toThrow(/no content/)
  })

  it('that ends early says so', () => {
    const file = measurementReport('2.25.100.1.1')
    expect(() => read(file.subarray(0, file.length - 40))).toThrow(/ends within/)
  })

  it('with items of no type, and references to nothing, is shown and says so', () => {
    const report = read(
      reportFile(
        SR,
        container(
          TITLE,
          contains({ ConceptNameCodeSequence: [] }),
          contains(textItem(FINDING, 'Clear.')),
          { RelationshipType: 'INFERRED FROM', ReferencedContentItemIdentifier: uint32s(1, 9) },
        ),
      ),
    )
    expect(report.items.map(({ value }) => value)).toEqual(['', '', 'Clear.', ''])
    expect(report.faults.map(englishText)).toEqual([
      '1 item of this report states no value type and may be incomplete.',
      '1 reference within this report points to an item that does not exist.',
    ])
  })

  it('with more items than any report has is cut, and says so', () => {
    const many = Array.from({ length: 20_100 }, () => contains(codeValue(FINDING, FINDING)))
    const report = read(reportFile(SR, container(TITLE, ...many)))
    expect(report.items).toHaveLength(20_000)
    expect(report.faults.map(englishText)).toEqual([
      'It is longer than any report: only its first 20,000 items are shown.',
    ])
  })

  it('that is nested without end is refused', () => {
    let item = contains(textItem(FINDING, 'deep'))
    for (let depth = 0; depth < 40; depth++) item = contains(container(FINDING, item))
    expect(() => read(reportFile(SR, container(TITLE, item)))).toThrow(/too deeply/)
  })
})

describe('beside DCMTK', () => {
  const made = {
    'a measurement report': measurementReport('2.25.100.1.1'),
    'a dose report': doseReport(),
    'a key object selection': keyObjects(['2.25.100.1.1', '2.25.100.1.2']),
  }

  it.for(Object.entries(made))('%s has everything that dsrdump prints', ([, bytes], context) => {
    needs(context, 'dcmtk')
    expect(missingOf(bytes)).toEqual([])
  })

  it.for(['test-SR.dcm', 'reportsi.dcm', 'reportsi_with_empty_number_tags.dcm'])(
    'the sample %s has everything that dsrdump prints',
    (name, context) => {
      needs(context, 'dcmtk', 'samples')
      expect(missingOf(readFileSync(join(PYDICOM_SAMPLES, name)))).toEqual([])
    },
  )

  /** What dsrdump prints of a report and ours does not have. */
  function missingOf(bytes: Buffer): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'isthmus-sr-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'report.dcm')
    writeFileSync(path, bytes)
    const options = ['-q', '+Pl', '+Pu', '+Pc', '+U8', '-Er', '-Ev', '-Ec', '-Ee']
    const dump = execFileSync('dsrdump', [...options, path], { encoding: 'utf8' })
    const printed = printedBy(dump)
    expect(printed.length).toBeGreaterThan(5)
    const ours = new Set(textsOf(read(bytes)).map(normal))
    return printed.filter((text) => !ours.has(normal(text)))
  }
})

/** Texts, codes and numbers of the content that dsrdump prints. */
function printedBy(dump: string): string[] {
  const content = dump.slice(dump.indexOf('<CONTAINER'))
  const quoted = [...content.matchAll(/="(.*?)"(?=>| \{| \()/gs)].map(([, text = '']) => text)
  const codes = [...content.matchAll(/\(([^,()"]*),([^,()"]*),"([^"]*)"\)/g)].flatMap(
    ([, value = '', scheme = '', meaning = '']) => [value, scheme, meaning],
  )
  const uids = [...content.matchAll(/,"([\d.]+)"/g)].map(([, uid = '']) => uid)
  const header = [...dump.matchAll(/^(?:Patient|Study|Manufacturer) +: (.*)$/gm)].map(
    ([, text = '']) => text.replace(/ \(.*\)$/, ''),
  )
  return [...quoted, ...codes, ...uids, ...header].filter((text) => text !== '')
}

const textsOf = (value: unknown): string[] =>
  value === null || value === undefined
    ? []
    : typeof value === 'object'
      ? Object.values(value).flatMap(textsOf)
      : [String(value)]

/** dsrdump writes line ends as escapes. */
const normal = (text: string) =>
  text
    .replace(/\\[rn]|[\r\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

function uint32s(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4)
  return bytes
}
