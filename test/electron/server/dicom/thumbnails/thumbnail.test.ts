import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Rendering, THUMBNAIL_RENDERING } from '#server/dicom/thumbnails/rendering.ts'
import { pictureOf, renderedFrame } from '#server/dicom/thumbnails/thumbnail.ts'
import { readPng } from '../../../../support/png.ts'
import { tempFolder } from '../../../../support/temp-store.ts'
import {
  encapsulatedFile,
  fileOf,
  IMAGE,
  JPEG,
  RLE,
  uint16,
} from '../pixel-data/viewed-file-fixture.ts'

const thumbnailOf = (path: string, rendering: Rendering = THUMBNAIL_RENDERING) =>
  renderedFrame(path, rendering)

/** What becomes of a file of these bytes. */
async function made<T>(bytes: Buffer, make: (path: string) => Promise<T>): Promise<T> {
  using folder = tempFolder()
  const path = join(folder.folder, 'image.dcm')
  writeFileSync(path, bytes)
  return await make(path)
}
const pictured = (bytes: Buffer) => made(bytes, pictureOf)
const levelsOf = async (bytes: Buffer) =>
  [...((await pictured(bytes))?.rgba ?? [])].filter((_, at) => at % 4 === 0)

const SHAPE = { Rows: uint16(1), Columns: uint16(2) }
const WINDOW = { WindowCenter: '128', WindowWidth: '256' }

describe('a thumbnail', () => {
  it('is a PNG file of at most 128 pixels', async () => {
    const side = 300
    const PixelData = Buffer.alloc(side * side, 90)
    const file = fileOf({ ...IMAGE, Rows: uint16(side), Columns: uint16(side), PixelData })
    const png = readPng((await made(file, thumbnailOf)) as Buffer)
    expect(png).toMatchObject({ width: 128, height: 128 })
  })

  it('is in the window of the file, inverted where the image is MONOCHROME1', async () => {
    const values = { ...IMAGE, ...SHAPE, ...WINDOW, PixelData: Buffer.from([0, 200]) }
    expect(await levelsOf(fileOf(values))).toEqual([0, 200])
    expect(await levelsOf(fileOf({ ...values, PhotometricInterpretation: 'MONOCHROME1' }))).toEqual(
      [255, 55],
    )
  })

  it('is of signed values after the rescale', async () => {
    const file = fileOf(
      {
        ...{ ...IMAGE, ...SHAPE, BitsAllocated: uint16(16), BitsStored: uint16(16) },
        ...{ HighBit: uint16(15), PixelRepresentation: uint16(1) },
        ...{ RescaleSlope: '2', RescaleIntercept: '-100', WindowCenter: '0.5', WindowWidth: '401' },
        PixelData: uint16(-50, 100),
      },
      { pixelVr: 'OW' },
    )
    expect(await levelsOf(file)).toEqual([0, 191])
  })

  it('is the middle frame', async () => {
    const values = { ...IMAGE, ...SHAPE, ...WINDOW, NumberOfFrames: '3' }
    const frames = Buffer.from([10, 10, 200, 200, 30, 30])
    expect(await levelsOf(fileOf({ ...values, PixelData: frames }))).toEqual([200, 200])
  })

  it('is in colours', async () => {
    const file = fileOf({
      ...{ ...IMAGE, ...SHAPE, SamplesPerPixel: uint16(3), PhotometricInterpretation: 'RGB' },
      ...{ PlanarConfiguration: uint16(1), PixelData: Buffer.from([1, 2, 3, 4, 5, 6]) },
    })
    expect([...((await pictured(file))?.rgba ?? [])]).toEqual([1, 3, 5, 255, 2, 4, 6, 255])
  })
})

// By cjxl 0.7.0, lossless: 24 columns, 16 rows; the 16-bit image is in a container.
const JXL = {
  grey: Buffer.from('/woDQVBcCAgCAQCMAEsoN9YfvFNQMEFBgePFGJyMMd6ncxYOAiAQgMMlUo4N45gg', 'base64'),
  deep: Buffer.from(
    [
      'AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAB7anhsY/8KA/EDFBcCCAIBAJQBSzhp',
      'mMqD90somGJkxKrGGGNsDB4agyn3omVtO/B18xYiMrkjIiIiIuibIiIiIhL3ItLd3d3d3d3d3d3d3d1wY92tOze0',
      'dQ8/6pYk112ErhsSX7dugHLdq5S6MT10m1bu1k3+rRs=',
    ].join(''),
    'base64',
  ),
  rgb: Buffer.from(
    [
      '/woDQUBxIQgCAQA0A0soIidbR90Z/DZoRIgYVO9IkCBChCOaKBGFCIy4xxjGQFSMkTEYhw2RjIqNjYqKjVVUDJ5E',
      'DyHCGIOhMe8uxjwh7Tg3AoABhAACAIncZAEAn5z+F73/L0vR/7+GyM8DakToGBjeE9AD+BEpB1C8i4ZfAEBABAD3',
      'FmAB+jFMl9EB/xGSo6DgMXr9/QF8pSPjPeAEESCr4GQBCY9WSlMPh0muj2MhJENeSoCGZglSigKGlCkIUoNJBiXd',
      'z9xp9T+pbr3kcsDV7F1FktcixwM=',
    ].join(''),
    'base64',
  ),
}
const JXL_SHAPE = { Rows: uint16(16), Columns: uint16(24) }
const JXL_SYNTAX = { transferSyntaxUid: '1.2.840.10008.1.2.4.110' }

describe('a thumbnail of JPEG XL', () => {
  const at = Array.from({ length: 24 * 16 }, (_, index) => [index % 24, Math.trunc(index / 24)])

  it('is in the window of the file', async () => {
    const file = encapsulatedFile({ ...IMAGE, ...JXL_SHAPE, ...WINDOW }, [JXL.grey], JXL_SYNTAX)
    expect(await levelsOf(file)).toEqual(at.map(([x = 0, y = 0]) => (x * 7 + y * 5) % 256))
  })

  it('is of 16 bits', async () => {
    const values = {
      ...{ ...IMAGE, ...JXL_SHAPE, BitsAllocated: uint16(16), BitsStored: uint16(16) },
      ...{ HighBit: uint16(15), WindowCenter: '1825', WindowWidth: '3651' },
    }
    const levels = await levelsOf(encapsulatedFile(values, [JXL.deep], JXL_SYNTAX))
    for (const [index, [x = 0, y = 0]] of at.entries())
      expect(Math.abs((levels[index] ?? 0) - ((x * 100 + y * 90) / 3650) * 255)).toBeLessThan(1)
  })

  it('is in colours', async () => {
    const values = {
      ...{ ...IMAGE, ...JXL_SHAPE, SamplesPerPixel: uint16(3) },
      ...{ PhotometricInterpretation: 'RGB', PlanarConfiguration: uint16(0) },
    }
    const picture = await pictured(encapsulatedFile(values, [JXL.rgb], JXL_SYNTAX))
    expect([...(picture?.rgba ?? [])]).toEqual(
      at.flatMap(([x = 0, y = 0]) => [x * 10, y * 15, (x * y) % 256, 255]),
    )
  })
})

describe('there is no thumbnail', () => {
  const none = async (bytes: Buffer) => expect(await made(bytes, thumbnailOf)).toBeNull()
  const large = { Rows: uint16(0xffff), Columns: uint16(0xffff) }

  it('of what is no image', async () => {
    await none(fileOf({ ...IMAGE, SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11' }))
    await none(fileOf({ ...IMAGE, SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.1' }))
    await none(Buffer.alloc(0))
    await none(Buffer.from('GIF89a and more of it'))
  })

  it('of a file that ends early', async () => {
    const whole = fileOf({ ...IMAGE, PixelData: Buffer.alloc(24) })
    for (const length of [whole.length - 20, whole.length >> 1, 200, 140, 131])
      await none(whole.subarray(0, length))
  })

  it('of an image that claims to be larger than it can be', async () => {
    await none(fileOf({ ...IMAGE, ...large, PixelData: Buffer.alloc(24) }))
    await none(encapsulatedFile({ ...IMAGE, ...large }, [Buffer.alloc(64)], inSyntax(RLE)))
  })

  it('where the compressed data is of another size than the header says', async () => {
    const jpeg = Buffer.from('ffd8ffc0000b08ffffffff0101110000ffd9', 'hex')
    await none(encapsulatedFile({ ...IMAGE }, [jpeg], inSyntax(JPEG)))
    const jpeg2000 = Buffer.alloc(64)
    jpeg2000.writeUInt32BE(0xff4fff51)
    jpeg2000.writeUInt32BE(0x7fffffff, 8)
    jpeg2000.writeUInt32BE(0x7fffffff, 12)
    jpeg2000.writeUInt16BE(1, 40)
    for (const syntax of ['90', '91', '201', '203'])
      await none(encapsulatedFile(IMAGE, [jpeg2000], inSyntax(`1.2.840.10008.1.2.4.${syntax}`)))
    const turned = { Rows: uint16(24), Columns: uint16(16) }
    await none(encapsulatedFile({ ...IMAGE, ...turned }, [JXL.grey], JXL_SYNTAX))
    await none(encapsulatedFile({ ...IMAGE, ...JXL_SHAPE }, [JXL.rgb], JXL_SYNTAX))
  })

  it('of data that its decoder refuses, of any syntax', async () => {
    const header = Buffer.from('ffd8ffc3000b080004000601011100', 'hex')
    const siz = Buffer.alloc(60)
    siz.writeUInt32BE(0xff4fff51)
    siz.writeUInt16BE(41, 4)
    siz.writeUInt32BE(6, 8)
    siz.writeUInt32BE(4, 12)
    siz.writeUInt16BE(1, 40)
    const noise = Buffer.from(Array.from({ length: 300 }, (_, n) => (n * n * 31) & 0xff))
    for (const syntax of ['50', '51', '57', '70', '80', '81'])
      await none(
        encapsulatedFile(
          IMAGE,
          [Buffer.concat([header, noise])],
          inSyntax(`1.2.840.10008.1.2.4.${syntax}`),
        ),
      )
    for (const syntax of ['90', '91', '201', '202', '203'])
      await none(
        encapsulatedFile(
          IMAGE,
          [Buffer.concat([siz, noise])],
          inSyntax(`1.2.840.10008.1.2.4.${syntax}`),
        ),
      )
    const twelve = { ...IMAGE, BitsAllocated: uint16(16), BitsStored: uint16(12) }
    const extended = Buffer.from('ffd8ffc1000b0c0004000601011100', 'hex')
    for (const body of [noise, extended])
      await none(
        encapsulatedFile(
          { ...twelve, HighBit: uint16(11) },
          [Buffer.concat([extended, body])],
          inSyntax('1.2.840.10008.1.2.4.51'),
        ),
      )
    // JPEG XL, and video, which is not decoded here.
    const begun = JXL.grey.subarray(0, 30)
    for (const body of [noise, begun, Buffer.concat([begun, noise])])
      await none(encapsulatedFile({ ...IMAGE, ...JXL_SHAPE }, [body], JXL_SYNTAX))
    for (const syntax of ['110', '112', '102'])
      await none(encapsulatedFile(IMAGE, [noise], inSyntax(`1.2.840.10008.1.2.4.${syntax}`)))
  })

  it('where the file is gone', async () => {
    await expect(thumbnailOf('/no/such/file.dcm')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

function inSyntax(transferSyntaxUid: string) {
  return { transferSyntaxUid }
}
