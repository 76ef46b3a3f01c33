import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sfntOfWoff } from '#server/modules/reports/report-pdf-fonts.ts'

const FILE = join(
  import.meta.dirname,
  '../../../../../node_modules/@fontsource/noto-sans/files/noto-sans-greek-400-normal.woff',
)

describe('a font of a WOFF file', () => {
  it('is the plain font, with its tables whole and where its directory says', () => {
    const font = sfntOfWoff(readFileSync(FILE))
    expect(font.readUInt32BE(0)).toBe(0x00010000)
    const count = font.readUInt16BE(4)
    const tables = Array.from({ length: count }, (_, at) => {
      const entry = 12 + at * 16
      const [checksum, offset, length] = [4, 8, 12].map((field) =>
        font.readUInt32BE(entry + field),
      ) as [number, number, number]
      return { tag: font.toString('latin1', entry, entry + 4), checksum, offset, length }
    })
    for (const tag of ['cmap', 'glyf', 'head', 'hmtx', 'loca', 'name'])
      expect(tables.map((table) => table.tag)).toContain(tag)
    for (const { tag, checksum, offset, length } of tables) {
      expect(offset % 4).toBe(0)
      // OpenType, Calculating Checksums: that of `head` leaves out a field of its own.
      if (tag !== 'head') expect(sumOf(font.subarray(offset, offset + length)), tag).toBe(checksum)
    }
  })

  it('is refused where the file is none', () => {
    expect(() => sfntOfWoff(Buffer.alloc(100))).toThrow('not a WOFF file')
  })
})

function sumOf(table: Buffer): number {
  const padded = Buffer.concat([table, Buffer.alloc(-table.length & 3)])
  let sum = 0
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0
  return sum
}
