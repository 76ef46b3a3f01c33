import { decodeText } from './character-set.ts'
import { CODINGS, type Coding, IMPLICIT, ITEM, ITEM_DELIMITATION, SEQUENCE_DELIMITATION, UNDEFINED_LENGTH } from './coding.ts'
import { formatTag, vrOf } from './dictionary.ts'
import { DELIMITERS, type ElementHeader, LONGEST_HEADER, newElementHeader, readElementHeader } from './element-header.ts'
import { createInflater } from './inflater.ts'
import { withoutPadding } from './padding.ts'
import { TRANSFER_SYNTAX } from './uids.ts'
import { swapNumbers, VR } from './vr.ts'

/** A tag at the top of a data set, or tags inside the first item of a sequence there. */
export type Wanted = number | { readonly sequence: number; readonly tags: readonly number[] }

export interface HeaderLimits {
  /** A wanted value that is longer is passed over like one that is not wanted; bytes. */
  readonly valueBytes: number
  /** Sequences of undefined length, and wanted ones, within each other. */
  readonly depth: number
  /** Of a deflated data set: compressed bytes, and bytes inflated from them, within which the header must end. */
  readonly deflatedBytes: number
  readonly inflatedBytes: number
}

export const HEADER_LIMITS: HeaderLimits = { valueBytes: 64 << 10, depth: 32, deflatedBytes: 1 << 20, inflatedBytes: 16 << 20 }

/** The wanted values of one data set or item. */
export interface HeaderValues {
  /** As on the wire, padding included, numbers in little endian whatever the wire; undefined where it is missing or was too long. */
  get(tag: number): Buffer | undefined
  /** Its VR on the wire; by the dictionary where the wire has none. */
  vrOf(tag: number): string | undefined
  /** Values of Specific Character Set (0008,0005), which is always read; undefined where it is missing or empty. */
  readonly characterSet: readonly string[] | undefined
}

export interface HeaderResult extends HeaderValues {
  /** The first item of a wanted sequence; undefined where there is none. */
  first(sequence: number): HeaderValues | undefined
  /** Where and why the bytes are no data set, without a value of it; what came before is there. Undefined: all that was read is sound. */
  readonly fault: string | undefined
  /** The fault is that a deflated data set's header did not end within the limits: the bytes may be sound. */
  readonly isCut: boolean
  /** PixelData, FloatPixelData or DoubleFloatPixelData was seen at the top. */
  readonly reachedPixelData: boolean
}

export interface HeaderReader {
  /** Takes the data set's next bytes, in any pieces; keeps no view of them. Never throws. */
  push(bytes: Buffer): void
  /** Nothing that comes can change the result: pixel data or a tag above the last wanted was reached, or a fault. */
  readonly isDone: boolean
  /** The result as of now; bytes that end within an element are a fault. */
  end(): HeaderResult
}

/**
 * Reads the header of a data set while it streams by (PS3.5 §7, Annex A). Elements that are not wanted are passed over by their length,
 * and nothing is done with pixel data, so it costs the same for every size of image; memory is that of the wanted values. A transfer syntax
 * that is not in `CODINGS` has its data set in Explicit VR Little Endian, as every encapsulated one does (PS3.5 A.4).
 */
export function createHeaderReader(transferSyntax: string, wanted: readonly Wanted[], limits: HeaderLimits = HEADER_LIMITS): HeaderReader {
  const coding = CODINGS[transferSyntax] ?? EXPLICIT
  const parser = createParser(coding, wanted, limits)
  const inflater = coding.deflated ? createInflater(limits) : undefined
  let isFaulty = false
  let fault: string | undefined
  let isCut = false
  const isOver = () => isFaulty || parser.isDone

  function attempt(read: () => void): void {
    try {
      read()
    } catch (error) {
      isFaulty = true
      // The inflater's, and the platform's, where there is too much.
      isCut = error instanceof RangeError
      fault = error instanceof HeaderFault ? error.message : 'data set cannot be inflated, or its header is too long'
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
      return { ...parser.found(), fault, isCut }
    },
  }
}

/**
 * The text of an element, all its values with backslashes between, without padding; '' where it is missing. Read in the character set that
 * the data set declares; where it declares none, or the bytes are none of that set, in `fallback`: the values of (0008,0005) that the
 * device is known to mean (dicom-field §3.4).
 */
export function textOf(values: HeaderValues, tag: number, fallback: readonly string[] = []): string {
  const bytes = values.get(tag)
  if (!bytes) return ''
  const vr = values.vrOf(tag) ?? 'UN'
  const declared = decodeText(bytes, values.characterSet ?? fallback, vr)
  if (declared.exact || values.characterSet === undefined || fallback.length === 0) return withoutPadding(declared.text).trimStart()
  const second = decodeText(bytes, fallback, vr)
  return withoutPadding(second.exact ? second.text : declared.text).trimStart()
}

/** Why bytes are no data set, for this file alone. */
class HeaderFault extends Error {
  override name = 'HeaderFault'
}

const EXPLICIT = CODINGS[TRANSFER_SYNTAX.explicitLittleEndian] as Coding
const SPECIFIC_CHARACTER_SET = 0x00080005
/** PixelData, FloatPixelData, DoubleFloatPixelData. */
const PIXEL_DATA: ReadonlySet<number> = new Set([0x7fe00010, 0x7fe00008, 0x7fe00009])
/** PS3.3 C.12.1.1.2 defines no more of them. */
const MOST_TERMS = 20

/** What is open around the next element: the items of a sequence, or the elements of an item. */
interface Frame {
  readonly kind: 'items' | 'elements'
  readonly coding: Coding
  /** Where it ends, bytes from the start of the data set; Infinity: at its delimiter. */
  readonly end: number
  /** What is wanted in it; undefined: nothing. */
  readonly into: Collection | undefined
}

/** Values as they are found. */
interface Collection {
  readonly tags: ReadonlySet<number>
  readonly found: Map<number, { readonly vr: string; readonly value: Buffer }>
  /** Of a sequence: an item of it has begun, so the next ones are not wanted. */
  hasBegun: boolean
}

const collection = (tags: ReadonlySet<number>): Collection => ({ tags, found: new Map(), hasBegun: false })

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
    typeof want === 'number' ? [] : [{ sequence: want.sequence, tags: withCharacterSet(want.tags) }],
  )
  const sought = { top, sequences, last: Math.max(...top, ...sequences.map(({ sequence }) => sequence)) }
  SOUGHT.set(wanted, sought)
  return sought
}

function createParser(coding: Coding, wanted: readonly Wanted[], limits: HeaderLimits) {
  const sought = soughtOf(wanted)
  const { last } = sought
  const top = collection(sought.top)
  const sequences = new Map(sought.sequences.map(({ sequence, tags }) => [sequence, collection(tags)]))
  const root: Frame = { kind: 'elements', coding, end: Number.POSITIVE_INFINITY, into: top }

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
  let owner: { readonly tag: number; readonly vr: string; readonly into: Collection; readonly swap: boolean } | undefined
  let lastTag: number | undefined
  let isDone = false
  let reachedPixelData = false

  function fail(why: string): never {
    throw new HeaderFault(lastTag === undefined ? why : `${why} (at ${formatTag(lastTag)})`)
  }

  function enter(next: Frame): void {
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
    if (!isDelimited && end > frame.end) fail('item longer than its sequence')
    if (into || isDelimited) enter({ kind: 'elements', coding: frame.coding, end, into })
    else toSkip = length
  }

  function takeDelimiter(tag: number): void {
    if (tag === ITEM_DELIMITATION && frame !== root && frame.end === Number.POSITIVE_INFINITY) leave()
    else fail('delimiter outside its sequence')
  }

  function takeElement(tag: number, vr: string, length: number): void {
    if (frame === root) {
      reachedPixelData = PIXEL_DATA.has(tag)
      if (tag > last || reachedPixelData) {
        isDone = true
        return
      }
    }
    lastTag = tag
    const isUndefined = length === UNDEFINED_LENGTH
    const end = isUndefined ? Number.POSITIVE_INFINITY : position + length
    if (!isUndefined && end > frame.end) fail('element longer than what holds it')
    const sequence = frame === root ? sequences.get(tag) : undefined
    // PS3.5 §6.2.2: what travels as UN is in Implicit VR Little Endian inside.
    if (isUndefined || sequence) enter({ kind: 'items', coding: vr === 'UN' ? IMPLICIT : frame.coding, end, into: sequence })
    else if (frame.into?.tags.has(tag) && length <= limits.valueBytes && !frame.into.found.has(tag)) gather(tag, vr, length, frame.into)
    else toSkip = length
  }

  function gather(tag: number, vr: string, length: number, into: Collection): void {
    value = Buffer.allocUnsafe(length)
    valueLength = 0
    owner = { tag, vr: vr === 'UN' || vr === '' ? vrOf(tag) : vr, into, swap: frame.coding.bigEndian && vr !== 'UN' }
    if (length === 0) keep()
  }

  function keep(): void {
    if (!value || !owner) return
    const { tag, vr, into, swap } = owner
    into.found.set(tag, { vr, value: swap ? swapNumbers(value, VR.get(vr)?.width ?? 1) : value })
    value = undefined
    owner = undefined
  }

  /** Takes a header from the bytes, across pieces where it must; gives how many of them it took. */
  function takeHeader(bytes: Buffer, at: number): number {
    while (frame.end <= position) leave()
    if (begunLength === 0) {
      if (readElementHeader(header, bytes, at, bytes.length - at, frame.coding, frame.kind === 'items')) {
        take(header)
        return header.size
      }
    }
    const copied = bytes.copy(begun, begunLength, at)
    if (!readElementHeader(header, begun, 0, begunLength + copied, frame.coding, frame.kind === 'items')) {
      begunLength += copied
      return copied
    }
    const taken = header.size - begunLength
    begunLength = 0
    take(header)
    return taken
  }

  return {
    get isDone() {
      return isDone
    },
    push(bytes: Buffer): void {
      let at = 0
      while (at < bytes.length && !isDone) {
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
      if (begunLength > 0 || toSkip > 0 || value || frame !== root) fail('data set ends within an element')
    },
    found: (): Omit<HeaderResult, 'fault' | 'isCut'> => ({
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
  const terms = withoutPadding(found.get(SPECIFIC_CHARACTER_SET)?.value.toString('latin1', 0, MOST_TERMS * 17) ?? '')
  return {
    get: (tag) => found.get(tag)?.value,
    vrOf: (tag) => found.get(tag)?.vr,
    characterSet: terms === '' ? undefined : terms.split('\\', MOST_TERMS).map((term) => term.trim()),
  }
}
