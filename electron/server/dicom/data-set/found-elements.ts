import { ViewedFileFault } from '#server/dicom/pixel-data/viewed-file-fault.ts'
import { BytesMissing, type ByteWindow } from './byte-window.ts'
import {
  type Coding,
  IMPLICIT,
  ITEM,
  ITEM_DELIMITATION,
  SEQUENCE_DELIMITATION,
  UNDEFINED_LENGTH,
} from './coding.ts'
import { vrOf } from './dictionary.ts'
import {
  DELIMITERS,
  LONGEST_HEADER,
  newElementHeader,
  readElementHeader,
} from './element-header.ts'

/** Where an element is; its value is read when it is asked for. */
export interface FoundElement {
  readonly vr: string
  readonly at: number
  /** Of its value; `UNDEFINED_LENGTH` of encapsulated pixel data alone. */
  readonly length: number
  readonly bigEndian: boolean
  /** Of a sequence. */
  readonly items: readonly FoundItem[] | undefined
}

export type FoundItem = ReadonlyMap<number, FoundElement>

export interface Found {
  readonly elements: FoundItem
  /** PixelData, FloatPixelData or DoubleFloatPixelData, where the search ends. */
  readonly pixels: (FoundElement & { readonly tag: number }) | undefined
}

/** A search of a file's header that goes on where the bytes ended. */
export interface ElementSearch {
  /**
   * Looks at what has come since.
   * @throws {BytesMissing} where the header does not end within what is there
   * @throws {ViewedFileFault} where the bytes make no sense, or are too many elements
   */
  advance(): Found
}

const PIXEL_DATA: ReadonlySet<number> = new Set([0x7fe00010, 0x7fe00008, 0x7fe00009])

/**
 * Elements and items that are passed over, and of those the ones that are kept; sequences within
 * each other.
 */
const MOST_PASSED = 1_000_000
const MOST_KEPT = 400_000
const DEEPEST = 32

/**
 * Finds the wanted elements of a data set, at every depth, without reading a value and without
 * trusting a length: what a device wrote wrongly but clearly is taken (tags out of order or twice:
 * the first one counts; delimiters where there is nothing to end). Ends at the pixel data, or with
 * the file at `wholeLength()`.
 */
export function searchElements(
  window: ByteWindow,
  start: { readonly at: number; readonly coding: Coding },
  isWanted: (tag: number) => boolean,
  wholeLength: () => number | undefined,
): ElementSearch {
  const header = newElementHeader()
  const elements = new Map<number, FoundElement>()
  let at = start.at
  let passed = 0
  let kept = 0

  function readHeader(from: number, end: number, coding: Coding): void {
    const short = window.bytes(from, 8)
    if (readElementHeader(header, short, 0, 8, coding, false)) {
      passed++
      if (passed > MOST_PASSED)
        throw new ViewedFileFault('Its header has more elements than any image has.')
      return
    }
    if (from + LONGEST_HEADER > end) throw broken()
    readElementHeader(header, window.bytes(from, LONGEST_HEADER), 0, LONGEST_HEADER, coding, false)
    passed++
  }

  function keep(
    into: Map<number, FoundElement> | undefined,
    tag: number,
    element: FoundElement,
  ): void {
    if (!into || into.has(tag)) return
    kept++
    if (kept > MOST_KEPT)
      throw new ViewedFileFault('Its header has more elements than any image has.')
    into.set(tag, element)
  }

  /** The element whose header has just been read; gives where the next one begins. */
  function takeElement(
    from: number,
    end: number,
    coding: Coding,
    into: Map<number, FoundElement> | undefined,
    depth: number,
  ): number {
    const { tag, length } = header
    const isUnknown = coding.explicit && header.vr === 'UN'
    const vr = header.vr === '' || isUnknown ? vrOf(tag) : header.vr
    const value = from + header.size
    const wanted = into && isWanted(tag) ? into : undefined
    // PS3.5 §6.2.2: what travels as UN is in Implicit VR Little Endian inside, and a UN of
    // undefined length is a sequence.
    const inside = isUnknown ? IMPLICIT : coding
    if (length === UNDEFINED_LENGTH) {
      const isSequence = vr === 'SQ' || vr === 'UN'
      const items: FoundItem[] | undefined = wanted && isSequence ? [] : undefined
      const next = takeItems(value, end, true, inside, items, depth + 1, isSequence)
      keep(wanted, tag, {
        vr: 'SQ',
        at: value,
        length: next - value,
        bigEndian: inside.bigEndian,
        items: items ?? [],
      })
      return next
    }
    const next = value + length
    if (next > end) throw broken()
    if (wanted) {
      const items: FoundItem[] | undefined = vr === 'SQ' ? [] : undefined
      if (items) takeItems(value, next, false, inside, items, depth + 1, true)
      keep(wanted, tag, { vr, at: value, length, bigEndian: inside.bigEndian, items })
    }
    return next
  }

  function takeItems(
    from: number,
    end: number,
    isDelimited: boolean,
    coding: Coding,
    into: FoundItem[] | undefined,
    depth: number,
    isSequence: boolean,
  ): number {
    if (depth > DEEPEST)
      throw new ViewedFileFault('Its header has sequences too deep within each other.')
    let position = from
    while (position < end) {
      if (!isDelimited && position + 8 > end) break
      readHeader(position, end, coding)
      const { tag, length } = header
      if (tag === SEQUENCE_DELIMITATION) return position + 8
      if (tag !== ITEM) throw broken()
      position += 8
      const isOpen = length === UNDEFINED_LENGTH
      if (!isOpen && position + length > end) throw broken()
      const item: Map<number, FoundElement> | undefined = into ? new Map() : undefined
      if (item) into?.push(item)
      if (isOpen) position = takeItem(position, end, true, coding, item, depth)
      else {
        if (item && isSequence) takeItem(position, position + length, false, coding, item, depth)
        position += length
      }
    }
    return end
  }

  function takeItem(
    from: number,
    end: number,
    isDelimited: boolean,
    coding: Coding,
    into: Map<number, FoundElement> | undefined,
    depth: number,
  ): number {
    let position = from
    while (position < end) {
      if (!isDelimited && position + 8 > end) return end
      readHeader(position, end, coding)
      if (header.tag === ITEM_DELIMITATION) return position + 8
      if (header.tag >>> 16 === DELIMITERS) throw broken()
      position = takeElement(position, end, coding, into, depth)
    }
    return end
  }

  return {
    advance() {
      for (;;) {
        const end = wholeLength()
        // The last element goes on behind the end, which was not known when it came.
        if (end !== undefined && at > end) throw new BytesMissing(at)
        // A tail that is shorter than an element is padding.
        if (end !== undefined && at + 8 > end) return { elements, pixels: undefined }
        const before = { passed, kept }
        try {
          readHeader(at, Number.POSITIVE_INFINITY, start.coding)
          const { tag, length, vr, size } = header
          if (PIXEL_DATA.has(tag)) {
            const pixels = {
              tag,
              vr: vr || vrOf(tag),
              at: at + size,
              length,
              bigEndian: start.coding.bigEndian,
              items: undefined,
            }
            return { elements, pixels }
          }
          // Zeros behind a data set that has ended, and delimiters of what was never begun.
          if (tag === 0) return { elements, pixels: undefined }
          at =
            tag >>> 16 === DELIMITERS
              ? at + 8
              : takeElement(at, Number.POSITIVE_INFINITY, start.coding, elements, 0)
        } catch (error) {
          passed = before.passed
          kept = before.kept
          throw error
        }
      }
    },
  }
}

const broken = (): ViewedFileFault =>
  new ViewedFileFault('Its header cannot be read: an element does not fit into what holds it.')
