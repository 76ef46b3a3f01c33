/** A code of variable length. */
export interface HuffmanCode {
  readonly bits: number
  readonly length: number
}

/** A table as in a JPEG file: how many codes there are of each length, and their symbols. */
interface HuffmanTable {
  readonly counts: readonly number[]
  readonly symbols: readonly number[]
}

const bytes = (hex: string): number[] => [...Buffer.from(hex, 'hex')]

// ISO/IEC 10918-1 Tables K.3 to K.6.
const DC_SYMBOLS = bytes('000102030405060708090a0b')
const DC_LUMINANCE: HuffmanTable = {
  counts: bytes('00010501010101010100000000000000'),
  symbols: DC_SYMBOLS,
}
const DC_CHROMINANCE: HuffmanTable = {
  counts: bytes('00030101010101010101010000000000'),
  symbols: DC_SYMBOLS,
}
const AC_LUMINANCE: HuffmanTable = {
  counts: bytes('0002010303020403050504040000017d'),
  symbols: bytes(
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  ),
}
const AC_CHROMINANCE: HuffmanTable = {
  counts: bytes('00020102040403040705040400010277'),
  symbols: bytes(
    '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
  ),
}

/** Codes by symbol (Annex C): those of one length are consecutive numbers. */
function codesOf({ counts, symbols }: HuffmanTable): HuffmanCode[] {
  const codes: HuffmanCode[] = []
  let [bits, next] = [0, 0]
  for (const [index, count] of counts.entries()) {
    for (let n = 0; n < count; n++)
      codes[symbols[next++] as number] = { bits: bits++, length: index + 1 }
    bits <<= 1
  }
  return codes
}

/** Codes of luminance and of chrominance. */
export const huffmanCodes = [
  { dc: codesOf(DC_LUMINANCE), ac: codesOf(AC_LUMINANCE) },
  { dc: codesOf(DC_CHROMINANCE), ac: codesOf(AC_CHROMINANCE) },
] as const

export const dcCode = (kind: number, size: number): HuffmanCode | undefined =>
  huffmanCodes[kind]?.dc[size]

/** The content of a DHT segment (B.2.4.2): class and number of a table, its counts and symbols. */
export const HUFFMAN_SEGMENT: readonly number[] = (
  [
    [0x00, DC_LUMINANCE],
    [0x10, AC_LUMINANCE],
    [0x01, DC_CHROMINANCE],
    [0x11, AC_CHROMINANCE],
  ] as const
).flatMap(([id, { counts, symbols }]) => [id, ...counts, ...symbols])
