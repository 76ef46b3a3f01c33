import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeaderReader } from '#server/dicom/data-set/header-reader.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { encoded, IMAGE, type Values } from '../../modules/images/intake-fixture.ts'

const WANTED = [
  0x00080016, 0x00280002, 0x00280004, 0x00280008, 0x00280010, 0x00280011, 0x00280100, 0x00400275,
]
const JPEG = '1.2.840.10008.1.2.4.50'
const { explicitLittleEndian, implicitLittleEndian, explicitBigEndian } = TRANSFER_SYNTAX

/** Read in pieces of every length, which must say the same. */
function structureOf(bytes: Buffer, transferSyntax: string = explicitLittleEndian): Structure {
  const verdicts = [bytes.length, 1, 7].map((piece) => {
    const reader = new HeaderReader(transferSyntax, WANTED, { walks: true })
    for (let at = 0; at < bytes.length; at += piece)
      reader.push(Buffer.from(bytes.subarray(at, at + piece)))
    return reader.end().structure
  })
  const [first, ...others] = verdicts
  if (!first) throw new Error('its header cannot be read')
  for (const other of others) expect(other).toEqual(first)
  return first
}

const { PixelData: _, ...WITHOUT_PIXELS } = IMAGE
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** Encapsulated pixel data: an offset table and fragments. */
function encapsulated(
  values: Values,
  table: readonly number[],
  fragments: readonly Buffer[],
  end = 'feffdde000000000',
): Buffer {
  const item = (value: Buffer) => {
    const header = Buffer.from('feff00e000000000', 'hex')
    header.writeUInt32LE(value.length, 4)
    return Buffer.concat([header, value])
  }
  const offsets = Buffer.alloc(table.length * 4)
  for (const [index, offset] of table.entries()) offsets.writeUInt32LE(offset, index * 4)
  return Buffer.concat([
    encoded(values),
    hex('e07f1000 4f42 0000 ffffffff'),
    item(offsets),
    ...fragments.map(item),
    hex(end),
  ])
}

describe('the structure of an object with native pixels', () => {
  it.each([explicitLittleEndian, implicitLittleEndian, explicitBigEndian])(
    'is complete in %s',
    (transferSyntax) => {
      expect(structureOf(encoded(IMAGE, transferSyntax), transferSyntax)).toMatchObject({
        isComplete: true,
        detail: null,
      })
    },
  )

  it('is not where it ends before its length says, wherever that is', () => {
    const bytes = encoded(IMAGE)
    for (const missing of [1, 4, 8]) {
      expect(structureOf(bytes.subarray(0, -missing))).toEqual({
        isComplete: false,
        detail: 'It ends too early, at element (7FE0,0010).',
      })
    }
    // Right before its pixels.
    expect(structureOf(bytes.subarray(0, -20))).toEqual({
      isComplete: false,
      detail: 'It describes an image but has no pixel data.',
    })
  })

  it.each<[string, Values, boolean, string | null]>([
    [
      'shorter than Rows × Columns',
      { PixelData: 'pixels' },
      false,
      'Its pixel data has 6 of 8 bytes.',
    ],
    [
      'shorter than its frames',
      { NumberOfFrames: '3', PixelData: 'pixels__pixels__' },
      false,
      'Its pixel data has 16 of 24 bytes.',
    ],
    [
      'shorter than its samples',
      { SamplesPerPixel: 3 },
      false,
      'Its pixel data has 8 of 24 bytes.',
    ],
    [
      'of half the chrominance',
      { SamplesPerPixel: 3, BitsAllocated: 8, PhotometricInterpretation: 'YBR_FULL_422' },
      true,
      null,
    ],
    ['of one bit', { BitsAllocated: 1, Rows: 8, Columns: 8 }, true, null],
    ['padded to an even length', { BitsAllocated: 8, Rows: 7, Columns: 1 }, true, null],
    [
      'longer than it must be',
      { PixelData: 'pixels__more' },
      true,
      'Its pixel data is 4 bytes longer than its attributes say.',
    ],
  ])('is judged by them: %s', (_name, values, isComplete, detail) => {
    expect(structureOf(encoded({ ...IMAGE, ...values }))).toMatchObject({ isComplete, detail })
  })

  it('is complete without pixels where it is no image, or has them elsewhere', () => {
    expect(structureOf(encoded({ ...WITHOUT_PIXELS, BitsAllocated: 0 }))).toMatchObject({
      isComplete: true,
    })
    expect(
      structureOf(encoded({ ...WITHOUT_PIXELS, PixelDataProviderURL: 'https://pixels.example' })),
    ).toMatchObject({ isComplete: true })
    const { Rows, Columns, ...report } = WITHOUT_PIXELS
    expect([Rows, Columns, structureOf(encoded(report)).isComplete]).toEqual([2, 2, true])
  })

  it('tells that there is an Original Attributes Sequence, in a damaged object too', () => {
    const bytes = (pixels: Values) =>
      Buffer.concat([encoded(WITHOUT_PIXELS), hex('00046105 5351 0000 00000000'), encoded(pixels)])
    const PixelData = IMAGE.PixelData ?? []
    expect(structureOf(bytes({ PixelData }))).toMatchObject({
      isComplete: true,
      hasOriginalAttributes: true,
    })
    expect(structureOf(bytes({ PixelData }).subarray(0, -2))).toMatchObject({
      isComplete: false,
      hasOriginalAttributes: true,
    })
    expect(structureOf(encoded(IMAGE))).not.toHaveProperty('hasOriginalAttributes')
  })

  it('is not where something behind the pixels is cut off, but may end with zeros', () => {
    const bytes = Buffer.concat([encoded(IMAGE), hex('fcfffcff 4f42 0000 04000000 00000000')])
    expect(structureOf(bytes).isComplete).toBe(true)
    expect(structureOf(bytes.subarray(0, -1)).isComplete).toBe(false)
    expect(structureOf(Buffer.concat([encoded(IMAGE), hex('000000')])).isComplete).toBe(true)
    expect(structureOf(Buffer.concat([encoded(IMAGE), hex('010203')])).isComplete).toBe(false)
  })
})

describe('the structure of sequences', () => {
  const sequence = (inside: string, length: string) => hex(`08004011 5351 0000 ${length} ${inside}`)
  /** Before Modality (0008,0060) it would be out of order; behind the header nothing is. */
  const withSequence = (bytes: Buffer) => {
    const all = encoded(IMAGE)
    const at = all.indexOf(hex('10001000'))
    return Buffer.concat([all.subarray(0, at), bytes, all.subarray(at)])
  }

  it('is followed inside defined lengths, and a fault in one does not hide what comes after it', () => {
    expect(
      structureOf(withSequence(sequence('feff00e0 0a000000 08005011 5549 0200 312e', '12000000'))),
    ).toMatchObject({
      isComplete: true,
    })
    // The element in the item is longer than the item.
    expect(
      structureOf(withSequence(sequence('feff00e0 0a000000 08005011 5549 0900 312e', '12000000'))),
    ).toEqual({
      isComplete: false,
      detail: 'It is damaged, at element (0008,1150).',
    })
    // The item is longer than its sequence.
    expect(
      structureOf(withSequence(sequence('feff00e0 0b000000 08005011 5549 0200 312e', '12000000')))
        .isComplete,
    ).toBe(false)
  })
})

describe('the structure of encapsulated pixels', () => {
  const frame = Buffer.alloc(16, 7)
  const two: Values = { ...WITHOUT_PIXELS, NumberOfFrames: '2' }

  it('is complete with as many fragments as frames, with or without offsets', () => {
    expect(structureOf(encapsulated(two, [0, 24], [frame, frame]), JPEG)).toMatchObject({
      isComplete: true,
      detail: null,
    })
    expect(structureOf(encapsulated(two, [], [frame, frame]), JPEG)).toMatchObject({
      isComplete: true,
      detail: null,
    })
    expect(structureOf(encapsulated(two, [0, 48], [frame, frame, frame]), JPEG)).toMatchObject({
      isComplete: true,
      detail: null,
    })
  })

  it.each([
    ['a frame is missing', encapsulated(two, [], [frame]), 'It has 1 of 2 frames.'],
    ['all are missing', encapsulated(two, [], []), 'Its pixel data is empty.'],
    [
      'the offset table names a frame behind the end',
      encapsulated(two, [0, 48], [frame, frame]),
      'Its offset table points to a frame beyond the end of its pixel data.',
    ],
    [
      'the delimiter is missing',
      encapsulated(two, [0, 24], [frame, frame], ''),
      'It ends too early, at element (7FE0,0010).',
    ],
    [
      'a fragment ends early',
      encapsulated(two, [0, 24], [frame, frame], '').subarray(0, -3),
      'It ends too early, at element (7FE0,0010).',
    ],
    [
      'something else is between them',
      encapsulated(two, [0, 24], [frame, frame], 'feff0de000000000'),
      'It is damaged, at element (7FE0,0010).',
    ],
  ])('is not where %s', (_name, bytes, detail) => {
    expect(structureOf(bytes, JPEG)).toEqual({ isComplete: false, detail })
  })

  it('has a note where its offset table points between fragments, and one fragment of a video holds all frames', () => {
    expect(structureOf(encapsulated(two, [0, 20], [frame, frame]), JPEG)).toMatchObject({
      isComplete: true,
      detail: 'Its offset table does not match its fragments.',
    })
    expect(structureOf(encapsulated(two, [], [frame]), '1.2.840.10008.1.2.4.102')).toMatchObject({
      isComplete: true,
    })
  })
})

describe('following the structure', () => {
  const REQUEST = 0x00400275
  const nested = encoded({
    ...IMAGE,
    ReferencedImageSequence: [
      { ReferencedSOPInstanceUID: '1.2', PurposeOfReferenceCodeSequence: [{ CodeValue: '1' }] },
    ],
    RequestAttributesSequence: [
      { ScheduledProcedureStepID: 'S1' },
      { ScheduledProcedureStepID: 'S2' },
    ],
  })

  it(
    'leaves the header as it is read without it, whatever is damaged',
    () => {
      const wanted = [...WANTED.slice(0, -1), { sequence: REQUEST, tags: [0x00400009] }]
      const read = (bytes: Buffer, piece: number, walks: boolean) => {
        const reader = new HeaderReader(explicitLittleEndian, wanted, { walks })
        for (let at = 0; at < bytes.length; at += piece)
          reader.push(Buffer.from(bytes.subarray(at, at + piece)))
        const { fault, reachedPixelData, ...header } = reader.end()
        const values = WANTED.map((tag) => header.get(tag)?.toString('hex'))
        // Where a sequence is entered, a fault is at an element within it.
        return {
          fault: fault?.replace(/ \(at .*$/, ''),
          reachedPixelData,
          values,
          step: header.first(REQUEST)?.get(0x00400009)?.toString(),
        }
      }
      const change = fc.record({ at: fc.nat(nested.length - 1), to: fc.nat(255) })
      fc.assert(
        fc.property(
          fc.array(change, { maxLength: 3 }),
          fc.integer({ min: 1, max: 60 }),
          fc.nat(40),
          (changes, piece, cut) => {
            const bytes = Buffer.from(nested.subarray(0, nested.length - cut))
            for (const { at, to } of changes) if (at < bytes.length) bytes[at] = to
            expect(read(bytes, piece, true)).toEqual(read(bytes, bytes.length, false))
          },
        ),
        runs(500),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
