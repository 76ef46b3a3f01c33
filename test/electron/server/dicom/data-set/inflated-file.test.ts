import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { scratchFolder } from '../../../../support/dcmtk.ts'
import { textOf } from '../../../../support/saying.ts'
import {
  EXPLICIT,
  fileOf,
  framesOf,
  headerOf,
  IMAGE,
  meta,
  opened,
} from '../pixel-data/viewed-file-fixture.ts'

const DEFLATED = TRANSFER_SYNTAX.deflatedExplicitLittleEndian
const pixels = Buffer.from(Array.from({ length: 24 * 3 }, (_, index) => (index * 131) & 0xff))
const file = () =>
  fileOf({ ...IMAGE, NumberOfFrames: '3', PixelData: pixels }, { transferSyntaxUid: DEFLATED })

async function inflated(bytes: Buffer, most = 1 << 20): Promise<Buffer> {
  using folder = scratchFolder()
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')]
  writeFileSync(from, bytes)
  try {
    await inflatedFile(from, to, { bytes: most })
    return readFileSync(to)
  } catch (error) {
    expect(existsSync(to)).toBe(false)
    throw error
  }
}

describe('a deflated file', () => {
  it('becomes one in Explicit VR Little Endian', async () => {
    const bytes = await inflated(file())
    expect(headerOf(bytes).instance).toMatchObject({
      transferSyntaxUid: EXPLICIT,
      frames: 3,
      sopInstanceUid: '2.25.3',
    })
    expect(Buffer.concat(framesOf(bytes) as Buffer[])).toEqual(pixels)
    expect(bytes).toEqual(fileOf({ ...IMAGE, NumberOfFrames: '3', PixelData: pixels }))
  })

  it('that breaks off becomes one that breaks off', async () => {
    const large = Buffer.concat([
      meta(DEFLATED),
      deflateRawSync(
        fileOf({ ...IMAGE, NumberOfFrames: '3', PixelData: pixels }).subarray(meta().length),
        { level: 0 },
      ),
    ])
    const bytes = await inflated(large.subarray(0, large.length - 40))
    expect(textOf(opened(bytes).file.fault())).toMatch(/^It ends within its pixel data/)
  })

  it('that would become larger than the limit is refused', async () => {
    const bomb = Buffer.concat([meta(DEFLATED), deflateRawSync(Buffer.alloc(64 << 20))])
    expect(bomb.length).toBeLessThan(100_000)
    await expect(inflated(bomb)).rejects.toThrow(
      'It is compressed (deflate) and would be larger than any file is.',
    )
  })

  it('that cannot be inflated, or is none, is refused', async () => {
    await expect(
      inflated(Buffer.concat([meta(DEFLATED), Buffer.alloc(400, 0xfe)])),
    ).rejects.toThrow('It is compressed (deflate) and cannot be decompressed.')
    await expect(inflated(fileOf(IMAGE))).rejects.toThrow('It is not compressed (deflate).')
    await expect(inflated(Buffer.from('<html>'))).rejects.toThrow(
      'It is not a DICOM file: it begins like an HTML page.',
    )
    await expect(inflated(Buffer.alloc(0))).rejects.toThrow('It is empty.')
  })
})
