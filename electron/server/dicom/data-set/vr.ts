interface Representation {
  /** PS3.5 Table 7.1-1: the explicit header has a 32-bit length. */
  readonly long: boolean
  /**
   * Bytes of the number that is swapped for Big Endian (PS3.5 §7.3); 1 where there is nothing to
   * swap.
   */
  readonly width: 1 | 2 | 4 | 8
  /** PS3.5 §6.2: the byte that makes an odd value even. */
  readonly pad: 0x00 | 0x20
}

const text: Representation = { long: false, width: 1, pad: 0x20 }
const longText: Representation = { long: true, width: 1, pad: 0x20 }
const binary = (long: boolean, width: 1 | 2 | 4 | 8): Representation => ({ long, width, pad: 0x00 })

/** PS3.5 Table 6.2-1, what the encoding needs of it. */
export const VR: ReadonlyMap<string, Representation> = new Map<string, Representation>([
  ...['AE', 'AS', 'CS', 'DA', 'DS', 'DT', 'IS', 'LO', 'LT', 'PN', 'SH', 'ST', 'TM'].map(
    (vr) => [vr, text] as const,
  ),
  ...['UC', 'UR', 'UT'].map((vr) => [vr, longText] as const),
  ...['OB', 'UN', 'SQ'].map((vr) => [vr, binary(true, 1)] as const),
  ['UI', binary(false, 1)],
  ['AT', binary(false, 2)],
  ['SS', binary(false, 2)],
  ['US', binary(false, 2)],
  ['FL', binary(false, 4)],
  ['SL', binary(false, 4)],
  ['UL', binary(false, 4)],
  ['FD', binary(false, 8)],
  ['OW', binary(true, 2)],
  ['OF', binary(true, 4)],
  ['OL', binary(true, 4)],
  ['OD', binary(true, 8)],
  ['OV', binary(true, 8)],
  ['SV', binary(true, 8)],
  ['UV', binary(true, 8)],
])

const SWAP = {
  2: (bytes: Buffer) => bytes.swap16(),
  4: (bytes: Buffer) => bytes.swap32(),
  8: (bytes: Buffer) => bytes.swap64(),
} as const

/** Swaps numbers of `width` bytes in place; a tail that is no whole number stays as it is. */
export function swapNumbers(bytes: Buffer, width: 1 | 2 | 4 | 8): Buffer {
  if (width !== 1) SWAP[width](bytes.subarray(0, bytes.length - (bytes.length % width)))
  return bytes
}

/**
 * The text without these characters at its end. Not by a regular expression: one that looks for a
 * run at the end takes the square of the length of every run before it, and the text comes from the
 * network.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** PS3.5 §6.2: values are padded with a space, UIDs with a NUL; devices use either. */
export const withoutPadding = (text: string): string => withoutEnd(text, '\0 ')
