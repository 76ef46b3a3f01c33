import { describe, expect, it } from 'vitest'
import { CODINGS } from '#server/dicom/data-set/coding.ts'
import { newElementHeader, readElementHeader } from '#server/dicom/data-set/element-header.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'

const {
  implicitLittleEndian: ILE,
  explicitLittleEndian: ELE,
  explicitBigEndian: EBE,
} = TRANSFER_SYNTAX
const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')

/** The header that stands two bytes into a buffer, undefined where it is not whole. */
function headerOf(text: string, transferSyntax: string, { isItem = false, available = 12 } = {}) {
  const [header, coding] = [newElementHeader(), CODINGS[transferSyntax]]
  if (!coding) throw new RangeError(transferSyntax)
  const bytes = Buffer.concat([hex('ffff'), hex(text), Buffer.alloc(12)])
  return readElementHeader(header, bytes, 2, available, coding, isItem) ? header : undefined
}

describe('the header of an element', () => {
  it.each([
    [
      'implicit',
      ILE,
      '1000 2000 01020304',
      { tag: 0x00100020, vr: '', length: 0x04030201, size: 8 },
    ],
    ['short', ELE, '1000 2000 4c4f 0201', { tag: 0x00100020, vr: 'LO', length: 0x0102, size: 8 }],
    [
      'short, big-endian',
      EBE,
      '0010 0020 4c4f 0102',
      { tag: 0x00100020, vr: 'LO', length: 0x0102, size: 8 },
    ],
    [
      'long',
      ELE,
      'e07f 1000 4f57 0000 01020384',
      { tag: 0x7fe00010, vr: 'OW', length: 0x84030201, size: 12 },
    ],
    [
      'long, big-endian',
      EBE,
      '7fe0 0010 4f57 0000 84030201',
      { tag: 0x7fe00010, vr: 'OW', length: 0x84030201, size: 12 },
    ],
    [
      'of a group above 8000',
      ELE,
      '3390 1110 4c4f 0200',
      { tag: 0x90331011, vr: 'LO', length: 2, size: 8 },
    ],
  ])('is read: %s', (_what, transferSyntax, bytes, header) => {
    expect(headerOf(bytes, transferSyntax)).toEqual(header)
  })

  it('of an item or a delimiter has no VR in an explicit transfer syntax (PS3.5 §7.5)', () => {
    expect(headerOf('feff 00e0 4c4f0000', ELE)).toEqual({
      tag: 0xfffee000,
      vr: '',
      length: 0x4f4c,
      size: 8,
    })
    expect(headerOf('fffe e0dd 00000000', EBE)).toEqual({
      tag: 0xfffee0dd,
      vr: '',
      length: 0,
      size: 8,
    })
    // Where an item is expected, what looks like a VR is a length.
    expect(headerOf('0800 6000 4353 0200', ELE, { isItem: true })).toEqual({
      tag: 0x00080060,
      vr: '',
      length: 0x25343,
      size: 8,
    })
  })

  it.each(['AA', 'ZZ', 'AZ', 'ZA'])(
    'of the VR %s, which does not exist yet, has the long form (PS3.5 §6.2)',
    (vr) => {
      const bytes = `1000 2000 ${Buffer.from(vr).toString('hex')} 0000 05000000`
      expect(headerOf(bytes, ELE)).toEqual({ tag: 0x00100020, vr: 'UN', length: 5, size: 12 })
    },
  )

  it.each(['3f3f', '2020', '0000', '4140', '415b', '4041', '5b41', '6c6f'])(
    'with %s in place of a VR has the short form',
    (vr) => {
      expect(headerOf(`1000 2000 ${vr} 0500 07000000`, ELE)).toEqual({
        tag: 0x00100020,
        vr: 'UN',
        length: 5,
        size: 8,
      })
    },
  )

  it('is not read before all of it is there', () => {
    expect(headerOf('1000 2000 4c4f 0200', ELE, { available: 7 })).toBeUndefined()
    expect(headerOf('1000 2000 4c4f 0200', ELE, { available: 8 })).toMatchObject({ length: 2 })
    expect(headerOf('1000 2000 02000000', ILE, { available: 7 })).toBeUndefined()
    expect(headerOf('1000 2000 02000000', ILE, { available: 8 })).toMatchObject({ length: 2 })
    expect(headerOf('e07f 1000 4f57 0000 02000000', ELE, { available: 11 })).toBeUndefined()
    expect(headerOf('e07f 1000 4f57 0000 02000000', ELE, { available: 12 })).toMatchObject({
      length: 2,
    })
  })
})
