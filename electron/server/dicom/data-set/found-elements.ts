import { message } from '#shared/messages/message.ts'
import { type ByteWindow, MissingBytesError, ViewedFileFault } from './byte-window.ts'
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
  DELIMITER_GROUP,
  MAX_HEADER_BYTES,
  newElementHeader,
  readElementHeader,
} from './element-header.ts'
import { PIXEL_DATA_TAGS } from './header-parser.ts'

/** The position of an element; its value is read on demand. */
export interface FoundElement {
  readonly vr: string
  readonly at: number
  /** Length of the value; `UNDEFINED_LENGTH` only for encapsulated pixel data. */
  readonly length: number
  readonly bigEndian: boolean
  /** The items of a sequence; undefined for other elements. */
  readonly items: readonly FoundItem[] | undefined
}

export type FoundItem = ReadonlyMap<number, FoundElement>

export interface ElementSearchResult {
  readonly elements: FoundItem
  /** PixelData, FloatPixelData or DoubleFloatPixelData, at which the search ends. */
  readonly pixels: (FoundElement & { readonly tag: number }) | undefined
}

/** Maximum number of elements and items examined, and kept; and the maximum nesting depth. */
const MAX_EXAMINED_ELEMENTS = 1_000_000
const MAX_KEPT_ELEMENTS = 400_000
const MAX_DEPTH = 32

type ElementTarget = Map<number, FoundElement> | undefined

const UNBOUNDED = Number.POSITIVE_INFINITY

/**
 * Finds the wanted elements of a data set, at every depth, without reading values or trusting
 * lengths. Tolerates unambiguous writer errors: tags out of order, duplicates (the first counts)
 * and superfluous delimiters. Ends at the pixel data or at the end of the file. The search resumes
 * where the available bytes ended.
 */
export class ElementSearch {
  readonly #window: ByteWindow
  readonly #coding: Coding
  readonly #isWanted: (tag: number) => boolean
  readonly #header = newElementHeader()
  readonly #elements = new Map<number, FoundElement>()
  #at: number
  #examined = 0
  #kept = 0

  constructor(
    window: ByteWindow,
    start: number,
    coding: Coding,
    isWanted: (tag: number) => boolean,
  ) {
    this.#window = window
    this.#at = start
    this.#coding = coding
    this.#isWanted = isWanted
  }

  /**
   * Processes newly available bytes. `wholeLength`: length of the file, if it is complete.
   * @throws {MissingBytesError} if the header does not end within the available bytes
   * @throws {ViewedFileFault} if the bytes are invalid or contain too many elements
   */
  advance(wholeLength: number | undefined): ElementSearchResult {
    for (;;) {
      // The last element extends beyond the end of the file, which was not known when its header
      // was read.
      if (wholeLength !== undefined && this.#at > wholeLength) throw new MissingBytesError(this.#at)
      // A remainder shorter than an element header is padding.
      if (wholeLength !== undefined && this.#at + 8 > wholeLength) return this.#found(undefined)
      const [examined, kept] = [this.#examined, this.#kept]
      try {
        this.#readHeader(this.#at, UNBOUNDED, this.#coding)
        const { tag, length, vr, size } = this.#header
        if (PIXEL_DATA_TAGS.has(tag)) {
          const { bigEndian } = this.#coding
          const at = this.#at + size
          return this.#found({ tag, vr: vr || vrOf(tag), at, length, bigEndian, items: undefined })
        }
        // Zeros after the end of the data set, and delimiters without a matching start.
        if (tag === 0) return this.#found(undefined)
        this.#at =
          tag >>> 16 === DELIMITER_GROUP
            ? this.#at + 8
            : this.#takeElement(this.#at, UNBOUNDED, this.#coding, this.#elements, 0)
      } catch (error) {
        this.#examined = examined
        this.#kept = kept
        throw error
      }
    }
  }

  #found(pixels: ElementSearchResult['pixels']): ElementSearchResult {
    return { elements: this.#elements, pixels }
  }

  #readHeader(from: number, end: number, coding: Coding): void {
    const short = this.#window.bytes(from, 8)
    if (!readElementHeader(this.#header, short, 0, 8, coding, false)) {
      if (from + MAX_HEADER_BYTES > end) throw brokenHeaderFault()
      const long = this.#window.bytes(from, MAX_HEADER_BYTES)
      readElementHeader(this.#header, long, 0, MAX_HEADER_BYTES, coding, false)
    }
    this.#examined++
    if (this.#examined > MAX_EXAMINED_ELEMENTS) throw tooManyElementsFault()
  }

  #keep(into: ElementTarget, tag: number, element: FoundElement): void {
    if (!into || into.has(tag)) return
    this.#kept++
    if (this.#kept > MAX_KEPT_ELEMENTS) throw tooManyElementsFault()
    into.set(tag, element)
  }

  /** Processes the element whose header has just been read; returns the offset of the next one. */
  #takeElement(
    from: number,
    end: number,
    coding: Coding,
    into: ElementTarget,
    depth: number,
  ): number {
    const { tag, length, size } = this.#header
    const isUnknown = coding.explicit && this.#header.vr === 'UN'
    const vr = this.#header.vr === '' || isUnknown ? vrOf(tag) : this.#header.vr
    const at = from + size
    const wanted = into && this.#isWanted(tag) ? into : undefined
    // PS3.5 §6.2.2: a value encoded as UN is in Implicit VR Little Endian, and a UN of undefined
    // length is a sequence.
    const inside = isUnknown ? IMPLICIT : coding
    const { bigEndian } = inside
    if (length === UNDEFINED_LENGTH) {
      const isSequence = vr === 'SQ' || vr === 'UN'
      const items: FoundItem[] | undefined = wanted && isSequence ? [] : undefined
      const next = this.#takeItems(at, end, true, inside, items, depth + 1)
      const element = { vr: 'SQ', at, length: next - at, bigEndian, items: items ?? [] }
      this.#keep(wanted, tag, element)
      return next
    }
    const next = at + length
    if (next > end) throw brokenHeaderFault()
    if (wanted) {
      const items: FoundItem[] | undefined = vr === 'SQ' ? [] : undefined
      if (items) this.#takeItems(at, next, false, inside, items, depth + 1)
      this.#keep(wanted, tag, { vr, at, length, bigEndian, items })
    }
    return next
  }

  #takeItems(
    from: number,
    end: number,
    isDelimited: boolean,
    coding: Coding,
    into: FoundItem[] | undefined,
    depth: number,
  ): number {
    if (depth > MAX_DEPTH) throw new ViewedFileFault(message('viewed-file.header-too-deep'))
    let position = from
    while (position < end) {
      if (!isDelimited && position + 8 > end) break
      this.#readHeader(position, end, coding)
      const { tag, length } = this.#header
      if (tag === SEQUENCE_DELIMITATION) return position + 8
      if (tag !== ITEM) throw brokenHeaderFault()
      position += 8
      const isOpen = length === UNDEFINED_LENGTH
      if (!isOpen && position + length > end) throw brokenHeaderFault()
      const item: ElementTarget = into && new Map()
      if (item) into?.push(item)
      if (isOpen) position = this.#takeItem(position, end, true, coding, item, depth)
      else {
        if (item) this.#takeItem(position, position + length, false, coding, item, depth)
        position += length
      }
    }
    return end
  }

  #takeItem(
    from: number,
    end: number,
    isDelimited: boolean,
    coding: Coding,
    into: ElementTarget,
    depth: number,
  ): number {
    let position = from
    while (position < end) {
      if (!isDelimited && position + 8 > end) return end
      this.#readHeader(position, end, coding)
      if (this.#header.tag === ITEM_DELIMITATION) return position + 8
      if (this.#header.tag >>> 16 === DELIMITER_GROUP) throw brokenHeaderFault()
      position = this.#takeElement(position, end, coding, into, depth)
    }
    return end
  }
}

const brokenHeaderFault = (): ViewedFileFault =>
  new ViewedFileFault(message('viewed-file.header-broken'))

const tooManyElementsFault = (): ViewedFileFault =>
  new ViewedFileFault(message('viewed-file.header-too-long'))
