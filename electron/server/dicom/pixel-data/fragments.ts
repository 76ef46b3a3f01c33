import type { ByteSource } from '#server/dicom/data-set/byte-source.ts'
import { readWhole } from '#server/dicom/data-set/byte-window.ts'
import { ITEM, SEQUENCE_DELIMITATION, UNDEFINED_LENGTH } from '#server/dicom/data-set/coding.ts'

/** A piece of encapsulated pixel data (PS3.5 §A.4), without the header of its item. */
export interface Fragment {
  /** Of its item's header; what offset tables count from is the first one. */
  readonly itemAt: number
  readonly at: number
  readonly length: number
  /** A compressed picture begins with it. */
  readonly isStart: boolean
}

/** The fragments of a file, found by the headers of their items: pixels are passed over. */
export interface Fragments {
  /** Those that are there in full, in their order. */
  readonly found: readonly Fragment[]
  /** ended: at the delimiter; cut: the file ends within them, or something else stands there. */
  readonly state: 'more' | 'ended' | 'cut'
  /** Goes on until there are `enough`, or no more. */
  walk(enough?: number): void
}

/** More than any recording has; a file may be nothing but headers of empty items. */
export const MOST_FRAGMENTS = 200_000
const PEEK = 12

/** `end`: where they end though there is no delimiter, of pixel data with a length. */
export function findFragments(
  source: ByteSource,
  from: number,
  end = Number.POSITIVE_INFINITY,
): Fragments {
  const found: Fragment[] = []
  let at = from
  let state: Fragments['state'] = 'more'
  let isWaiting = false

  /**
   * Where there is neither a fragment nor the delimiter: a writer that leaves out the delimiter
   * still ends its last picture.
   */
  function endHere(): Fragments['state'] {
    const last = found.at(-1)
    if (!last || at > source.length || (found[0]?.isStart && !endsPicture(source, last)))
      return 'cut'
    return 'ended'
  }

  function step(): void {
    if (at >= end) {
      state = 'ended'
      return
    }
    const header = fragmentAt(source, at)
    if (header === undefined) {
      if (source.isWhole) state = at + 8 > source.length ? endHere() : 'cut'
      isWaiting = true
    } else if (header === 'end') state = 'ended'
    else if (header === 'other') state = endHere()
    else if (found.length >= MOST_FRAGMENTS) state = 'cut'
    else {
      found.push(header)
      at = header.at + header.length
    }
  }

  return {
    found,
    get state() {
      return state
    },
    walk(enough = Number.POSITIVE_INFINITY) {
      isWaiting = false
      while (state === 'more' && !isWaiting && found.length < enough) step()
    },
  }
}

/**
 * The fragment whose item begins at `at`; undefined where it is not there in full; other: there is
 * no item.
 */
export function fragmentAt(source: ByteSource, at: number): Fragment | 'end' | 'other' | undefined {
  if (at + 8 > source.length) return undefined
  const bytes = readWhole(source, at, Math.min(8 + PEEK, source.length - at))
  const tag = bytes.readUInt16LE(0) * 0x10000 + bytes.readUInt16LE(2)
  if (tag === SEQUENCE_DELIMITATION) return 'end'
  const length = bytes.readUInt32LE(4)
  if (tag !== ITEM || length === UNDEFINED_LENGTH) return 'other'
  if (at + 8 + length > source.length) return undefined
  return {
    itemAt: at,
    at: at + 8,
    length,
    isStart: isPictureStart(bytes.subarray(8, 8 + Math.min(length, PEEK))),
  }
}

const STARTS = ['ffd8ff', 'ff4fff51', 'ff0a', '0000000c6a5020', '0000000c4a584c20']

/** SOI of JPEG and JPEG-LS, SOC of JPEG 2000, JPEG XL, and the files of the last two. */
function isPictureStart(bytes: Buffer): boolean {
  // ISO 10918-1 B.1.1.2: a marker may have fill bytes before it.
  const hex = bytes.toString('hex').replace(/^(?:ff)+(?=ffd8ff)/, '')
  return STARTS.some((start) => hex.startsWith(start))
}

/** EOI of JPEG and JPEG-LS, EOC of JPEG 2000, before a byte of padding. */
function endsPicture(source: ByteSource, { at, length }: Fragment): boolean {
  const tail = readWhole(source, at + Math.max(0, length - 3), Math.min(3, length))
  return tail.toString('hex').includes('ffd9')
}
