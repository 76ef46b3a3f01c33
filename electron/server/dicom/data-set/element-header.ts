import type { Coding } from './coding.ts'
import { VR } from './vr.ts'

/**
 * The header of an element. The object is reused for each element, because a data set has hundreds
 * and reading must not delay images.
 */
export interface ElementHeader {
  tag: number
  /**
   * The encoded VR; '' in Implicit VR and for items and delimiters; UN if the encoded VR does not
   * exist.
   */
  vr: string
  length: number
  /** Length of the header itself in bytes. */
  size: number
}

export const newElementHeader = (): ElementHeader => ({ tag: 0, vr: '', length: 0, size: 0 })

/** The group of items and delimiters, which have no VR (PS3.5 §7.5). */
export const DELIMITER_GROUP = 0xfffe
export const MAX_HEADER_BYTES = 12

/** VRs, keyed by their two bytes as a 16-bit number. */
const VR_FORMS = new Map(
  [...VR].map(([vr, { long }]) => [(vr.charCodeAt(0) << 8) | vr.charCodeAt(1), { vr, long }]),
)

const A = 0x41
const Z = 0x5a

/**
 * Reads the header at `at` into `header` (PS3.5 §7.1); returns false if it is incomplete. An
 * unknown VR has the long form, as all future VRs will (PS3.5 §6.2), unless it is not a VR at all:
 * some writers put `??`, blanks or NULs before a short length.
 */
export function readElementHeader(
  header: ElementHeader,
  bytes: Buffer,
  at: number,
  available: number,
  { bigEndian, explicit }: Coding,
  isItem: boolean,
): boolean {
  if (available < 8) return false
  const group = uint16(bytes, at, bigEndian)
  header.tag = group * 0x10000 + uint16(bytes, at + 2, bigEndian)
  if (!explicit || isItem || group === DELIMITER_GROUP) {
    header.vr = ''
    header.length = uint32(bytes, at + 4, bigEndian)
    header.size = 8
    return true
  }
  const first = byte(bytes, at + 4)
  const second = byte(bytes, at + 5)
  const form = VR_FORMS.get((first << 8) | second)
  const hasLongLength = form ? form.long : first >= A && first <= Z && second >= A && second <= Z
  if (hasLongLength && available < MAX_HEADER_BYTES) return false
  header.vr = form?.vr ?? 'UN'
  header.length = hasLongLength
    ? uint32(bytes, at + 8, bigEndian)
    : uint16(bytes, at + 6, bigEndian)
  header.size = hasLongLength ? MAX_HEADER_BYTES : 8
  return true
}

/** Reads a byte at an index that is known to exist. */
const byte = (bytes: Buffer, at: number): number => bytes[at] as number

const uint16 = (bytes: Buffer, at: number, bigEndian: boolean): number =>
  bigEndian
    ? (byte(bytes, at) << 8) | byte(bytes, at + 1)
    : (byte(bytes, at + 1) << 8) | byte(bytes, at)

const uint32 = (bytes: Buffer, at: number, bigEndian: boolean): number =>
  bigEndian
    ? uint16(bytes, at, true) * 0x10000 + uint16(bytes, at + 2, true)
    : uint16(bytes, at + 2, false) * 0x10000 + uint16(bytes, at, false)
