import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import {
  CODINGS,
  type Coding,
  IMPLICIT,
  ITEM,
  ITEM_DELIMITATION,
  SEQUENCE_DELIMITATION,
  UNDEFINED_LENGTH,
} from './coding.ts'
import { formatTag, vrOf } from './dictionary.ts'
import {
  DELIMITERS,
  type ElementHeader,
  LONGEST_HEADER,
  newElementHeader,
  readElementHeader,
} from './element-header.ts'
import { createInflater } from './inflater.ts'
import { withoutPadding } from './padding.ts'
import { createStructureWalk, type Structure, type StructureWalk } from './structure.ts'
import { TRANSFER_SYNTAX } from './uids.ts'
import { swapNumbers, VR } from './vr.ts'

/** A tag at the top of a data set, or tags inside the first item of a sequence there. */
export type Wanted = number | { readonly sequence: number; readonly tags: readonly number[] }

export interface HeaderLimits {
  /** A wanted value that is longer is passed over like one that is not wanted; bytes. */
  readonly valueBytes: number
  /** Sequences of undefined length, and wanted ones, within each other. */
  readonly depth: number
  /**
   * Of a deflated data set: compressed bytes, and bytes inflated from them, within which the header
   * must end.
   */
  readonly deflatedBytes: number
  readonly inflatedBytes: number
}

export const HEADER_LIMITS: HeaderLimits = {
  valueBytes: 64 << 10,
  depth: 32,
  deflatedBytes: 1 << 20,
  inflatedBytes: 16 << 20,
}

/** The wanted values of one data set or item. */
export interface HeaderValues {
  /**
   * As on the wire, padding included, numbers in little endian whatever the wire; undefined where
   * it is missing or was too long.
   */
  get(tag: number): Buffer | undefined
  /** Its VR on the wire; by the dictionary where the wire has none. */
  vrOf(tag: number): string | undefined
  /**
   * Values of Specific Character Set (0008,0005), which is always read; undefined where it is
   * missing or empty.
   */
  readonly characterSet: readonly string[] | undefined
}

export interface HeaderResult extends HeaderValues {
  /** The first item of a wanted sequence; undefined where there is none. */
  first(sequence: number): HeaderValues | undefined
  /**
   * Where and why the bytes are no data set, without a value of it; what came before is there.
   * Undefined: all that was read is sound.
   */
  readonly fault: string | undefined
  /**
   * The fault is that a deflated data set's header did not end within the limits: the bytes may be
   * sound.
   */
  readonly isCut: boolean
  /** PixelData, FloatPixelData or DoubleFloatPixelData was seen at the top. */
  readonly reachedPixelData: boolean
  /** Of a reader that walks to the end; undefined where it did not, or the data set is deflated. */
  readonly structure: Structure | undefined
}

export interface HeaderReader {
  /** Takes the data set's next bytes, in any pieces; keeps no view of them. Never throws. */
  push(bytes: Buffer): void
  /**
   * Nothing that comes can change the result: pixel data or a tag above the last wanted was
   * reached, or a fault.
   */
  readonly isDone: boolean
  /** The result as of now; bytes that end within an element are a fault. */
  end(): HeaderResult
}

/**
 * Reads the header of a data set while it streams by (PS3.5 §7, Annex A). Elements that are not
 * wanted are passed over by their length, and nothing is done with pixel data, so it costs the same
 * for every size of image; memory is that of the wanted values. A transfer syntax that is not in
 * `CODINGS` has its data set in Explicit VR Little Endian, as every encapsulated one does (PS3.5
 * A.4).
 *
 * A reader that `walks` goes on behind the header: it follows the declared lengths, items and
 * delimiters to the end of the data set and compares the pixel data with the attributes that
 * describe it (`structure`). The Image Pixel attributes must be among the wanted then.
 */
export function createHeaderReader(
  transferSyntax: string,
  wanted: readonly Wanted[],
  {
    walks = false,
    limits = HEADER_LIMITS,
  }: { readonly walks?: boolean; readonly limits?: HeaderLimits } = {},
): HeaderReader {
  const coding = CODINGS[transferSyntax] ?? EXPLICIT
  // Of a deflated data set the beginning alone is inflated here.
  const walk = walks && !coding.deflated ? createStructureWalk(transferSyntax) : undefined
  const parser = createParser(coding, wanted, limits, walk)
  const inflater = coding.deflated ? createInflater(limits) : undefined
  let isFaulty = false
  let fault: string | undefined
  let isCut = false
  const isOver = () => isFaulty || (walk ? walk.isBroken : parser.isDone)

  function attempt(read: () => void): void {
    try {
      read()
    } catch (error) {
      // What comes before was read whole: the header is sound.
      if (walk && parser.isDone && error instanceof HeaderFault) {
        if (error.isEnd) walk.endsWithin(error.tag)
        else walk.broke(error.tag)
        return
      }
      isFaulty = true
      // The inflater's, and the platform's, where there is too much.
      isCut = error instanceof RangeError
      fault =
        error instanceof HeaderFault
          ? error.message
          : 'data set cannot be inflated, or its header is too long'
    }
  }

  return {
    get isDone() {
      return isOver()
    },
    push(bytes) {
      if (!isOver()) attempt(() => parser.push(inflater ? inflater.push(bytes) : bytes))
    },
    end() {
      if (!isOver()) {
        attempt(() => {
          if (inflater) parser.push(inflater.end())
          parser.end()
        })
      }
      const found = parser.found()
      return { ...found, fault, isCut, structure: isFaulty ? undefined : walk?.end(found) }
    },
  }
}

/**
 * The text of an element, all its values with backslashes between, without padding; '' where it is
 * missing. Read in the character set that the data set declares; where it declares none, or the
 * bytes are none of that set, in `fallback`: the values of (0008,0005) that the device is known to
 * mean.
 */
export function textOf(
  values: HeaderValues,
  tag: number,
  fallback: readonly string[] = [],
): string {
  const bytes = values.get(tag)
  if (!bytes) return ''
  const vr = values.vrOf(tag) ?? 'UN'
  const declared = decodeText(bytes, values.characterSet ?? fallback, vr)
  if (declared.exact || values.characterSet === undefined || fallback.length === 0)
    return withoutPadding(declared.text).trimStart()
  const second = decodeText(bytes, fallback, vr)
  return withoutPadding(second.exact ? second.text : declared.text).trimStart()
}

/** Why bytes are no data set, for this file alone. */
class HeaderFault extends Error {
  override name = 'HeaderFault'
  readonly tag: number | undefined
  /** The bytes end where there should be more. */
  readonly isEnd: boolean

  constructor(message: string, tag?: number, isEnd = false) {
    super(message)
    this.tag = tag
    this.isEnd = isEnd
  }
}

const EXPLICIT = CODINGS[TRANSFER_SYNTAX.explicitLittleEndian] as Coding
const SPECIFIC_CHARACTER_SET = 0x00080005
/** PixelData, FloatPixelData, DoubleFloatPixelData. */
const PIXEL_DATA: ReadonlySet<number> = new Set([0x7fe00010, 0x7fe00008, 0x7fe00009])
/** PS3.3 C.12.1.1.2 defines no more of them. */
const MOST_TERMS = 20

/** What is open around the next element: the items of a sequence, or the elements of an item. */
interface Frame {
  readonly kind: 'items' | 'elements' | 'fragments'
  readonly coding: Coding
  /** Where it ends, bytes from the start of the data set; Infinity: at its delimiter. */
  readonly end: number
  /** What is wanted in it; undefined: nothing. */
  readonly into: Collection | undefined
  /**
   * Where a sequence of defined length ends that was entered for its structure alone: a fault
   * within it does not reach beyond that.
   */
  readonly walkedTo: number
}

/** Values as they are found. */
interface Collection {
  readonly tags: ReadonlySet<number>
  readonly found: Map<number, { readonly vr: string; readonly value: Buffer }>
  /** Of a sequence: an item of it has begun, so the next ones are not wanted. */
  hasBegun: boolean
}

const collection = (tags: ReadonlySet<number>): Collection => ({
  tags,
  found: new Map(),
  hasBegun: false,
})

/** What is wanted, in the form it is looked for: the same for every data set. */
interface Sought {
  readonly top: ReadonlySet<number>
  readonly sequences: readonly { readonly sequence: number; readonly tags: ReadonlySet<number> }[]
  readonly last: number
}

const SOUGHT = new WeakMap<readonly Wanted[], Sought>()

function soughtOf(wanted: readonly Wanted[]): Sought {
  const known = SOUGHT.get(wanted)
  if (known) return known
  const withCharacterSet = (tags: readonly number[]) => new Set([SPECIFIC_CHARACTER_SET, ...tags])
  const top = withCharacterSet(wanted.filter((tag) => typeof tag === 'number'))
  const sequences = wanted.flatMap((want) =>
    typeof want === 'number'
      ? []
      : [{ sequence: want.sequence, tags: withCharacterSet(want.tags) }],
  )
  const sought = {
    top,
    sequences,
    last: Math.max(...top, ...sequences.map(({ sequence }) => sequence)),
  }
  SOUGHT.set(wanted, sought)
  return sought
}

function createParser(
  coding: Coding,
  wanted: readonly Wanted[],
  limits: HeaderLimits,
  walk: StructureWalk | undefined,
) {
  const sought = soughtOf(wanted)
  const { last } = sought
  const top = collection(sought.top)
  const sequences = new Map(
    sought.sequences.map(({ sequence, tags }) => [sequence, collection(tags)]),
  )
  const root: Frame = {
    kind: 'elements',
    coding,
    end: Number.POSITIVE_INFINITY,
    into: top,
    walkedTo: Number.POSITIVE_INFINITY,
  }

  const open: Frame[] = []
  let frame = root
  /** Bytes of the data set that are behind us, those of a header that has begun not among them. */
  let position = 0
  const header = newElementHeader()
  const begun = Buffer.alloc(LONGEST_HEADER)
  let begunLength = 0
  let toSkip = 0
  let value: Buffer | undefined
  let valueLength = 0
  let owner:
    | {
        readonly tag: number
        readonly vr: string
        readonly into: Collection
        readonly swap: boolean
      }
    | undefined
  let lastTag: number | undefined
  let isDone = false
  let reachedPixelData = false

  function fail(why: string, isEnd = false): never {
    throw new HeaderFault(
      lastTag === undefined ? why : `${why} (at ${formatTag(lastTag)})`,
      lastTag,
      isEnd,
    )
  }

  function enter(given: Omit<Frame, 'walkedTo'>, isWalked = false): void {
    const next = {
      ...given,
      walkedTo: Math.min(frame.walkedTo, isWalked ? given.end : Number.POSITIVE_INFINITY),
    }
    if (open.length >= limits.depth * 2) fail(`sequences more than ${limits.depth} deep`)
    open.push(next)
    frame = next
  }

  function leave(): void {
    open.pop()
    frame = open.at(-1) ?? root
  }

  function take({ tag, vr, length, size }: ElementHeader): void {
    position += size
    if (frame.kind === 'items') takeItem(tag, length)
    else if (frame.kind === 'fragments') takeFragment(tag, length)
    else if (tag >>> 16 === DELIMITERS) takeDelimiter(tag)
    else takeElement(tag, vr, length)
  }

  function takeItem(tag: number, length: number): void {
    if (tag === SEQUENCE_DELIMITATION && frame.end === Number.POSITIVE_INFINITY) {
      leave()
      return
    }
    if (tag !== ITEM) fail('something else than an item in a sequence')
    const into = frame.into?.hasBegun ? undefined : frame.into
    if (into) into.hasBegun = true
    const isDelimited = length === UNDEFINED_LENGTH
    const end = isDelimited ? Number.POSITIVE_INFINITY : position + length
    if (!isDelimited && end > Math.min(frame.end, frame.walkedTo))
      fail('item longer than its sequence')
    const isWalked = walk !== undefined && open.length < limits.depth
    if (into || isDelimited) enter({ kind: 'elements', coding: frame.coding, end, into })
    else if (isWalked) enter({ kind: 'elements', coding: frame.coding, end, into }, isWalked)
    else toSkip = length
  }

  /** PS3.5 A.4: the Basic Offset Table and the fragments of encapsulated pixel data. */
  function takeFragment(tag: number, length: number): void {
    if (tag === SEQUENCE_DELIMITATION) {
      walk?.fragmentsEnd(position)
      leave()
      return
    }
    if (tag !== ITEM || length === UNDEFINED_LENGTH)
      fail('something else than a fragment in encapsulated pixel data')
    if (walk?.fragment(length, position) === 'offsets') {
      value = Buffer.allocUnsafe(length)
      valueLength = 0
      if (length === 0) keep()
    } else toSkip = length
  }

  function takeDelimiter(tag: number): void {
    if (tag === ITEM_DELIMITATION && frame !== root && frame.end === Number.POSITIVE_INFINITY)
      leave()
    else fail('delimiter outside its sequence')
  }

  function takeElement(tag: number, vr: string, length: number): void {
    if (frame === root) {
      const isPixelData = PIXEL_DATA.has(tag)
      if (!isDone) reachedPixelData = isPixelData
      if (tag > last || isPixelData) isDone = true
      if (isDone && !walk) return
      walk?.element(header, position)
      if (isPixelData && length === UNDEFINED_LENGTH) {
        lastTag = tag
        enter({
          kind: 'fragments',
          coding: frame.coding,
          end: Number.POSITIVE_INFINITY,
          into: undefined,
        })
        return
      }
    }
    lastTag = tag
    const isUndefined = length === UNDEFINED_LENGTH
    const end = isUndefined ? Number.POSITIVE_INFINITY : position + length
    if (!isUndefined && end > Math.min(frame.end, frame.walkedTo))
      fail('element longer than what holds it')
    const sequence = frame === root && !isDone ? sequences.get(tag) : undefined
    // PS3.5 §6.2.2: what travels as UN is in Implicit VR Little Endian inside.
    const isWalked =
      walk !== undefined && length > 0 && open.length < limits.depth && isSequence(vr, tag)
    if (isUndefined || sequence)
      enter({ kind: 'items', coding: vr === 'UN' ? IMPLICIT : frame.coding, end, into: sequence })
    else if (
      !isDone &&
      frame.into?.tags.has(tag) &&
      length <= limits.valueBytes &&
      !frame.into.found.has(tag)
    )
      gather(tag, vr, length, frame.into)
    else if (isWalked)
      enter({ kind: 'items', coding: frame.coding, end, into: undefined }, isWalked)
    else toSkip = length
  }

  function gather(tag: number, vr: string, length: number, into: Collection): void {
    value = Buffer.allocUnsafe(length)
    valueLength = 0
    owner = {
      tag,
      vr: vr === 'UN' || vr === '' ? vrOf(tag) : vr,
      into,
      swap: frame.coding.bigEndian && vr !== 'UN',
    }
    if (length === 0) keep()
  }

  /** In Implicit VR the dictionary alone says what a sequence is. */
  const isSequence = (vr: string, tag: number) => vr === 'SQ' || (vr === '' && vrOf(tag) === 'SQ')

  function keep(): void {
    if (value && frame.kind === 'fragments') {
      walk?.offsets(value)
      value = undefined
      return
    }
    if (!value || !owner) return
    const { tag, vr, into, swap } = owner
    into.found.set(tag, { vr, value: swap ? swapNumbers(value, VR.get(vr)?.width ?? 1) : value })
    value = undefined
    owner = undefined
  }

  /** Takes a header from the bytes, across pieces where it must; gives how many of them it took. */
  function takeHeader(bytes: Buffer, at: number): number {
    while (frame.end <= position) leave()
    // Something of undefined length has no end where the sequence around it has.
    if (frame.walkedTo <= position) {
      endWithin(0)
      return 0
    }
    const isItem = frame.kind !== 'elements'
    // Nothing is taken from behind the end of what holds it: there the reading may have to go on.
    const room = Math.min(frame.end, frame.walkedTo) - position
    const available = Math.min(bytes.length - at, room - begunLength)
    let taken: number
    if (begunLength === 0 && readElementHeader(header, bytes, at, available, frame.coding, isItem))
      taken = header.size
    else {
      const copied = bytes.copy(
        begun,
        begunLength,
        at,
        at + Math.min(available, LONGEST_HEADER - begunLength),
      )
      if (!readElementHeader(header, begun, 0, begunLength + copied, frame.coding, isItem)) {
        begunLength += copied
        if (begunLength === room) endWithin(room)
        return copied
      }
      taken = header.size - begunLength
      begunLength = 0
    }
    try {
      take(header)
    } catch (error) {
      passOver(error)
    }
    return taken
  }

  /** What holds it ends within the header of an element. */
  function endWithin(room: number): void {
    position += room
    begunLength = 0
    try {
      fail('element longer than what holds it')
    } catch (error) {
      passOver(error)
    }
  }

  /**
   * Goes on behind the outermost sequence that was entered for its structure alone. @throws the
   * error, where there is none
   */
  function passOver(error: unknown): void {
    const from = open.findIndex(({ walkedTo }) => walkedTo !== Number.POSITIVE_INFINITY)
    const end = open[from]?.end ?? 0
    if (!walk || !(error instanceof HeaderFault) || end < position) throw error
    walk.damaged(error.tag)
    open.length = from
    frame = open.at(-1) ?? root
    value = undefined
    toSkip = end - position
  }

  return {
    get isDone() {
      return isDone
    },
    push(bytes: Buffer): void {
      let at = 0
      while (at < bytes.length && (walk ? !walk.isBroken : !isDone)) {
        const left = bytes.length - at
        if (toSkip > 0) {
          const skipped = Math.min(toSkip, left)
          toSkip -= skipped
          position += skipped
          at += skipped
        } else if (value) {
          const copied = bytes.copy(value, valueLength, at)
          valueLength += copied
          position += copied
          at += copied
          if (valueLength === value.length) keep()
        } else {
          at += takeHeader(bytes, at)
        }
      }
    },
    end(): void {
      while (frame.end <= position) leave()
      if (frame.walkedTo <= position) endWithin(0)
      // PS3.5 §7.1 has no such tail, and devices write one: an odd value that was padded behind its
      // length.
      const isTail =
        walk !== undefined &&
        isDone &&
        frame === root &&
        begunLength > 0 &&
        begun.subarray(0, begunLength).every((byte) => byte === 0)
      if ((begunLength > 0 && !isTail) || toSkip > 0 || value || frame !== root)
        fail('data set ends within an element', true)
    },
    found: (): Omit<HeaderResult, 'fault' | 'isCut' | 'structure'> => ({
      ...valuesOf(top),
      first: (sequence) => {
        const item = sequences.get(sequence)
        return item?.hasBegun ? valuesOf(item) : undefined
      },
      reachedPixelData,
    }),
  }
}

function valuesOf({ found }: Collection): HeaderValues {
  const terms = withoutPadding(
    found.get(SPECIFIC_CHARACTER_SET)?.value.toString('latin1', 0, MOST_TERMS * 17) ?? '',
  )
  return {
    get: (tag) => found.get(tag)?.value,
    vrOf: (tag) => found.get(tag)?.vr,
    characterSet:
      terms === '' ? undefined : terms.split('\\', MOST_TERMS).map((term) => term.trim()),
  }
}
