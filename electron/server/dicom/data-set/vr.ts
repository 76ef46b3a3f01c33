interface Representation {
  /** PS3.5 Table 7.1-1: whether the explicit header has a 32-bit length. */
  readonly long: boolean
  /**
   * Size in bytes of the numbers that are swapped for Big Endian (PS3.5 §7.3); 1 if nothing is
   * swapped.
   */
  readonly width: 1 | 2 | 4 | 8
  /** PS3.5 §6.2: the byte that pads a value to an even length. */
  readonly pad: 0x00 | 0x20
}

const text: Representation = { long: false, width: 1, pad: 0x20 }
const textWithLongLength: Representation = { long: true, width: 1, pad: 0x20 }
const binary = (long: boolean, width: 1 | 2 | 4 | 8): Representation => ({ long, width, pad: 0x00 })

/** PS3.5 Table 6.2-1: the properties of VRs that encoding needs. */
export const VR: ReadonlyMap<string, Representation> = new Map<string, Representation>([
  ...['AE', 'AS', 'CS', 'DA', 'DS', 'DT', 'IS', 'LO', 'LT', 'PN', 'SH', 'ST', 'TM'].map(
    (vr) => [vr, text] as const,
  ),
  ...['UC', 'UR', 'UT'].map((vr) => [vr, textWithLongLength] as const),
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

/** Swaps numbers of `width` bytes in place; an incomplete number at the end stays unchanged. */
export function swapNumbers(bytes: Buffer, width: 1 | 2 | 4 | 8): Buffer {
  if (width !== 1) SWAP[width](bytes.subarray(0, bytes.length - (bytes.length % width)))
  return bytes
}

/**
 * Removes these characters from the end of the text. A regular expression anchored at the end would
 * take quadratic time for long runs, and the text comes from the network.
 */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** PS3.5 §6.2: values are padded with spaces and UIDs with NUL, but devices mix them. */
export const withoutPadding = (text: string): string => trimTrailing(text, '\0 ')
