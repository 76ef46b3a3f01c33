import { describe, expect, it } from 'vitest'
import { codestreamSize } from '#server/dicom/thumbnails/codestream-size.ts'

const of = (hex: string) => codestreamSize(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('the size of a compressed frame', () => {
  it('is in the frame header of a JPEG, behind other segments', () => {
    expect(of('ffd8 ffe0 0004 0000 ffc0 0011 08 0203 0405 03 00')).toEqual({
      rows: 0x203,
      columns: 0x405,
      components: 3,
    })
    expect(of('ffd8 ff ffc3 0011 10 0010 0020 01 00')).toMatchObject({ rows: 16, columns: 32 })
    expect(of('ffd8 fff7 0011 10 0010 0020 01 00')).toMatchObject({ rows: 16, columns: 32 })
  })

  it('is not taken from a table of Huffman codes', () => {
    expect(of('ffd8 ffc4 0004 0000 ffc1 0011 08 0001 0002 01 00')).toMatchObject({ rows: 1 })
  })

  it('is in the SIZ segment of JPEG 2000, without its offset', () => {
    const tiles = '00000000'.repeat(4)
    const siz = `ff4f ff51 002f 0000 00000110 00000210 00000010 00000010 ${tiles} 0003`
    expect(of(siz)).toEqual({ rows: 0x200, columns: 0x100, components: 3 })
  })

  it('is not known of anything else', () => {
    for (const hex of [
      '',
      'ff',
      'ffd8',
      '00112233445566778899',
      'ffd8 0000 0000 0000',
      'ff4f ff52',
    ])
      expect(of(hex), hex).toBeUndefined()
    expect(of(`ffd8${'ffe00004 0000'.repeat(100)}`)).toBeUndefined()
  })
})
