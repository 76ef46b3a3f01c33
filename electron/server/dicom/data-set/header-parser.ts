import {
  type Coding,
  IMPLICIT,
  ITEM,
  ITEM_DELIMITATION,
  SEQUENCE_DELIMITATION,
  UNDEFINED_LENGTH,
} from './coding.ts'
import { formatTag, vrOf } from './dictionary.ts'
import {
  DELIMITER_GROUP,
  type ElementHeader,
  MAX_HEADER_BYTES,
  newElementHeader,
  readElementHeader,
} from './element-header.ts'
import {
  type Collection,
  collection,
  type HeaderValues,
  lookupOf,
  type TagSelector,
  valuesOf,
} from './header-values.ts'
import type { StructureCheck } from './structure.ts'
import { swapNumbers, VR } from './vr.ts'

/** Why the bytes are not a valid data set. */
export class HeaderFault extends Error {
  override name = 'HeaderFault'
  readonly tag: number | undefined
  /** Whether the bytes ended too early. */
  readonly isTruncated: boolean

  constructor(message: string, tag?: number, isTruncated = false) {
    super(message)
    this.tag = tag
    this.isTruncated = isTruncated
  }
}

/** PixelData, FloatPixelData, DoubleFloatPixelData. */
export const PIXEL_DATA_TAGS: ReadonlySet<number> = new Set([0x7fe00010, 0x7fe00008, 0x7fe00009])
const UNBOUNDED = Number.POSITIVE_INFINITY

/** An open container: a sequence, an item, or encapsulated pixel data. */
interface Frame {
  readonly kind: 'items' | 'elements' | 'fragments'
  readonly coding: Coding
  /** End offset in bytes from the start of the data set; Infinity if it ends at a delimiter. */
  readonly end: number
  /** Receives the wanted values in this container; undefined if none are wanted. */
  readonly into: Collection | undefined
  /**
   * End of the enclosing sequence of defined length that is parsed only for its structure. A fault
   * within that sequence does not affect what follows it.
   */
  readonly structureEnd: number
}

/** Incremental parser of a data set (PS3.5 §7) that keeps the wanted values. */
export class HeaderParser {
  readonly #last: number
  readonly #top: Collection
  readonly #sequences: ReadonlyMap<number, Collection>
  readonly #valueBytes: number
  readonly #depth: number
  readonly #structureCheck: StructureCheck | undefined
  readonly #root: Frame
  readonly #open: Frame[] = []
  #frame: Frame
  /** Bytes of the data set processed so far, not counting an incomplete header. */
  #position = 0
  readonly #header = newElementHeader()
  /** The first bytes of an incomplete header. */
  readonly #partialHeader = Buffer.alloc(MAX_HEADER_BYTES)
  #partialLength = 0
  #toSkip = 0
  /** The value being collected, the number of bytes collected, and its element. */
  #value: Buffer | undefined
  #valueLength = 0
  #valueTag = 0
  #valueVr = ''
  #valueInto: Collection | undefined
  #swaps = false
  #lastTag: number | undefined
  #isDone = false
  #reachedPixelData = false

  constructor(
    coding: Coding,
    wanted: readonly TagSelector[],
    limits: { readonly valueBytes: number; readonly depth: number },
    walk: StructureCheck | undefined,
  ) {
    const { top, sequences, last } = lookupOf(wanted)
    this.#last = last
    this.#top = collection(top)
    this.#sequences = new Map(sequences.map(({ sequence, tags }) => [sequence, collection(tags)]))
    this.#valueBytes = limits.valueBytes
    this.#depth = limits.depth
    this.#structureCheck = walk
    this.#root = {
      kind: 'elements',
      coding,
      end: UNBOUNDED,
      into: this.#top,
      structureEnd: UNBOUNDED,
    }
    this.#frame = this.#root
  }

  /** Whether all wanted values have been found or can no longer occur. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Whether PixelData, FloatPixelData or DoubleFloatPixelData was found at the top level. */
  get reachedPixelData(): boolean {
    return this.#reachedPixelData
  }

  /** Processes the next bytes without keeping a view of them. @throws {HeaderFault} */
  push(bytes: Buffer): void {
    const walk = this.#structureCheck
    let at = 0
    while (at < bytes.length && (walk ? !walk.isUnparsable : !this.#isDone)) {
      const remainingBytes = bytes.length - at
      if (this.#toSkip > 0) {
        const skipped = Math.min(this.#toSkip, remainingBytes)
        this.#toSkip -= skipped
        this.#position += skipped
        at += skipped
      } else if (this.#value) {
        const copied = bytes.copy(this.#value, this.#valueLength, at)
        this.#valueLength += copied
        this.#position += copied
        at += copied
        if (this.#valueLength === this.#value.length) this.#keep()
      } else {
        at += this.#takeHeader(bytes, at)
      }
    }
  }

  /** Ends the input. @throws {HeaderFault} if it ends within an element */
  end(): void {
    while (this.#frame.end <= this.#position) this.#leave()
    if (this.#frame.structureEnd <= this.#position) this.#endWithin(0)
    // PS3.5 §7.1 does not allow this trailing byte, but some devices pad an odd value beyond its
    // declared length.
    const isTail =
      this.#structureCheck !== undefined &&
      this.#isDone &&
      this.#frame === this.#root &&
      this.#partialLength > 0 &&
      this.#partialHeader.subarray(0, this.#partialLength).every((byte) => byte === 0)
    if (
      (this.#partialLength > 0 && !isTail) ||
      this.#toSkip > 0 ||
      this.#value ||
      this.#frame !== this.#root
    )
      this.#fail('data set ends within an element', true)
  }

  values(): HeaderValues {
    return valuesOf(this.#top)
  }

  /** The first item of a wanted sequence; undefined if there is none. */
  first(sequence: number): HeaderValues | undefined {
    const item = this.#sequences.get(sequence)
    return item?.hasBegun ? valuesOf(item) : undefined
  }

  #fail(why: string, isTruncated = false): never {
    const tag = this.#lastTag
    throw new HeaderFault(
      tag === undefined ? why : `${why} (at ${formatTag(tag)})`,
      tag,
      isTruncated,
    )
  }

  #enter(
    kind: Frame['kind'],
    coding: Coding,
    end: number,
    into: Collection | undefined,
    isWalked = false,
  ): void {
    const structureEnd = Math.min(this.#frame.structureEnd, isWalked ? end : UNBOUNDED)
    if (this.#open.length >= this.#depth * 2) this.#fail(`sequences more than ${this.#depth} deep`)
    this.#frame = { kind, coding, end, into, structureEnd }
    this.#open.push(this.#frame)
  }

  #leave(): void {
    this.#open.pop()
    this.#frame = this.#open.at(-1) ?? this.#root
  }

  /** Reads a header, which may span two calls; returns the number of bytes consumed. */
  #takeHeader(bytes: Buffer, at: number): number {
    while (this.#frame.end <= this.#position) this.#leave()
    const frame = this.#frame
    // A container of undefined length must end within the container around it.
    if (frame.structureEnd <= this.#position) {
      this.#endWithin(0)
      return 0
    }
    const header = this.#header
    const isItem = frame.kind !== 'elements'
    // Nothing is read beyond the end of the enclosing container, because parsing may have to resume
    // there.
    const room = Math.min(frame.end, frame.structureEnd) - this.#position
    const available = Math.min(bytes.length - at, room - this.#partialLength)
    let consumed: number
    if (
      this.#partialLength === 0 &&
      readElementHeader(header, bytes, at, available, frame.coding, isItem)
    )
      consumed = header.size
    else {
      const wantedBytes = Math.min(available, MAX_HEADER_BYTES - this.#partialLength)
      const copied = bytes.copy(this.#partialHeader, this.#partialLength, at, at + wantedBytes)
      const length = this.#partialLength + copied
      if (!readElementHeader(header, this.#partialHeader, 0, length, frame.coding, isItem)) {
        this.#partialLength = length
        if (length === room) this.#endWithin(room)
        return copied
      }
      consumed = header.size - this.#partialLength
      this.#partialLength = 0
    }
    try {
      this.#take(header)
    } catch (error) {
      this.#skipSequence(error)
    }
    return consumed
  }

  #take({ tag, vr, length, size }: ElementHeader): void {
    this.#position += size
    if (this.#frame.kind === 'items') this.#takeItem(tag, length)
    else if (this.#frame.kind === 'fragments') this.#takeFragment(tag, length)
    else if (tag >>> 16 === DELIMITER_GROUP) this.#takeDelimiter(tag)
    else this.#takeElement(tag, vr, length)
  }

  #takeItem(tag: number, length: number): void {
    const { coding, end: sequenceEnd, into: wanted } = this.#frame
    if (tag === SEQUENCE_DELIMITATION && sequenceEnd === UNBOUNDED) {
      this.#leave()
      return
    }
    if (tag !== ITEM) this.#fail('something else than an item in a sequence')
    const into = wanted?.hasBegun ? undefined : wanted
    if (into) into.hasBegun = true
    const end = this.#endOf(length, 'item longer than its sequence')
    const isWalked = this.#structureCheck !== undefined && this.#open.length < this.#depth
    if (into || end === UNBOUNDED) this.#enter('elements', coding, end, into)
    else if (isWalked) this.#enter('elements', coding, end, into, true)
    else this.#toSkip = length
  }

  /** Handles the Basic Offset Table and the fragments of encapsulated pixel data (PS3.5 A.4). */
  #takeFragment(tag: number, length: number): void {
    if (tag === SEQUENCE_DELIMITATION) {
      this.#structureCheck?.fragmentsEnd(this.#position)
      this.#leave()
      return
    }
    if (tag !== ITEM || length === UNDEFINED_LENGTH)
      this.#fail('something else than a fragment in encapsulated pixel data')
    if (this.#structureCheck?.fragment(length, this.#position) === 'offsets')
      this.#startValue(length)
    else this.#toSkip = length
  }

  #takeDelimiter(tag: number): void {
    if (tag === ITEM_DELIMITATION && this.#frame !== this.#root && this.#frame.end === UNBOUNDED)
      this.#leave()
    else this.#fail('delimiter outside its sequence')
  }

  #takeElement(tag: number, vr: string, length: number): void {
    const { coding, into } = this.#frame
    const isTop = this.#frame === this.#root
    if (isTop) {
      const isPixelData = PIXEL_DATA_TAGS.has(tag)
      if (!this.#isDone) this.#reachedPixelData = isPixelData
      if (tag > this.#last || isPixelData) this.#isDone = true
      if (this.#isDone && !this.#structureCheck) return
      this.#structureCheck?.element(this.#header, this.#position)
      if (isPixelData && length === UNDEFINED_LENGTH) {
        this.#lastTag = tag
        this.#enter('fragments', coding, UNBOUNDED, undefined)
        return
      }
    }
    this.#lastTag = tag
    const end = this.#endOf(length, 'element longer than what holds it')
    const sequence = isTop && !this.#isDone ? this.#sequences.get(tag) : undefined
    // PS3.5 §6.2.2: a value encoded as UN is in Implicit VR Little Endian.
    if (end === UNBOUNDED || sequence)
      this.#enter('items', vr === 'UN' ? IMPLICIT : coding, end, sequence)
    else if (
      !this.#isDone &&
      into?.tags.has(tag) &&
      length <= this.#valueBytes &&
      !into.found.has(tag)
    ) {
      this.#valueTag = tag
      this.#valueVr = vr === 'UN' || vr === '' ? vrOf(tag) : vr
      this.#valueInto = into
      this.#swaps = coding.bigEndian && vr !== 'UN'
      this.#startValue(length)
    } else if (
      this.#structureCheck !== undefined &&
      length > 0 &&
      this.#open.length < this.#depth &&
      isSequence(vr, tag)
    )
      this.#enter('items', coding, end, undefined, true)
    else this.#toSkip = length
  }

  /**
   * End offset of a container of this length that starts here; Infinity if it ends at a delimiter.
   */
  #endOf(length: number, why: string): number {
    if (length === UNDEFINED_LENGTH) return UNBOUNDED
    const end = this.#position + length
    if (end > Math.min(this.#frame.end, this.#frame.structureEnd)) this.#fail(why)
    return end
  }

  #startValue(length: number): void {
    this.#value = Buffer.allocUnsafe(length)
    this.#valueLength = 0
    if (length === 0) this.#keep()
  }

  #keep(): void {
    const value = this.#value
    if (!value) return
    this.#value = undefined
    if (this.#frame.kind === 'fragments') this.#structureCheck?.offsets(value)
    else {
      const vr = this.#valueVr
      if (this.#swaps) swapNumbers(value, VR.get(vr)?.width ?? 1)
      this.#valueInto?.found.set(this.#valueTag, { vr, value })
    }
  }

  /** Reports that the enclosing container ends within the header of an element. */
  #endWithin(room: number): void {
    this.#position += room
    this.#partialLength = 0
    try {
      this.#fail('element longer than what holds it')
    } catch (error) {
      this.#skipSequence(error)
    }
  }

  /**
   * Resumes after the outermost sequence that is parsed only for its structure. @throws the error
   * if there is none
   */
  #skipSequence(error: unknown): void {
    const from = this.#open.findIndex(({ structureEnd }) => structureEnd !== UNBOUNDED)
    const end = this.#open[from]?.end ?? 0
    if (!this.#structureCheck || !(error instanceof HeaderFault) || end < this.#position)
      throw error
    this.#structureCheck.damaged(error.tag)
    this.#open.length = from
    this.#frame = this.#open.at(-1) ?? this.#root
    this.#value = undefined
    this.#toSkip = end - this.#position
  }
}

/** In Implicit VR only the dictionary tells which elements are sequences. */
const isSequence = (vr: string, tag: number) => vr === 'SQ' || (vr === '' && vrOf(tag) === 'SQ')
