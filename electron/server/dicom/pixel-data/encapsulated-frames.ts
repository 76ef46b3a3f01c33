import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import { readWhole, ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type Fragment, Fragments, fragmentAt, MAX_FRAGMENTS } from './fragments.ts'
import type { FrameBytes } from './frame-bytes.ts'
import { missingFrames, truncatedFile } from './frame-bytes.ts'

interface EncapsulatedPixels {
  /** Offset of the value, whose first item is the Basic Offset Table. */
  readonly at: number
  /** End offset of pixel data that has a defined length although it is encapsulated. */
  readonly end: number | undefined
  readonly frames: number
  /** Extended Offset Table and its lengths (PS3.3 C.7.6.3.1.8), 64-bit numbers. */
  readonly extended: { readonly offsets: Buffer; readonly lengths: Buffer } | undefined
  /** Whether each frame starts with a recognizable marker: JPEG, JPEG-LS, JPEG 2000, JPEG XL. */
  readonly hasStartMarkers: boolean
}

/** Upper bound for the offset table of the maximum number of frames. */
const MAX_TABLE_BYTES = 4 << 20

/**
 * Encapsulated pixel data with one compressed stream per frame (PS3.5 §A.4). Frames are located by
 * the Extended Offset Table or the Basic Offset Table if what they refer to exists, otherwise by
 * fragments: one per frame, or all fragments up to the next start marker. Pixel data is not read.
 */
export class EncapsulatedFrames {
  readonly #source: ByteSource
  readonly #pixels: EncapsulatedPixels
  /** The Basic Offset Table, and the offset its entries are relative to. */
  #table: readonly number[] | undefined
  #base = 0
  #fragments: Fragments | undefined
  /** Indices of fragments that start a frame, among the first `#counted` fragments. */
  readonly #starts: number[] = []
  #counted = 0

  constructor(source: ByteSource, pixels: EncapsulatedPixels) {
    this.#source = source
    this.#pixels = pixels
  }

  /** The lengths of compressed frames are in the offset tables or fragments. */
  expected(): undefined {
    return undefined
  }

  /**
   * Locates a frame, numbered from 1; undefined while its bytes have not arrived. @throws
   * {ViewedFileFault} if the file has no such frame
   */
  frame(number: number): FrameBytes | undefined {
    const fragments = this.#open()
    if (!fragments) return undefined
    const byTable = this.#byTable(number)
    if (byTable !== 'unknown') return byTable
    const found = this.#byFragments(fragments, number)
    if (found !== null) return found
    throw new ViewedFileFault(this.#missing(fragments, this.#countCompleteFrames(fragments)))
  }

  /** For a complete file: which frames are missing. */
  fault(): Message | undefined {
    let fragments: Fragments | undefined
    let completeFrames = 0
    try {
      fragments = this.#open()
      if (fragments) completeFrames = this.#countCompleteFrames(fragments)
    } catch (error) {
      if (!(error instanceof ViewedFileFault)) throw error
    }
    return completeFrames === this.#pixels.frames
      ? undefined
      : this.#missing(fragments, completeFrames)
  }

  #missing(fragments: Fragments | undefined, completeFrames: number): Message {
    fragments?.walk()
    const missing = fragments?.state === 'ended' ? missingFrames : truncatedFile
    return missing(completeFrames, this.#pixels.frames)
  }

  /** Undefined while the offset table has not arrived. */
  #open(): Fragments | undefined {
    if (this.#fragments) return this.#fragments
    const { at, end, frames } = this.#pixels
    const first = fragmentAt(this.#source, at)
    if (first === 'end' || first === 'other')
      throw new ViewedFileFault(message('viewed-file.no-offset-table'))
    if (first === undefined) {
      if (this.#source.isWhole) throw new ViewedFileFault(message('viewed-file.no-whole-frame'))
      return undefined
    }
    // Some writers omit the Basic Offset Table item.
    this.#base = first.isStart ? first.itemAt : first.at + first.length
    const isUsable =
      !first.isStart && first.length === frames * 4 && first.length <= MAX_TABLE_BYTES
    this.#table = isUsable ? offsetsOf(readWhole(this.#source, first.at, first.length)) : []
    this.#fragments = new Fragments(this.#source, this.#base, end)
    return this.#fragments
  }

  #byTable(number: number): FrameBytes | 'unknown' | undefined {
    const found = this.#byExtendedTable(number)
    return found === 'unknown' ? this.#byBasicTable(number) : found
  }

  #byExtendedTable(number: number): FrameBytes | 'unknown' | undefined {
    const { extended } = this.#pixels
    if (!extended || extended.offsets.length < number * 8 || extended.lengths.length < number * 8)
      return 'unknown'
    const offset = extended.offsets.readBigUInt64LE((number - 1) * 8)
    const length = extended.lengths.readBigUInt64LE((number - 1) * 8)
    if (offset > Number.MAX_SAFE_INTEGER || length > 0xffffffffn) return 'unknown'
    const fragment = fragmentAt(this.#source, this.#base + Number(offset))
    if (fragment === undefined) return this.#source.isWhole ? 'unknown' : undefined
    // PS3.3 C.7.6.3.1.8: each frame is one fragment, which may have one byte of padding.
    const padding = typeof fragment === 'string' ? -1 : fragment.length - Number(length)
    if (typeof fragment === 'string' || padding < 0 || padding > 1) return 'unknown'
    return frameOfFragments([{ at: fragment.at, length: Number(length) }])
  }

  #byBasicTable(number: number): FrameBytes | 'unknown' | undefined {
    const offset = this.#table?.[number - 1]
    if (offset === undefined) return 'unknown'
    const { end: pixelsEnd = Number.POSITIVE_INFINITY, hasStartMarkers, frames } = this.#pixels
    const next = this.#table?.[number]
    const end = next === undefined ? undefined : this.#base + next
    const frameFragments: Fragment[] = []
    for (let at = this.#base + offset; end === undefined || at < end; ) {
      const fragment = at >= pixelsEnd ? 'end' : fragmentAt(this.#source, at)
      if (fragment === undefined) return this.#source.isWhole ? 'unknown' : undefined
      if (fragment === 'end' && end === undefined) break
      if (typeof fragment === 'string' || frameFragments.length >= MAX_FRAGMENTS) return 'unknown'
      frameFragments.push(fragment)
      at = fragment.at + fragment.length
      if (end !== undefined && at > end) return 'unknown'
    }
    return frameFragments.length === 0 ||
      (hasStartMarkers && frames > 1 && frameFragments[0]?.isStart === false)
      ? 'unknown'
      : frameOfFragments(frameFragments)
  }

  /** Undefined if more bytes are needed; null if the frame does not exist. */
  #byFragments(fragments: Fragments, number: number): FrameBytes | undefined | null {
    const { found } = fragments
    const { frames, hasStartMarkers } = this.#pixels
    if (frames === 1) {
      fragments.walk()
      if (fragments.state === 'more') return undefined
      return fragments.state === 'ended' && found.length > 0 ? frameOfFragments(found) : null
    }
    if (hasStartMarkers) return this.#byStarts(fragments, number)
    // PS3.5 §A.4.2: an RLE frame is one fragment. The same is assumed for other streams without
    // start markers.
    fragments.walk(number)
    const fragment = found[number - 1]
    return fragment ? frameOfFragments([fragment]) : fragments.state === 'more' ? undefined : null
  }

  #byStarts(fragments: Fragments, number: number): FrameBytes | undefined | null {
    const { found } = fragments
    this.#countStarts(found)
    while (fragments.state === 'more' && this.#starts.length <= number) {
      const before = found.length
      fragments.walk(before + 1)
      if (found.length === before && fragments.state === 'more') return undefined
      this.#countStarts(found)
    }
    const isEnded = fragments.state === 'ended'
    const { frames } = this.#pixels
    if (isEnded && this.#starts.length < frames && found.length === frames)
      return frameOfFragments(found.slice(number - 1, number))
    const from = this.#starts[number - 1]
    const to = this.#starts[number]
    if (from === undefined || (to === undefined && !isEnded)) return null
    return frameOfFragments(found.slice(number === 1 ? 0 : from, to))
  }

  #countStarts(found: readonly Fragment[]): void {
    for (; this.#counted < found.length; this.#counted++)
      if (found[this.#counted]?.isStart) this.#starts.push(this.#counted)
  }

  /**
   * Number of complete frames in a complete file. Frames are consecutive, so missing ones are at
   * the end.
   */
  #countCompleteFrames(fragments: Fragments): number {
    let low = 0
    let high = this.#pixels.frames
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const byTable = this.#byTable(middle)
      const found = byTable === 'unknown' ? this.#byFragments(fragments, middle) : byTable
      if (found) low = middle
      else high = middle - 1
    }
    return low
  }
}

function frameOfFragments(
  fragments: readonly { readonly at: number; readonly length: number }[],
): FrameBytes {
  return {
    spans: fragments.map(({ at, length }) => ({ at, length })),
    swapsPairs: false,
    bitRange: undefined,
  }
}

/**
 * The standard requires ascending offsets starting at 0; anything else is not treated as a table.
 */
function offsetsOf(bytes: Buffer): number[] {
  const offsets = Array.from({ length: bytes.length / 4 }, (_, index) =>
    bytes.readUInt32LE(index * 4),
  )
  const isValidTable = offsets.every((offset, index) =>
    index === 0 ? offset === 0 : offset > (offsets[index - 1] ?? 0),
  )
  return isValidTable ? offsets : []
}
