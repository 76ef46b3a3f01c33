import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import {
  EXPLICIT,
  encapsulatedFile,
  framesOf,
  headerOf,
  IMAGE,
  item,
  JPEG,
  jpeg,
  meta,
  opened,
  RLE,
} from './viewed-file-fixture.ts'

const two = { ...IMAGE, NumberOfFrames: '2' }
const [one, other] = [jpeg('one.'), jpeg('other.')]
const HALVES = [
  one.subarray(0, 6),
  one.subarray(6),
  other.subarray(0, 4),
  other.subarray(4, 8),
  other.subarray(8),
]
const uint64 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 8)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), index * 8)
  return bytes
}

describe('frames of encapsulated pixel data', () => {
  it('are found by the Basic Offset Table, of one fragment or several', () => {
    expect(framesOf(encapsulatedFile(two, [one, other], { table: [0, one.length + 8] }))).toEqual([
      one,
      other,
    ])
    expect(framesOf(encapsulatedFile(two, HALVES, { table: [0, one.length + 16] }))).toEqual([
      one,
      other,
    ])
  })

  it('are found by the Extended Offset Table, without a byte of padding', () => {
    const odd = Buffer.concat([jpeg('odd'), Buffer.alloc(1)])
    const bytes = encapsulatedFile(
      {
        ...two,
        ExtendedOffsetTable: uint64(0, odd.length + 8),
        ExtendedOffsetTableLengths: uint64(odd.length - 1, other.length),
      },
      [odd, other],
    )
    expect(framesOf(bytes)).toEqual([jpeg('odd'), other])
  })

  it('are found without a table: one fragment each, or by where pictures begin', () => {
    expect(framesOf(encapsulatedFile(two, [one, other]))).toEqual([one, other])
    expect(framesOf(encapsulatedFile(two, HALVES))).toEqual([one, other])
    expect(
      framesOf(
        encapsulatedFile(two, [Buffer.from('ab'), Buffer.from('cd')], { transferSyntaxUid: RLE }),
      ),
    ).toEqual([Buffer.from('ab'), Buffer.from('cd')])
    expect(framesOf(encapsulatedFile(two, [Buffer.from('ab'), Buffer.from('cd')]))).toEqual([
      Buffer.from('ab'),
      Buffer.from('cd'),
    ])
  })

  it('are all fragments of an image of one frame', () => {
    expect(framesOf(encapsulatedFile(IMAGE, HALVES.slice(0, 2)))).toEqual([one])
    expect(framesOf(encapsulatedFile(IMAGE, [one, other]))).toEqual([Buffer.concat([one, other])])
  })

  it.each([
    ['beyond the pixel data', [0, 99_999]],
    ['within a fragment', [0, 5]],
    ['descending', [40, 0]],
    ['of more frames', [0, 18, 36]],
    ['the same for all', [0, 0]],
  ])('are found where the table is wrong: %s', (_name, table) => {
    expect(framesOf(encapsulatedFile(two, [one, other], { table }))).toEqual([one, other])
  })

  it('are found where the extended table is wrong', () => {
    for (const [offsets, lengths] of [
      [uint64(0, 5), uint64(1, 1)],
      [uint64(0, 2 ** 52), uint64(1, 1)],
      [uint64(0), uint64(one.length)],
      [uint64(0, 18), uint64(9999, 9999)],
    ]) {
      const bytes = encapsulatedFile(
        { ...two, ExtendedOffsetTable: offsets, ExtendedOffsetTableLengths: lengths },
        [one, other],
      )
      expect(framesOf(bytes)).toEqual([one, other])
    }
  })

  it('are found where a writer left out the table, or the delimiter', () => {
    const whole = encapsulatedFile(two, [one, other])
    const at = whole.indexOf(Buffer.from('feff00e000000000', 'hex'))
    expect(framesOf(Buffer.concat([whole.subarray(0, at), whole.subarray(at + 8)]))).toEqual([
      one,
      other,
    ])
    const open = encapsulatedFile(two, [one, other], { isEnded: false })
    expect(framesOf(open)).toEqual([one, other])
    expect(opened(open).file.fault()).toBeUndefined()
  })

  it('stand in pixel data with a length, in items or bare', () => {
    const withLength = (values: NamedValues, value: Buffer) =>
      Buffer.concat([
        meta(JPEG),
        writeDataSet(namedDataSet({ ...values, PixelData: value }), EXPLICIT),
      ])
    expect(
      framesOf(withLength(two, Buffer.concat([item(Buffer.alloc(0)), item(one), item(other)]))),
    ).toEqual([one, other])
    expect(framesOf(withLength(IMAGE, one))).toEqual([one])
    expect(framesOf(withLength(two, one))).toEqual([
      one,
      'It should have 2 frames, but its pixel data contains 1.',
    ])
  })

  it('begin with fill bytes, as JPEG allows', () => {
    const filled = Buffer.concat([Buffer.from('ffff', 'hex'), one])
    expect(
      framesOf(encapsulatedFile(two, [filled.subarray(0, 8), filled.subarray(8), other])),
    ).toEqual([filled, other])
  })

  it('are not sought for ever where there are items alone', () => {
    const empty = encapsulatedFile(
      { ...IMAGE, NumberOfFrames: '2' },
      Array(250_000).fill(Buffer.alloc(0)),
    )
    expect(framesOf(empty)).toEqual(
      Array(2).fill('It ends within its pixel data: none of 2 frames is complete.'),
    )
  })

  it('are fewer than the file says', () => {
    const bytes = encapsulatedFile({ ...IMAGE, NumberOfFrames: '4' }, [one, other])
    expect(framesOf(bytes)).toEqual([
      one,
      other,
      'It should have 4 frames, but its pixel data contains 2.',
      'It should have 4 frames, but its pixel data contains 2.',
    ])
    expect(opened(bytes).file.fault()).toEqual(
      'It should have 4 frames, but its pixel data contains 2.',
    )
  })

  it('are not taken from pieces in a transfer syntax that has none', () => {
    const bytes = encapsulatedFile(IMAGE, [one], { transferSyntaxUid: '1.2.840.10008.1.2.1' })
    expect(() => headerOf(bytes)).toThrow(
      'Its pixel data is in fragments, although its transfer syntax has none.',
    )
  })

  it('are found without reading them', () => {
    const large = Buffer.concat([one.subarray(0, 8), Buffer.alloc(1 << 20), one.subarray(8)])
    const { file, source } = opened(
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '10' }, Array(10).fill(large)),
    )
    expect(file.frame(10)?.spans[0]?.length).toBe(large.length)
    expect(file.fault()).toBeUndefined()
    expect(source.bytesRead).toBeLessThan(200_000)
  })

  it('go on being found where the last search ended', () => {
    const { file, source } = opened(
      encapsulatedFile({ ...IMAGE, NumberOfFrames: '1000' }, Array(1000).fill(one)),
    )
    for (let number = 1; number <= 1000; number++) file.frame(number)
    const before = source.bytesRead
    for (let number = 1; number <= 1000; number++) file.frame(number)
    expect(source.bytesRead).toBe(before)
    expect(before).toBeLessThan(150_000)
  })
})
