import type { Coding } from './coding.ts'
import { VR } from './vr.ts'

/**
 * What stands before a value: written anew for each element, as a header has hundreds and an image
 * must not wait for them.
 */
export interface ElementHeader {
  tag: number
  /**
   * As on the wire; '' in Implicit VR and of items and delimiters; UN where the wire has none that
   * exists.
   */
  vr: string
  length: number
  /** Bytes of the header itself. */
  size: number
}

export const newElementHeader = (): ElementHeader => ({ tag: 0, vr: '', length: 0, size: 0 })

/** The group of items and delimiters, which have no VR (PS3.5 §7.5). */
export const DELIMITERS = 0xfffe
export const LONGEST_HEADER = 12

/** VRs by their two bytes as one number. */
const FORMS = new Map(
  [...VR].map(([vr, { long }]) => [(vr.charCodeAt(0) << 8) | vr.charCodeAt(1), { vr, long }]),
)

const A = 0x41
const Z = 0x5a

/**
 * Reads the header at `at` into `header` (PS3.5 §7.1); false where not all of it is there. A VR
 * that does not exist has the long form, as all to come will (PS3.5 §6.2), if it is one at all:
 * `??`, blanks and NULs have been seen before a short length.
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
  if (!explicit || isItem || group === DELIMITERS) {
    header.vr = ''
    header.length = uint32(bytes, at + 4, bigEndian)
    header.size = 8
    return true
  }
  const first = byte(bytes, at + 4)
  const second = byte(bytes, at + 5)
  const form = FORMS.get((first << 8) | second)
  const isLong = form ? form.long : first >= A && first <= Z && second >= A && second <= Z
  if (isLong && available < LONGEST_HEADER) return false
  header.vr = form?.vr ?? 'UN'
  header.length = isLong ? uint32(bytes, at + 8, bigEndian) : uint16(bytes, at + 6, bigEndian)
  header.size = isLong ? LONGEST_HEADER : 8
  return true
}

/** Of a place that is known to be there. */
const byte = (bytes: Buffer, at: number): number => bytes[at] as number

const uint16 = (bytes: Buffer, at: number, bigEndian: boolean): number =>
  bigEndian
    ? (byte(bytes, at) << 8) | byte(bytes, at + 1)
    : (byte(bytes, at + 1) << 8) | byte(bytes, at)

const uint32 = (bytes: Buffer, at: number, bigEndian: boolean): number =>
  bigEndian
    ? uint16(bytes, at, true) * 0x10000 + uint16(bytes, at + 2, true)
    : uint16(bytes, at + 2, false) * 0x10000 + uint16(bytes, at, false)
