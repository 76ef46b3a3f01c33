import { UNDEFINED_LENGTH } from './coding.ts'
import { formatTag } from './dictionary.ts'
import type { ElementHeader } from './element-header.ts'
import { withoutPadding } from './padding.ts'
import { TRANSFER_SYNTAX } from './uids.ts'

/** Values of a data set, as on the wire; undefined where an element is missing. */
export interface ElementValues {
  get(tag: number): Buffer | undefined
}

/** Where the pixel data is in a data set; bytes from its start. */
export interface PixelExtent {
  readonly tag: number
  /** As on the wire; '' where it has none. */
  readonly vr: string
  /** Of its element, and of its value. */
  readonly at: number
  readonly valueAt: number
  /** Behind it, the delimiter included. */
  readonly end: number
  readonly isEncapsulated: boolean
}

/** Whether an object ends where its own lengths say it does, with all of its pixel data. */
export interface Structure {
  readonly isComplete: boolean
  /** One sentence: what is missing, or a note about a complete one; mostly empty. */
  readonly detail: string
  /** Undefined where it has none, or the object is incomplete. */
  readonly pixels?: PixelExtent | undefined
}

/** Gathers what says whether an object is complete while its data set is read to the end. */
export interface StructureWalk {
  /** Nothing behind it can be read. */
  readonly isBroken: boolean
  /** The data set ends within the element. */
  endsWithin(tag: number | undefined): void
  /** The data set cannot be read on behind the element. */
  broke(tag: number | undefined): void
  /** The element is damaged; what comes after it can be read. */
  damaged(tag: number | undefined): void
  /**
   * An element at the top of the data set, whose header is `size` bytes long and ends at
   * `position`.
   */
  element(header: Readonly<ElementHeader>, position: number): void
  /**
   * An item of encapsulated pixel data: its length, and where its value begins in the data set.
   * offsets: it is the Basic Offset Table, whose value is to be given to `offsets`.
   */
  fragment(length: number, position: number): 'offsets' | 'fragment'
  offsets(table: Buffer): void
  /** The delimiter of encapsulated pixel data was there, and ends at `position`. */
  fragmentsEnd(position: number): void
  /** `values`: SOP Class UID and the Image Pixel attributes, where they are there. */
  end(values: ElementValues): Structure
}

const ELEMENT = {
  sopClassUid: 0x00080016,
  samplesPerPixel: 0x00280002,
  photometricInterpretation: 0x00280004,
  numberOfFrames: 0x00280008,
  rows: 0x00280010,
  columns: 0x00280011,
  bitsAllocated: 0x00280100,
  pixelDataProviderUrl: 0x00287fe0,
  spectroscopyData: 0x56000020,
} as const

/** Bits of one value; those of PixelData itself are in BitsAllocated. */
const BITS: ReadonlyMap<number, number | undefined> = new Map([
  [0x7fe00010, undefined],
  [0x7fe00008, 32],
  [0x7fe00009, 64],
])

/** PS3.5 §8.2.7 to §8.2.9: a fragment of these holds a stream of many frames. */
const VIDEO = /^1\.2\.840\.10008\.1\.2\.4\.10[0-8](?:\.1)?$/
/** Of a Basic Offset Table, of 65,536 frames; a longer one is passed over. Bytes. */
const MOST_OFFSETS = 256 << 10
const LONGEST = 0xffffffff

export function createStructureWalk(transferSyntax: string): StructureWalk {
  const seen = new Set<number>()
  let fault: string | undefined
  let isBroken = false
  let pixels: (PixelExtent & { readonly length: number }) | undefined
  /** Undefined before the Basic Offset Table. */
  let fragments: number | undefined
  let base = 0
  let end = 0
  let table: Buffer = Buffer.alloc(0)
  /** Index of the next entry of the table that no fragment began at yet. */
  let next = 0
  const entry = (index: number) => table.readUInt32LE(index * 4)
  const entries = () => Math.floor(table.length / 4)

  /** What is missing of encapsulated pixel data. */
  function encapsulatedFault(frames: number): string | undefined {
    if (fragments === undefined || fragments === 0) return 'Its pixel data is empty.'
    const isVideo = VIDEO.test(transferSyntax)
    if (!isVideo && fragments < frames) return `It has ${fragments} of ${frames} frames.`
    // Offsets are of 32 bits: behind that a table cannot be right.
    let isBehind = false
    for (let index = 0; index < entries() && !isBehind; index++) isBehind = entry(index) >= end
    return isBehind && end <= LONGEST
      ? 'Its offset table names a frame behind the end of its pixel data.'
      : undefined
  }

  return {
    get isBroken() {
      return isBroken
    },
    endsWithin(tag) {
      fault ??= `It ends too early, at element ${nameOf(tag)}.`
      isBroken = true
    },
    broke(tag) {
      fault ??= damage(tag)
      isBroken = true
    },
    damaged(tag) {
      fault ??= damage(tag)
    },
    element({ tag, vr, length, size }, position) {
      if (BITS.has(tag)) {
        const isEncapsulated = length === UNDEFINED_LENGTH
        const end = position + (isEncapsulated ? 0 : length)
        pixels = { tag, vr, length, at: position - size, valueAt: position, end, isEncapsulated }
      } else if (tag === ELEMENT.pixelDataProviderUrl || tag === ELEMENT.spectroscopyData)
        seen.add(tag)
    },
    fragment(length, position) {
      if (fragments === undefined) {
        fragments = 0
        base = position + length
        return length <= MOST_OFFSETS ? 'offsets' : 'fragment'
      }
      fragments++
      if (next < entries() && entry(next) === position - 8 - base) next++
      end = position + length - base
      return 'fragment'
    },
    offsets(value) {
      table = value
    },
    fragmentsEnd(position) {
      if (fragments === undefined) fault ??= damage(pixels?.tag)
      if (pixels) pixels = { ...pixels, end: position }
    },
    end(values) {
      if (fault !== undefined) return { isComplete: false, detail: fault }
      const described = describedBy(values)
      if (!pixels) {
        const isElsewhere = seen.size > 0
        return described.isImage && !isElsewhere
          ? { isComplete: false, detail: 'It describes an image and has no pixel data.' }
          : WHOLE
      }
      const whole: Structure = { ...WHOLE, pixels }
      if (fragments !== undefined) {
        const missing = encapsulatedFault(described.frames)
        if (missing !== undefined) return { isComplete: false, detail: missing }
        return next < entries() ? { ...whole, detail: ODD_TABLE } : whole
      }
      // An explicit length is none of encapsulated pixel data (PS3.5 A.4): what it says of the
      // frames is not known.
      if (!NATIVE.has(transferSyntax)) return whole
      const expected = described.bytes(BITS.get(pixels.tag))
      if (expected === undefined) return whole
      const { length } = pixels
      if (length < expected)
        return { isComplete: false, detail: `Its pixel data has ${length} of ${expected} bytes.` }
      // PS3.5 §8.1.1: an even length.
      const padding = length - expected - (expected % 2)
      return padding > 0
        ? { ...whole, detail: `Its pixel data is ${padding} bytes longer than its attributes say.` }
        : whole
    },
  }
}

const nameOf = (tag: number | undefined) => formatTag(tag ?? 0)
const damage = (tag: number | undefined) => `It is damaged, at element ${nameOf(tag)}.`

const WHOLE: Structure = { isComplete: true, detail: '' }
const ODD_TABLE = 'Its offset table does not match its fragments.'
const NATIVE: ReadonlySet<string> = new Set([
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
])
/**
 * Others may have the attributes of an image and no pixels, such as spectra in the classes of
 * vendors.
 */
const STORAGE_ROOT = '1.2.840.10008.5.1.4.1.1.'

/** What the Image Pixel attributes say (PS3.3 C.7.6.3, C.7.6.6). */
function describedBy(values: ElementValues) {
  const text = (tag: number) => withoutPadding(values.get(tag)?.toString('latin1') ?? '').trim()
  const number = (tag: number) => {
    const bytes = values.get(tag)
    return bytes && bytes.length >= 2 ? bytes.readUInt16LE() : undefined
  }
  const [rows, columns, bitsAllocated] = [
    number(ELEMENT.rows),
    number(ELEMENT.columns),
    number(ELEMENT.bitsAllocated),
  ]
  const photometric = text(ELEMENT.photometricInterpretation)
  const given = Number.parseInt(text(ELEMENT.numberOfFrames), 10)
  const frames = given > 0 ? given : 1
  return {
    frames,
    isImage:
      Boolean(rows && columns && bitsAllocated && photometric !== '') &&
      text(ELEMENT.sopClassUid).startsWith(STORAGE_ROOT),
    /** The least that native pixel data may have; undefined where the attributes do not say. */
    bytes(bits = bitsAllocated): number | undefined {
      if (!rows || !columns || !bits) return undefined
      const samples = number(ELEMENT.samplesPerPixel) ?? 1
      // PS3.3 C.7.6.3.1.2: two pixels share their chrominance samples, or four do.
      const stored =
        samples !== 3
          ? samples
          : /_422$/.test(photometric)
            ? 2
            : /_420$/.test(photometric)
              ? 1.5
              : 3
      return Math.ceil((rows * columns * stored * bits * frames) / 8)
    },
  }
}
