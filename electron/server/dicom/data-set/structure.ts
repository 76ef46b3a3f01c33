import { type Message, message } from '#shared/messages/message.ts'
import { CODINGS, UNDEFINED_LENGTH } from './coding.ts'
import { formatTag } from './dictionary.ts'
import type { ElementHeader } from './element-header.ts'
import { withoutPadding } from './vr.ts'

/** Encoded values of a data set; undefined for a missing element. */
export interface ElementValues {
  get(tag: number): Buffer | undefined
}

/** The position of the pixel data, as byte offsets from the start of the data set. */
export interface PixelExtent {
  readonly tag: number
  /** The encoded VR; '' in Implicit VR. */
  readonly vr: string
  /** Start of the element, and of its value. */
  readonly at: number
  readonly valueAt: number
  /** End of the element, including its delimiter. */
  readonly end: number
  readonly isEncapsulated: boolean
}

/** Whether an object is complete: it ends where its lengths say, with all of its pixel data. */
export interface Structure {
  readonly isComplete: boolean
  /** What is missing, or a remark about a complete object; usually null. */
  readonly detail: Message | null
  /** Undefined if the object has no pixel data or is incomplete. */
  readonly pixels?: PixelExtent | undefined
  /** Set if it has an Original Attributes Sequence, which lists its earlier values. */
  readonly hasOriginalAttributes?: true
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
  originalAttributes: 0x04000561,
  spectroscopyData: 0x56000020,
} as const

/** Bits per value; for PixelData they are in BitsAllocated. */
const BITS_PER_VALUE: ReadonlyMap<number, number | undefined> = new Map([
  [0x7fe00010, undefined],
  [0x7fe00008, 32],
  [0x7fe00009, 64],
])

/** PS3.5 §8.2.7 to §8.2.9: in these transfer syntaxes a fragment contains many frames. */
const VIDEO_SYNTAX = /^1\.2\.840\.10008\.1\.2\.4\.10[0-8](?:\.1)?$/
/** Length in bytes of a Basic Offset Table for 65,536 frames; a longer table is skipped. */
const MAX_OFFSET_TABLE_BYTES = 256 << 10
const MAX_OFFSET = 0xffffffff

/** Determines whether an object is complete while its data set is parsed to the end. */
export class StructureCheck {
  readonly #transferSyntax: string
  #isPixelDataElsewhere = false
  #hasOriginalAttributes = false
  #fault: Message | undefined
  #isBroken = false
  #pixels: (PixelExtent & { readonly length: number }) | undefined
  /** Undefined until the Basic Offset Table has been found. */
  #fragments: number | undefined
  #base = 0
  #end = 0
  #table: Buffer = Buffer.alloc(0)
  /** Index of the next table entry to be matched with a fragment. */
  #next = 0

  constructor(transferSyntax: string) {
    this.#transferSyntax = transferSyntax
  }

  /** Whether nothing after the fault can be parsed. */
  get isUnparsable(): boolean {
    return this.#isBroken
  }

  /** Reports that the data set ends within the element. */
  truncatedAt(tag: number | undefined): void {
    this.#fault ??= message('dicom.ends-early', { element: formatTag(tag ?? 0) })
    this.#isBroken = true
  }

  /** Reports that the data set cannot be parsed beyond the element. */
  unparsableAfter(tag: number | undefined): void {
    this.damaged(tag)
    this.#isBroken = true
  }

  /** Reports that the element is damaged but what follows it can be parsed. */
  damaged(tag: number | undefined): void {
    this.#fault ??= message('dicom.damaged', { element: formatTag(tag ?? 0) })
  }

  /** Reports a top-level element whose header is `size` bytes long and ends at `position`. */
  element({ tag, vr, length, size }: Readonly<ElementHeader>, position: number): void {
    if (BITS_PER_VALUE.has(tag)) {
      const isEncapsulated = length === UNDEFINED_LENGTH
      const end = position + (isEncapsulated ? 0 : length)
      const at = position - size
      this.#pixels = { tag, vr, length, at, valueAt: position, end, isEncapsulated }
    } else if (tag === ELEMENT.pixelDataProviderUrl || tag === ELEMENT.spectroscopyData)
      this.#isPixelDataElsewhere = true
    else if (tag === ELEMENT.originalAttributes) this.#hasOriginalAttributes = true
  }

  /**
   * Reports an item of encapsulated pixel data by its length and the offset of its value. Returns
   * 'offsets' if the item is the Basic Offset Table, whose value the caller then passes to
   * `offsets`.
   */
  fragment(length: number, position: number): 'offsets' | 'fragment' {
    if (this.#fragments === undefined) {
      this.#fragments = 0
      this.#base = position + length
      return length <= MAX_OFFSET_TABLE_BYTES ? 'offsets' : 'fragment'
    }
    this.#fragments++
    if (this.#next < this.#entries && this.#entry(this.#next) === position - 8 - this.#base)
      this.#next++
    this.#end = position + length - this.#base
    return 'fragment'
  }

  offsets(table: Buffer): void {
    this.#table = table
  }

  /** Reports the sequence delimiter of encapsulated pixel data, which ends at `position`. */
  fragmentsEnd(position: number): void {
    if (this.#fragments === undefined) this.damaged(this.#pixels?.tag)
    if (this.#pixels) this.#pixels = { ...this.#pixels, end: position }
  }

  /**
   * Returns the result. `values`: the SOP Class UID and the Image Pixel attributes, as far as
   * present.
   */
  end(values: ElementValues): Structure {
    const structure = this.#completeness(values)
    return this.#hasOriginalAttributes ? { ...structure, hasOriginalAttributes: true } : structure
  }

  #completeness(values: ElementValues): Structure {
    if (this.#fault !== undefined) return incompleteStructure(this.#fault)
    const described = describePixels(values)
    const pixels = this.#pixels
    if (!pixels)
      return described.isImage && !this.#isPixelDataElsewhere
        ? incompleteStructure(message('dicom.no-pixel-data'))
        : COMPLETE_STRUCTURE
    const complete: Structure = { ...COMPLETE_STRUCTURE, pixels }
    if (this.#fragments !== undefined) {
      const missing = this.#encapsulatedFault(this.#fragments, described.frames)
      if (missing !== undefined) return incompleteStructure(missing)
      return this.#next < this.#entries
        ? { ...complete, detail: message('dicom.offset-table-differs') }
        : complete
    }
    // Encapsulated pixel data must not have a defined length (PS3.5 A.4), so its number of frames
    // cannot be checked.
    if (!CODINGS[this.#transferSyntax]) return complete
    const expected = described.bytes(BITS_PER_VALUE.get(pixels.tag))
    if (expected === undefined) return complete
    const { length } = pixels
    if (length < expected)
      return incompleteStructure(message('dicom.pixel-data-short', { length, expected }))
    // PS3.5 §8.1.1: the length is even.
    const padding = length - expected - (expected % 2)
    return padding > 0
      ? { ...complete, detail: message('dicom.pixel-data-long', { count: padding }) }
      : complete
  }

  get #entries(): number {
    return Math.floor(this.#table.length / 4)
  }

  #entry(index: number): number {
    return this.#table.readUInt32LE(index * 4)
  }

  /** What is missing in encapsulated pixel data; undefined if it is complete. */
  #encapsulatedFault(fragments: number, frames: number): Message | undefined {
    if (fragments === 0) return message('dicom.pixel-data-empty')
    if (!VIDEO_SYNTAX.test(this.#transferSyntax) && fragments < frames)
      return message('dicom.frames-missing', { fragments, frames })
    // Offsets have 32 bits, so in longer pixel data the table cannot be checked.
    let isBeyondEnd = false
    for (let index = 0; index < this.#entries && !isBeyondEnd; index++)
      isBeyondEnd = this.#entry(index) >= this.#end
    return isBeyondEnd && this.#end <= MAX_OFFSET
      ? message('dicom.offset-table-behind-end')
      : undefined
  }
}

const incompleteStructure = (detail: Message): Structure => ({ isComplete: false, detail })
const COMPLETE_STRUCTURE: Structure = { isComplete: true, detail: null }
/**
 * Objects outside this root may have image attributes without pixel data, such as spectra in
 * private classes.
 */
const STORAGE_ROOT = '1.2.840.10008.5.1.4.1.1.'

/** The values of the Image Pixel attributes (PS3.3 C.7.6.3, C.7.6.6). */
function describePixels(values: ElementValues) {
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
    /**
     * Minimum length of native pixel data in bytes; undefined if the attributes do not determine
     * it.
     */
    bytes(bits = bitsAllocated): number | undefined {
      if (!rows || !columns || !bits) return undefined
      const samples = number(ELEMENT.samplesPerPixel) ?? 1
      // PS3.3 C.7.6.3.1.2: chrominance samples are shared by two or four pixels.
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
