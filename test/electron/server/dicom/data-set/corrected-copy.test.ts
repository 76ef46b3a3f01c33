import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, encodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import {
  CopyFault,
  type CorrectedValue,
  writeCorrectedCopy,
} from '#server/dicom/data-set/corrected-copy.ts'
import { readDataSet, tagOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { runs } from '../../../../support/property-runs.ts'
import { tempFolder } from '../../../../support/temp-store.ts'
import { dataSetOf, IMAGE, type Values } from '../../modules/images/intake-fixture.ts'

const EXPLICIT = TRANSFER_SYNTAX.explicitLittleEndian
const NAME = tagOf('PatientName') as number
const COMMENTS = tagOf('ImageComments') as number

interface Copied {
  readonly bytes: Buffer
  readonly dataSet: DataSet
}

async function copied(
  source: Buffer,
  values: readonly CorrectedValue[],
  syntax: string = EXPLICIT,
  more: { deviceSet?: readonly string[] } = {},
) {
  using folder = tempFolder()
  const path = join(folder.folder, 'source')
  writeFileSync(path, source)
  const pieces: Buffer[] = []
  await writeCorrectedCopy(
    { path, dataSetOffset: 0, transferSyntaxUid: syntax },
    {
      values,
      uids: new Map([[String(IMAGE.SOPInstanceUID), '2.25.1']]),
      deviceCharacterSet: more.deviceSet ?? [],
      ...{ source: 'CT1', aeTitle: 'CLINIC', at: '20260310120000+0000' },
    },
    async (piece) => void pieces.push(Buffer.from(piece)),
  )
  const bytes = Buffer.concat(pieces)
  return {
    bytes,
    dataSet: readDataSet(bytes, syntax, { elements: 1000, depth: 8, bytes: 1 << 20 }),
  } satisfies Copied
}

const find = (dataSet: DataSet, keyword: string): Element | undefined =>
  dataSet.find(({ tag }) => tag === tagOf(keyword))
const bytesOf = (dataSet: DataSet, keyword: string): Buffer => {
  const value = find(dataSet, keyword)?.value
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}
const termsOf = (dataSet: DataSet): string[] => {
  const text = bytesOf(dataSet, 'SpecificCharacterSet').toString().trim()
  return text === '' ? [] : text.split('\\')
}
const textIn = (dataSet: DataSet, keyword: string, terms: readonly string[], vr = 'PN') =>
  decodeText(bytesOf(dataSet, keyword), terms, vr).text.trim()
const items = (dataSet: DataSet, keyword: string) =>
  (find(dataSet, keyword)?.value ?? []) as readonly DataSet[]
const modifiedIn = (dataSet: DataSet): DataSet =>
  items(
    items(dataSet, 'OriginalAttributesSequence').at(-1) ?? [],
    'ModifiedAttributesSequence',
  )[0] ?? []

const SETS: readonly (readonly [string, string])[] = [
  ['ISO_IR 100', 'Müller^Jörg'],
  ['ISO_IR 101', 'Wąsikiewicz^Zofia'],
  ['ISO_IR 109', 'Test^Ġuża'],
  ['ISO_IR 110', 'Test^Māra'],
  ['ISO_IR 144', 'Люксембургова^Анна'],
  ['ISO_IR 127', 'قباني^لنزار'],
  ['ISO_IR 126', 'Παπαδόπουλος^Διονυσία'],
  ['ISO_IR 138', 'שרון^דבורה'],
  ['ISO_IR 148', 'Çelik^İpek'],
  ['ISO_IR 203', 'Test^Œuf'],
  ['ISO_IR 166', 'สมชาย^นาม'],
  ['ISO_IR 13', 'ﾔﾏﾀﾞ^ﾀﾛｳ'],
  ['\\ISO 2022 IR 87', 'Yamada^Tarou=山田^太郎=やまだ^たろう'],
  ['\\ISO 2022 IR 149', 'Hong^Gildong=洪^吉洞=홍^길동'],
  ['\\ISO 2022 IR 58', 'Wang^XiaoDong=王^小东='],
  ['GB18030', 'Wang^XiaoDong=王^小东'],
  ['GBK', 'Wang^XiaoDong=王^小东'],
  ['ISO_IR 192', 'Þórðardóttir^Ægir=山田'],
]

function source(set: string, name: string): Buffer {
  const terms = set === '' ? [] : set.split('\\')
  const encoded = encodeText(name, terms, 'PN')
  if (!encoded) throw new Error(`${set} cannot hold ${name}`)
  const { PatientName: _, ...rest } = IMAGE
  const dataSet = [
    ...dataSetOf({ ...rest, ...(set !== '' && { SpecificCharacterSet: set }) }),
    { tag: NAME, vr: 'PN', value: encoded },
    {
      tag: COMMENTS,
      vr: 'LT',
      value: encodeText(name.split('=')[0] ?? '', terms, 'LT') ?? Buffer.alloc(0),
    },
  ].sort((a, b) => a.tag - b.tag)
  return writeDataSet(dataSet, EXPLICIT)
}

test.each(SETS)('in %s a name that it holds is written in it', async (set, name) => {
  const { dataSet } = await copied(source(set, name), [{ tag: NAME, value: 'Sample^Sam' }])
  expect(bytesOf(dataSet, 'SpecificCharacterSet').toString().trim()).toBe(set)
  expect(textIn(dataSet, 'PatientName', termsOf(dataSet))).toBe('Sample^Sam')
  expect(textIn(modifiedIn(dataSet), 'PatientName', termsOf(dataSet)).normalize('NFC')).toBe(
    name.normalize('NFC'),
  )
})

test.each(SETS.filter(([set]) => set !== 'GB18030'))(
  'where %s does not hold the new name, all text becomes UTF-8',
  async (set, name) => {
    const other = set === 'ISO_IR 144' ? '山田^太郎' : 'Люксембургова^Анна \u{1F600}'
    const { dataSet } = await copied(source(set, name), [{ tag: NAME, value: other }])
    expect(termsOf(dataSet)).toEqual(['ISO_IR 192'])
    expect(textIn(dataSet, 'PatientName', ['ISO_IR 192'])).toBe(other)
    expect(textIn(dataSet, 'ImageComments', ['ISO_IR 192'], 'LT')).toBe(
      (name.split('=')[0] ?? '').normalize('NFC'),
    )
    // The previous value is in its own set, which the item declares.
    const modified = modifiedIn(dataSet)
    const terms = set === 'ISO_IR 192' ? ['ISO_IR 192'] : termsOf(modified)
    expect(textIn(modified, 'PatientName', terms).normalize('NFC')).toBe(name.normalize('NFC'))
  },
)

test('text that declares no set is read in that of its device', async () => {
  const bytes = writeDataSet(
    dataSetOf(IMAGE).map((element) =>
      element.tag === NAME
        ? { ...element, value: encodeText('Müller^Jörg', ['ISO_IR 100'], 'PN') as Buffer }
        : element,
    ),
    EXPLICIT,
  )
  const { dataSet } = await copied(bytes, [{ tag: NAME, value: 'Muñoz^Ana' }], EXPLICIT, {
    deviceSet: ['ISO_IR 100'],
  })
  expect(textIn(dataSet, 'PatientName', termsOf(dataSet))).toBe('Muñoz^Ana')
  expect(textIn(modifiedIn(dataSet), 'PatientName', ['ISO_IR 192'])).toBe('Müller^Jörg')
})

test('earlier original attributes are kept, and the new ones are appended', async () => {
  const first = await copied(source('ISO_IR 100', 'Müller^Jörg'), [
    { tag: NAME, value: 'Muñoz^Ana' },
  ])
  const second = await copied(first.bytes, [{ tag: NAME, value: 'Yamada^Tarou=山田^太郎' }])
  const kept = items(second.dataSet, 'OriginalAttributesSequence')
  expect(kept).toHaveLength(2)
  expect(
    textIn(items(kept[0] ?? [], 'ModifiedAttributesSequence')[0] ?? [], 'PatientName', [
      'ISO_IR 192',
    ]),
  ).toBe('Müller^Jörg')
  expect(textIn(modifiedIn(second.dataSet), 'PatientName', ['ISO_IR 100'])).toBe('Muñoz^Ana')
})

test('digital signatures, which sign what is changed, are removed', async () => {
  const signed = {
    ...IMAGE,
    MACParametersSequence: [{ MACIDNumber: 1 }],
    DigitalSignaturesSequence: [{ MACIDNumber: 1 }],
  }
  const { dataSet } = await copied(writeDataSet(dataSetOf(signed), EXPLICIT), [
    { tag: NAME, value: 'Sample^Sue' },
  ])
  expect(find(dataSet, 'DigitalSignaturesSequence')).toBeUndefined()
  expect(find(dataSet, 'MACParametersSequence')).toBeUndefined()
})

test('an attribute that is removed is among the previous values', async () => {
  const { dataSet } = await copied(writeDataSet(dataSetOf(IMAGE), EXPLICIT), [
    { tag: tagOf('PatientWeight') as number, value: null, onlyIfPresent: true },
    { tag: tagOf('PatientAge') as number, value: null, onlyIfPresent: true },
  ])
  expect(find(dataSet, 'PatientWeight')).toBeUndefined()
  expect(textIn(modifiedIn(dataSet), 'PatientWeight', [], 'DS')).toBe('81.5')
  expect(find(modifiedIn(dataSet), 'PatientAge')).toBeUndefined()
})

test('encapsulated pixel data, odd VRs and undefined lengths are copied byte for byte', async () => {
  const header = writeDataSet(
    dataSetOf(IMAGE).filter(({ tag }) => tag !== tagOf('PixelData')),
    EXPLICIT,
  )
  // (0009,1001) of a VR that does not exist, and a private sequence of undefined length with such
  // an item.
  const odd = Buffer.from(
    '0900011053510000fffffffffeff00e0ffffffff09000210 4c4f02004142 feff0de000000000 feffdde000000000'.replaceAll(
      ' ',
      '',
    ),
    'hex',
  )
  const pixels = Buffer.from(
    'e07f10004f420000fffffffffeff00e000000000feff00e004000000ffd8ffd9feffdde000000000',
    'hex',
  )
  const at = header.indexOf(Buffer.from([0x10, 0, 0x10, 0, 0x50, 0x4e]))
  const bytes = Buffer.concat([header.subarray(0, at), odd, header.subarray(at), pixels])
  const copy = await copied(
    bytes,
    [{ tag: NAME, value: 'Sample^Sue' }],
    '1.2.840.10008.1.2.4.50',
  ).catch(() => undefined)
  // `readDataSet` reads no fragments: the bytes are looked at.
  expect(copy).toBeUndefined()
  const raw = await rawCopy(bytes, '1.2.840.10008.1.2.4.50')
  expect(raw.includes(odd)).toBe(true)
  expect(raw.subarray(-pixels.length).equals(pixels)).toBe(true)
})

async function rawCopy(source: Buffer, syntax: string): Promise<Buffer> {
  using folder = tempFolder()
  const path = join(folder.folder, 'source')
  writeFileSync(path, source)
  const pieces: Buffer[] = []
  await writeCorrectedCopy(
    { path, dataSetOffset: 0, transferSyntaxUid: syntax },
    {
      values: [{ tag: NAME, value: 'Sample^Sue' }],
      uids: new Map(),
      deviceCharacterSet: [],
      source: 'CT1',
      aeTitle: 'CLINIC',
      at: '20260310',
    },
    async (piece) => void pieces.push(Buffer.from(piece)),
  )
  return Buffer.concat(pieces)
}

test.each([TRANSFER_SYNTAX.implicitLittleEndian, EXPLICIT, TRANSFER_SYNTAX.explicitBigEndian])(
  'in %s everything that is not corrected is the same, whatever the values are',
  async (syntax) => {
    const values = fc.record({
      ImageComments: fc.stringMatching(/^[a-z]{0,40}$/),
      StudyDescription: fc.stringMatching(/^[A-Z]{0,20}$/),
      Rows: fc.integer({ min: 0, max: 65_535 }),
      ReferencedImageSequence: fc.array(
        fc.record({ ReferencedSOPInstanceUID: fc.constantFrom('1.2.3', '1.2.3.100.1.1') }),
        {
          maxLength: 3,
        },
      ),
    })
    await fc.assert(
      fc.asyncProperty(values, fc.stringMatching(/^[A-Z]{1,10}$/), async (some, name) => {
        const before = dataSetOf({ ...IMAGE, ...(some as Values) })
        const { dataSet } = await copied(
          writeDataSet(before, syntax),
          [{ tag: NAME, value: name }],
          syntax,
        )
        const isCorrected = ({ tag }: Element) =>
          [NAME, tagOf('SOPInstanceUID'), tagOf('OriginalAttributesSequence')].includes(tag)
        const written = (elements: DataSet) =>
          writeDataSet(
            elements.filter((one) => !isCorrected(one)),
            EXPLICIT,
          )
        const expected = before.map((element): Element => {
          if (element.tag !== tagOf('ReferencedImageSequence')) return element
          const uids = (some.ReferencedImageSequence as { ReferencedSOPInstanceUID: string }[]).map(
            ({ ReferencedSOPInstanceUID: uid }) => ({
              ReferencedSOPInstanceUID: uid === IMAGE.SOPInstanceUID ? '2.25.1' : uid,
            }),
          )
          return dataSetOf({ ReferencedImageSequence: uids })[0] as Element
        })
        // Read back, so that padding is the same on both sides.
        const readBack = (elements: DataSet) =>
          readDataSet(writeDataSet(elements, EXPLICIT), EXPLICIT, {
            elements: 1000,
            depth: 8,
            bytes: 1 << 20,
          })
        expect(written(dataSet)).toEqual(written(readBack(expected)))
      }),
      runs(25),
    )
  },
)

test('a file that ends within an element is not copied', async () => {
  const bytes = writeDataSet(dataSetOf(IMAGE), EXPLICIT)
  await expect(rawCopy(bytes.subarray(0, -3), EXPLICIT)).rejects.toThrow(CopyFault)
})
