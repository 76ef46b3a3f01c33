import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  doubles,
  fileOf,
  framesOf,
  headerOf,
  IMAGE,
  opened,
  uint16,
} from './viewed-file-fixture.ts'

const BIG = TRANSFER_SYNTAX.explicitBigEndian

describe('frames of native pixel data', () => {
  it('of one bit a pixel follow each other without a gap', () => {
    // 3 × 3 pixels: frames of 9 bits.
    const bits = '101010101' + '110011001' + '000111000'
    const bytes = Buffer.alloc(4)
    for (const [index, bit] of [...bits].entries())
      if (bit === '1') bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7))
    const small = {
      ...IMAGE,
      Rows: uint16(3),
      Columns: uint16(3),
      BitsAllocated: uint16(1),
      BitsStored: uint16(1),
      HighBit: uint16(0),
    }
    for (const file of [
      fileOf({ ...small, NumberOfFrames: '3', PixelData: bytes }),
      fileOf(
        { ...small, NumberOfFrames: '3', PixelData: bytes },
        { transferSyntaxUid: BIG, pixelVr: 'OW' },
      ),
    ]) {
      const frames = framesOf(file) as Buffer[]
      const read = frames.map((frame) =>
        Array.from({ length: 9 }, (_, index) => ((frame[index >> 3] ?? 0) >> (index & 7)) & 1).join(
          '',
        ),
      )
      expect(read.join('')).toBe(bits)
      expect(frames.map(({ length }) => length)).toEqual([2, 2, 2])
      expect(frames.every((frame) => (frame[1] ?? 0) < 2)).toBe(true)
    }
  })

  it('of a byte a pixel, in words of Big Endian, are put in order, also where they begin within a word', () => {
    const odd = { ...IMAGE, Rows: uint16(3), Columns: uint16(3), NumberOfFrames: '2' }
    const pixels = Buffer.from(Array.from({ length: 18 }, (_, index) => index + 1))
    const file = fileOf({ ...odd, PixelData: pixels }, { transferSyntaxUid: BIG, pixelVr: 'OW' })
    expect(framesOf(file)).toEqual([pixels.subarray(0, 9), pixels.subarray(9)])
    expect(
      framesOf(fileOf({ ...odd, PixelData: pixels }, { transferSyntaxUid: BIG, pixelVr: 'OB' })),
    ).toEqual([pixels.subarray(0, 9), pixels.subarray(9)])
  })

  it('of 16 and 32 bits stay in the byte order of the file', () => {
    const wide = {
      ...IMAGE,
      Rows: uint16(1),
      Columns: uint16(2),
      BitsAllocated: uint16(16),
      BitsStored: uint16(12),
      HighBit: uint16(11),
    }
    expect(
      framesOf(fileOf({ ...wide, PixelData: uint16(0x0102, 0x0304) }, { pixelVr: 'OW' })),
    ).toEqual([Buffer.from('02010403', 'hex')])
    expect(
      framesOf(
        fileOf(
          { ...wide, PixelData: uint16(0x0102, 0x0304) },
          { pixelVr: 'OW', transferSyntaxUid: BIG },
        ),
      ),
    ).toEqual([Buffer.from('01020304', 'hex')])
  })

  it('of floating point numbers are told as such', () => {
    const { BitsStored: _, HighBit: __, ...others } = IMAGE
    const bytes = fileOf({
      ...others,
      Rows: uint16(1),
      Columns: uint16(2),
      BitsAllocated: uint16(64),
      DoubleFloatPixelData: doubles(1.5, -2),
    })
    expect(headerOf(bytes).instance.image).toMatchObject({ float: 'double', bitsAllocated: 64 })
    expect(framesOf(bytes)).toEqual([doubles(1.5, -2)])
    const single = fileOf({
      ...others,
      Rows: uint16(1),
      Columns: uint16(2),
      BitsAllocated: uint16(32),
      FloatPixelData: Buffer.alloc(8, 1),
    })
    expect(headerOf(single).instance.image).toMatchObject({ float: 'float', bitsAllocated: 32 })
    expect(framesOf(single)).toEqual([Buffer.alloc(8, 1)])
  })

  it('of YBR_FULL_422 have two samples a pixel, unless their length says that they have three', () => {
    const ybr = {
      ...IMAGE,
      SamplesPerPixel: uint16(3),
      PhotometricInterpretation: 'YBR_FULL_422',
      PlanarConfiguration: uint16(0),
      NumberOfFrames: '2',
    }
    const half = fileOf({ ...ybr, PixelData: Buffer.alloc(2 * 48) })
    expect(headerOf(half).instance.image?.photometricInterpretation).toBe('YBR_FULL_422')
    expect(framesOf(half).map(({ length }) => length)).toEqual([48, 48])
    const full = fileOf({ ...ybr, PixelData: Buffer.alloc(2 * 72) })
    expect(headerOf(full).instance.image?.photometricInterpretation).toBe('YBR_FULL')
    expect(framesOf(full).map(({ length }) => length)).toEqual([72, 72])
  })

  it('of a file of gigabytes are found beyond what 32 bits count', () => {
    const bytes = fileOf({
      ...IMAGE,
      Rows: uint16(32_768),
      Columns: uint16(32_768),
      NumberOfFrames: '3',
      PixelData: Buffer.alloc(0),
    })
    const start = bytes.length
    bytes.writeUInt32LE(3 * 2 ** 30, start - 4)
    const { source, file } = opened(bytes)
    const reads: number[] = []
    Object.assign(source, { length: start + 3 * 2 ** 30 })
    source.read = (at, length) => {
      reads.push(at)
      return Buffer.concat([
        bytes.subarray(at, at + length),
        Buffer.alloc(Math.max(0, at + length - bytes.length)),
      ])
    }
    expect(file.frame(3)?.spans).toEqual([{ at: start + 2 * 2 ** 30, length: 2 ** 30 }])
    expect(file.fault()).toBeUndefined()
    expect(Math.max(...reads)).toBeLessThan(start)
  })
})
