import type { ByteSource } from '#server/dicom/data-set/byte-source.ts'
import { readWhole } from '#server/dicom/data-set/byte-window.ts'
import { type Fragment, findFragments, fragmentAt, MOST_FRAGMENTS } from './fragments.ts'
import type { FrameBytes } from './frame-bytes.ts'
import { cutShort, fewerFrames } from './frame-faults.ts'
import { ViewedFileFault } from './viewed-file-fault.ts'

/** Pixel data of one compressed stream for each frame (PS3.5 §A.4). */
export interface EncapsulatedFrames {
  /**
   * From 1; undefined while its bytes have not come. @throws {ViewedFileFault} where the file has
   * no such frame
   */
  frame(number: number): FrameBytes | undefined
  /** Frames that are there in full, of a file that is whole. */
  whole(): number
  /** Why only so many are. */
  sentence(whole: number): string
}

interface EncapsulatedPixels {
  /** Of the value: its first item is the Basic Offset Table. */
  readonly at: number
  /** Where it ends, of pixel data that has a length nevertheless. */
  readonly end: number | undefined
  readonly frames: number
  /** Extended Offset Table and its lengths (PS3.3 C.7.6.3.1.8), 64-bit numbers. */
  readonly extended: { readonly offsets: Buffer; readonly lengths: Buffer } | undefined
  /** Each frame begins with the start of a picture: JPEG, JPEG-LS, JPEG 2000, JPEG XL. */
  readonly hasStarts: boolean
}

/** More than any offset table of so many frames needs. */
const LONGEST_TABLE = 4 << 20

/**
 * Finds frames by the Extended Offset Table, else by the Basic one, where what they say is there;
 * else by their fragments: one each, or as many as there are until the next picture starts. Nothing
 * of the pixels is read.
 */
export function encapsulatedFrames(
  source: ByteSource,
  pixels: EncapsulatedPixels,
): EncapsulatedFrames {
  const { frames, extended, hasStarts } = pixels
  let table: readonly number[] | undefined
  let base = 0
  let fragments: ReturnType<typeof findFragments> | undefined
  /** Fragments that begin a picture, as far as `counted`. */
  const starts: number[] = []
  let counted = 0

  /** False while the offset table has not come. */
  function openTable(): boolean {
    if (table) return true
    const first = fragmentAt(source, pixels.at)
    if (first === 'end' || first === 'other')
      throw new ViewedFileFault(
        'Its pixel data cannot be read: it does not begin with an offset table.',
      )
    if (first === undefined) {
      if (source.isWhole)
        throw new ViewedFileFault('It ends within its pixel data: none of its frames is whole.')
      return false
    }
    // Some writers leave the table out altogether.
    base = first.isStart ? first.itemAt : first.at + first.length
    const isUsable = !first.isStart && first.length === frames * 4 && first.length <= LONGEST_TABLE
    const bytes = isUsable ? readWhole(source, first.at, first.length) : Buffer.alloc(0)
    table = offsetsOf(bytes)
    fragments = findFragments(source, base, pixels.end)
    return true
  }

  function byExtendedTable(number: number): FrameBytes | 'unknown' | undefined {
    if (!extended || extended.offsets.length < number * 8 || extended.lengths.length < number * 8)
      return 'unknown'
    const offset = extended.offsets.readBigUInt64LE((number - 1) * 8)
    const length = extended.lengths.readBigUInt64LE((number - 1) * 8)
    if (offset > Number.MAX_SAFE_INTEGER || length > 0xffffffffn) return 'unknown'
    const fragment = fragmentAt(source, base + Number(offset))
    if (fragment === undefined) return source.isWhole ? 'unknown' : undefined
    // PS3.3 C.7.6.3.1.8: each frame is one fragment, which may have a byte of padding.
    const padding = typeof fragment === 'string' ? -1 : fragment.length - Number(length)
    if (typeof fragment === 'string' || padding < 0 || padding > 1) return 'unknown'
    return contiguous([{ at: fragment.at, length: Number(length) }])
  }

  function byBasicTable(number: number): FrameBytes | 'unknown' | undefined {
    const offset = table?.[number - 1]
    if (offset === undefined) return 'unknown'
    const end = table?.[number]
    const own: Fragment[] = []
    for (let at = base + offset; end === undefined || at < base + end; ) {
      const fragment = pixels.end !== undefined && at >= pixels.end ? 'end' : fragmentAt(source, at)
      if (fragment === undefined) return source.isWhole ? 'unknown' : undefined
      if (
        fragment === 'other' ||
        own.length >= MOST_FRAGMENTS ||
        (fragment === 'end' && end !== undefined)
      )
        return 'unknown'
      if (fragment === 'end') break
      own.push(fragment)
      at = fragment.at + fragment.length
      if (end !== undefined && at > base + end) return 'unknown'
    }
    return own.length === 0 || (hasStarts && frames > 1 && own[0]?.isStart === false)
      ? 'unknown'
      : contiguous(own)
  }

  function countStarts(found: readonly Fragment[]): void {
    for (; counted < found.length; counted++) if (found[counted]?.isStart) starts.push(counted)
  }

  /** Undefined: more is needed to know; null: it is not there. */
  function byFragments(number: number): FrameBytes | undefined | null {
    if (!fragments) return undefined
    const { found } = fragments
    if (frames === 1) {
      fragments.walk()
      if (fragments.state === 'more') return undefined
      return fragments.state === 'ended' && found.length > 0 ? contiguous(found) : null
    }
    if (!hasStarts) {
      // PS3.5 §A.4.2: a frame of RLE is one fragment; so is what else has no start of its own.
      fragments.walk(number)
      const fragment = found[number - 1]
      return fragment ? contiguous([fragment]) : fragments.state === 'more' ? undefined : null
    }
    countStarts(found)
    while (fragments.state === 'more' && starts.length <= number) {
      const before = found.length
      fragments.walk(before + 1)
      if (found.length === before && fragments.state === 'more') return undefined
      countStarts(found)
    }
    const isEach = fragments.state === 'ended' && starts.length < frames && found.length === frames
    if (isEach) return contiguous(found.slice(number - 1, number))
    const from = starts[number - 1]
    const to = starts[number]
    if (from === undefined || (to === undefined && fragments.state !== 'ended')) return null
    return contiguous(found.slice(number === 1 ? 0 : from, to))
  }

  function frame(number: number): FrameBytes | undefined {
    if (!openTable()) return undefined
    for (const by of [byExtendedTable, byBasicTable]) {
      const found = by(number)
      if (found !== 'unknown') return found
    }
    const found = byFragments(number)
    if (found === null) throw new ViewedFileFault(sentence(whole()))
    return found
  }

  function isWhole(number: number): boolean {
    try {
      return byExtendedTableOrBasic(number) || Boolean(byFragments(number))
    } catch (error) {
      if (error instanceof ViewedFileFault) return false
      throw error
    }
  }

  const byExtendedTableOrBasic = (number: number): boolean =>
    [byExtendedTable, byBasicTable].some((by) => {
      const found = by(number)
      return found !== 'unknown' && found !== undefined
    })

  /** Frames of a stream come one after the other: what is missing is missing at its end. */
  function whole(): number {
    if (!openTable()) return 0
    let low = 0
    let high = frames
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (isWhole(middle)) low = middle
      else high = middle - 1
    }
    return low
  }

  function sentence(there: number): string {
    fragments?.walk()
    return fragments?.state === 'ended' ? fewerFrames(there, frames) : cutShort(there, frames)
  }

  return {
    frame,
    sentence,
    whole: () => {
      try {
        return whole()
      } catch (error) {
        if (error instanceof ViewedFileFault) return 0
        throw error
      }
    },
  }
}

function contiguous(
  fragments: readonly { readonly at: number; readonly length: number }[],
): FrameBytes {
  return {
    spans: fragments.map(({ at, length }) => ({ at, length })),
    swapsPairs: false,
    cut: undefined,
  }
}

/** Ascending, the first one 0, as the standard has them; what is otherwise is no table. */
function offsetsOf(bytes: Buffer): number[] {
  const offsets = Array.from({ length: bytes.length / 4 }, (_, index) =>
    bytes.readUInt32LE(index * 4),
  )
  const isTable = offsets.every((offset, index) =>
    index === 0 ? offset === 0 : offset > (offsets[index - 1] ?? 0),
  )
  return isTable ? offsets : []
}
