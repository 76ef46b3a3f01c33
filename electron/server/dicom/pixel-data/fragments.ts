import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import { readWhole } from '#server/dicom/data-set/byte-window.ts'
import { ITEM, SEQUENCE_DELIMITATION, UNDEFINED_LENGTH } from '#server/dicom/data-set/coding.ts'

/** A fragment of encapsulated pixel data (PS3.5 §A.4), without its item header. */
export interface Fragment {
  /** Offset of the item header; offset tables are relative to that of the first fragment. */
  readonly itemAt: number
  readonly at: number
  readonly length: number
  /** Whether the fragment begins with a start marker. */
  readonly isStart: boolean
}

/** More fragments than any recording has. A malicious file may consist only of empty items. */
export const MAX_FRAGMENTS = 200_000
const PEEK_BYTES = 12

/** Locates the fragments in a file by their item headers, skipping the pixel data. */
export class Fragments {
  readonly #source: ByteSource
  readonly #end: number
  #at: number
  #state: 'more' | 'ended' | 'cut' = 'more'
  #isWaiting = false
  #isDelimited = false
  /** The complete fragments, in order. */
  readonly found: Fragment[] = []

  /** @param end end offset for pixel data with a defined length, which has no delimiter */
  constructor(source: ByteSource, from: number, end = Number.POSITIVE_INFINITY) {
    this.#source = source
    this.#at = from
    this.#end = end
  }

  /**
   * ended: the delimiter was found; cut: the file ends within the fragments, or an unexpected
   * element was found.
   */
  get state(): 'more' | 'ended' | 'cut' {
    return this.#state
  }

  /** Offset of what follows the pixel data; undefined until the last fragment was found. */
  get end(): number | undefined {
    if (this.#state !== 'ended') return undefined
    return this.#isDelimited ? this.#at + 8 : this.#at
  }

  /** Continues until `enough` fragments have been found or there are no more. */
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
        this.#state = this.#at + 8 > this.#source.length ? this.#endWithoutDelimiter() : 'cut'
      this.#isWaiting = true
    } else if (header === 'end') {
      this.#state = 'ended'
      this.#isDelimited = true
    } else if (header === 'other') this.#state = this.#endWithoutDelimiter()
    else if (this.found.length >= MAX_FRAGMENTS) this.#state = 'cut'
    else {
      this.found.push(header)
      this.#at = header.at + header.length
    }
  }

  /**
   * Neither a fragment nor the delimiter was found. If the last fragment ends with an end marker,
   * only the delimiter is missing.
   */
  #endWithoutDelimiter(): 'ended' | 'cut' {
    const last = this.found.at(-1)
    if (!last || this.#at > this.#source.length) return 'cut'
    return this.found[0]?.isStart && !endsPicture(this.#source, last) ? 'cut' : 'ended'
  }
}

/**
 * The fragment whose item starts at `at`; undefined if it is incomplete; 'other' if there is no
 * item.
 */
export function fragmentAt(source: ByteSource, at: number): Fragment | 'end' | 'other' | undefined {
  if (at + 8 > source.length) return undefined
  const bytes = readWhole(source, at, Math.min(8 + PEEK_BYTES, source.length - at))
  const tag = bytes.readUInt16LE(0) * 0x10000 + bytes.readUInt16LE(2)
  if (tag === SEQUENCE_DELIMITATION) return 'end'
  const length = bytes.readUInt32LE(4)
  if (tag !== ITEM || length === UNDEFINED_LENGTH) return 'other'
  if (at + 8 + length > source.length) return undefined
  return {
    itemAt: at,
    at: at + 8,
    length,
    isStart: isPictureStart(bytes.subarray(8, 8 + Math.min(length, PEEK_BYTES))),
  }
}

const START_MARKERS = ['ffd8ff', 'ff4fff51', 'ff0a', '0000000c6a5020', '0000000c4a584c20']

/** SOI of JPEG and JPEG-LS, SOC of JPEG 2000, JPEG XL, and the file formats of the last two. */
function isPictureStart(bytes: Buffer): boolean {
  // ISO 10918-1 B.1.1.2: fill bytes may precede a marker.
  const hex = bytes.toString('hex').replace(/^(?:ff)+(?=ffd8ff)/, '')
  return START_MARKERS.some((start) => hex.startsWith(start))
}

/** EOI of JPEG and JPEG-LS, or EOC of JPEG 2000, possibly followed by a byte of padding. */
function endsPicture(source: ByteSource, { at, length }: Fragment): boolean {
  const tail = readWhole(source, at + Math.max(0, length - 3), Math.min(3, length))
  return tail.toString('hex').includes('ffd9')
}
