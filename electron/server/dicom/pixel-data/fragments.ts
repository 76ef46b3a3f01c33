import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
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

/** More than any recording has; a file may be nothing but headers of empty items. */
export const MOST_FRAGMENTS = 200_000
const PEEK = 12

/** The fragments of a file, found by the headers of their items: pixels are passed over. */
export class Fragments {
  readonly #source: ByteSource
  readonly #end: number
  #at: number
  #state: 'more' | 'ended' | 'cut' = 'more'
  #isWaiting = false
  /** Those that are there in full, in their order. */
  readonly found: Fragment[] = []

  /** @param end where they end though there is no delimiter, of pixel data with a length */
  constructor(source: ByteSource, from: number, end = Number.POSITIVE_INFINITY) {
    this.#source = source
    this.#at = from
    this.#end = end
  }

  /** ended: at the delimiter; cut: the file ends within them, or something else stands there. */
  get state(): 'more' | 'ended' | 'cut' {
    return this.#state
  }

  /** Goes on until there are `enough`, or no more. */
  walk(enough = Number.POSITIVE_INFINITY): void {
    this.#isWaiting = false
    while (this.#state === 'more' && !this.#isWaiting && this.found.length < enough) this.#step()
  }

  #step(): void {
    if (this.#at >= this.#end) {
      this.#state = 'ended'
      return
    }
    const header = fragmentAt(this.#source, this.#at)
    if (header === undefined) {
      if (this.#source.isWhole)
        this.#state = this.#at + 8 > this.#source.length ? this.#endHere() : 'cut'
      this.#isWaiting = true
    } else if (header === 'end') this.#state = 'ended'
    else if (header === 'other') this.#state = this.#endHere()
    else if (this.found.length >= MOST_FRAGMENTS) this.#state = 'cut'
    else {
      this.found.push(header)
      this.#at = header.at + header.length
    }
  }

  /**
   * Where there is neither a fragment nor the delimiter: a writer that leaves out the delimiter
   * still ends its last picture.
   */
  #endHere(): 'ended' | 'cut' {
    const last = this.found.at(-1)
    if (!last || this.#at > this.#source.length) return 'cut'
    return this.found[0]?.isStart && !endsPicture(this.#source, last) ? 'cut' : 'ended'
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
