import { expect, it } from 'vitest'
import { jsonOfHeader, jsonPersonName } from '#server/dicom/data-set/dicom-json.ts'
import { readWholeHeader } from '#server/dicom/data-set/whole-header.ts'
import { fileOf, IMAGE, TestSource, uint16 } from '../pixel-data/viewed-file-fixture.ts'

const jsonOf = (values: Parameters<typeof fileOf>[0], options: Parameters<typeof fileOf>[1] = {}) =>
  jsonOfHeader(readWholeHeader(new TestSource(fileOf(values, options))), (path) => `/${path}`)

it('has text in Unicode, numbers, and empty attributes without a value', () => {
  const json = jsonOf({
    ...IMAGE,
    PatientName: 'Yamada^Tarou=山田^太郎=やまだ^たろう',
    PixelSpacing: '0.5\\0.25',
    InstanceNumber: '7',
    SeriesNumber: 'seven',
    ImageType: 'ORIGINAL\\\\AXIAL',
    PatientComments: 'one \\ two',
    PatientBirthDate: '',
  })
  expect(json).toMatchObject({
    '00080005': { vr: 'CS', Value: ['ISO_IR 192'] },
    '00080008': { vr: 'CS', Value: ['ORIGINAL', null, 'AXIAL'] },
    '00100010': {
      vr: 'PN',
      Value: [{ Alphabetic: 'Yamada^Tarou', Ideographic: '山田^太郎', Phonetic: 'やまだ^たろう' }],
    },
    '00104000': { vr: 'LT', Value: ['one \\ two'] },
    '00200011': { vr: 'IS', Value: ['seven'] },
    '00200013': { vr: 'IS', Value: [7] },
    '00280010': { vr: 'US', Value: [4] },
    '00280030': { vr: 'DS', Value: [0.5, 0.25] },
  })
  expect(json['00100030']).toEqual({ vr: 'DA' })
})

it('has short binary values, and the URI of long ones and of pixels', () => {
  const json = jsonOf({
    ...IMAGE,
    RedPaletteColorLookupTableData: uint16(1, 2),
    EncapsulatedDocument: Buffer.alloc(10_000, 1),
    PixelData: Buffer.alloc(24),
  })
  expect(json['00281201']).toEqual({ vr: 'OW', InlineBinary: 'AQACAA==' })
  expect(json['00420011']).toEqual({ vr: 'OB', BulkDataURI: '/00420011' })
  expect(json['7FE00010']).toEqual({ vr: 'OB', BulkDataURI: '/7FE00010' })
})

it('has numbers of a data set in big endian', () => {
  const json = jsonOf(IMAGE, { transferSyntaxUid: '1.2.840.10008.1.2.2' })
  expect(json['00280011']).toEqual({ vr: 'US', Value: [6] })
})

it('leaves out empty groups of a name', () => {
  expect(jsonPersonName('Doe^Jane^^^')).toEqual({ Alphabetic: 'Doe^Jane' })
  expect(jsonPersonName('=山田')).toEqual({ Ideographic: '山田' })
})
