import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { listElements } from '#server/dicom/objects/element-list.ts'
import { ElementList } from '#shared/contract/viewed-objects.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import {
  codeValue,
  container,
  contains,
  reportFile,
} from '../../../../support/structured-reports.ts'
import {
  encapsulatedFile,
  fileOf,
  IMAGE,
  meta,
  TestSource,
} from '../pixel-data/viewed-file-fixture.ts'

const listed = (bytes: Buffer): ElementList =>
  ElementList.parse(listElements(new TestSource(bytes)))
const rowOf = (bytes: Buffer, tag: string) =>
  listed(bytes).elements.find((element) => element.tag === tag)

describe('an element', () => {
  it('has tag, keyword, VR, length and value', () => {
    expect(rowOf(fileOf({ ...IMAGE, PatientName: 'Müller^Jörg' }), '(0010,0010)')).toEqual({
      ...{ depth: 0, tag: '(0010,0010)', keyword: 'PatientName', vr: 'PN', length: 14 },
      ...{ value: 'Müller^Jörg', kind: 'text', items: 0 },
    })
  })

  it('of file meta information comes first', () => {
    const [first] = listed(fileOf(IMAGE)).elements
    expect(first?.tag).toMatch(/^\(0002,/)
  })

  it('with numbers has them as text; with many, the first ones', () => {
    const many = Buffer.alloc(200)
    many.writeUInt16LE(512, 0)
    const bytes = fileOf({ ...IMAGE, LossyImageCompression: '00', WaveformData: undefined })
    expect(rowOf(bytes, '(0028,0010)')).toMatchObject({ vr: 'US', kind: 'text' })
    const list = dataSetFile([{ tag: 0x00209057, vr: 'UL', value: many }])
    expect(rowOf(list, '(0020,9057)')).toMatchObject({ kind: 'text', length: 200 })
  })

  it('with a long text is cut, and with a very long one only has its length', () => {
    const long = (length: number) =>
      dataSetFile([{ tag: 0x0040a160, vr: 'UT', value: Buffer.alloc(length, 'x') }])
    expect(rowOf(long(2000), '(0040,A160)')).toMatchObject({
      ...{ kind: 'cut', value: 'x'.repeat(1024), length: 2000 },
    })
    expect(rowOf(long(100_000), '(0040,A160)')).toMatchObject({ kind: 'binary', value: '' })
  })

  it('with binary values has their length only, also pixel data and its fragments', () => {
    expect(rowOf(fileOf({ ...IMAGE, PixelData: Buffer.alloc(512) }), '(7FE0,0010)')).toMatchObject({
      ...{ kind: 'binary', value: '', length: 512 },
    })
    const compressed = encapsulatedFile(IMAGE, [Buffer.from('ffd8ffd9', 'hex')])
    expect(rowOf(compressed, '(7FE0,0010)')).toMatchObject({ kind: 'binary', length: null })
  })

  it('that is private is named by its creator', () => {
    const list = dataSetFile([
      { tag: 0x00090010, vr: 'LO', value: Buffer.from('EXAMPLE 1 ') },
      { tag: 0x00091001, vr: 'LO', value: Buffer.from('a value ') },
      { tag: 0x00091101, vr: 'LO', value: Buffer.from('stray ') },
    ])
    expect(rowOf(list, '(0009,1001)')).toMatchObject({ keyword: 'EXAMPLE 1', value: 'a value' })
    expect(rowOf(list, '(0009,1101)')).toMatchObject({ keyword: '', value: 'stray' })
  })

  it('that names tags has them as tags', () => {
    const list = dataSetFile([{ tag: 0x00280009, vr: 'AT', value: Buffer.from('18006310', 'hex') }])
    expect(rowOf(list, '(0028,0009)')).toMatchObject({ value: '(0018,1063)' })
  })

  /** Elements of a data set without anything else that matters. */
  function dataSetFile(elements: readonly { tag: number; vr: string; value: Buffer }[]): Buffer {
    const syntax = TRANSFER_SYNTAX.explicitLittleEndian
    const identity = { tag: 0x00080018, vr: 'UI', value: Buffer.from('2.25.1\0\0') }
    return Buffer.concat([
      meta(syntax),
      writeDataSet(
        [identity, ...elements].toSorted((a, b) => a.tag - b.tag),
        syntax,
      ),
    ])
  }
})

it('sequences have their items, and what is in them, below', () => {
  const finding = ['121071', 'DCM', 'Finding'] as const
  const bytes = reportFile(
    '1.2.840.10008.5.1.4.1.1.88.11',
    container(finding, contains(codeValue(finding, finding))),
  )
  const { elements } = listed(bytes)
  const at = elements.findIndex(({ tag }) => tag === '(0040,A730)')
  expect(
    elements
      .slice(at, at + 5)
      .map(({ depth, kind, keyword, items }) => [depth, kind, keyword, items]),
  ).toEqual([
    [0, 'sequence', 'ContentSequence', 1],
    [1, 'item', '', 1],
    [2, 'text', 'RelationshipType', 0],
    [2, 'text', 'ValueType', 0],
    [2, 'sequence', 'ConceptNameCodeSequence', 1],
  ])
})

it('a list of more elements than a page can show is cut, and says so', () => {
  const finding = ['121071', 'DCM', 'Finding'] as const
  const many = Array.from({ length: 3000 }, () => contains(codeValue(finding, finding)))
  const list = listed(reportFile('1.2.840.10008.5.1.4.1.1.88.11', container(finding, ...many)))
  expect([list.elements.length, list.isCut]).toEqual([20_000, true])
})

describe('elements after the pixel data', () => {
  const after = Buffer.concat([
    Buffer.from('e17f1010554e0000', 'hex'),
    Buffer.from('04000000', 'hex'),
    Buffer.from('abcd'),
    Buffer.from('fcfffcff4f420000', 'hex'),
    Buffer.from('02000000', 'hex'),
    Buffer.from('\0\0'),
  ])
  const tagsOf = (bytes: Buffer) => listed(bytes).elements.map(({ tag }) => tag)
  const native = fileOf({ ...IMAGE, PixelData: Buffer.alloc(512) })
  const compressed = encapsulatedFile(IMAGE, [Buffer.from('ffd8ffd9', 'hex')])

  it.for([
    ['native', native],
    ['compressed', compressed],
  ] as const)('are listed, of %s ones', ([, file]) => {
    expect(tagsOf(Buffer.concat([file, after])).slice(-3)).toEqual([
      ...['(7FE0,0010)', '(7FE1,1010)', '(FFFC,FFFC)'],
    ])
  })

  it('are not where the file ends within them or within the pixel data', () => {
    const cut = Buffer.concat([native, after.subarray(0, -4)])
    const unended = encapsulatedFile(IMAGE, [Buffer.from('ffd8ff00', 'hex')], { isEnded: false })
    for (const file of [cut, unended]) expect(tagsOf(file).at(-1)).toBe('(7FE0,0010)')
  })
})

it.for([
  'CT_small.dcm',
  'MR_small_implicit.dcm',
  'MR_small_bigendian.dcm',
  'rtplan.dcm',
  'nested_priv_SQ.dcm',
])('%s has the tags and texts that pydicom has', (name, context) => {
  needs(context, 'samples')
  const path = join(PYDICOM_SAMPLES, name)
  const pydicom: [string, string][] = JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', READER, path], { encoding: 'utf8' }),
  )
  const ours = listed(readFileSync(path))
    .elements.filter(({ tag }) => tag !== '' && !tag.startsWith('(0002'))
    .map(({ tag, kind, value }) => [tag, kind === 'text' ? value : ''])
  expect(ours.map(([tag]) => tag)).toEqual(pydicom.map(([tag]) => tag))
  for (const [index, [tag, text]] of pydicom.entries())
    if (text !== '') expect([tag, ours[index]?.[1]]).toEqual([tag, text])
})

/** Elements in order, nested ones after their sequence; texts as they are. */
const READER = `
import json, sys, warnings, pydicom
warnings.simplefilter('ignore')
pydicom.config.settings.reading_validation_mode = 0
TEXTS = {'LO', 'SH', 'CS', 'UI', 'DA', 'TM', 'PN', 'ST', 'LT', 'AE', 'AS'}
found = []
def walk(ds):
    for element in ds:
        tag = '(%04X,%04X)' % (element.tag.group, element.tag.element)
        text = ''
        if element.VR in TEXTS and element.value not in (None, ''):
            text = '\\\\'.join(str(v) for v in element.value) if element.VM > 1 else str(element.value)
        found.append((tag, text.strip(' \\0')))
        if element.VR == 'SQ':
            for item in element.value: walk(item)
walk(pydicom.dcmread(sys.argv[1]))
print(json.dumps(found))
`
