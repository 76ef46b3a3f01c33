import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import { TAG } from '#server/dicom/pixel-data/viewed-tags.ts'
import type { ByteWindow } from './byte-window.ts'
import type { FoundElement, FoundItem } from './found-elements.ts'
import { swapNumbers, VR, withoutPadding } from './vr.ts'

/** Longer than any text or list of numbers that is displayed. */
const MAX_VALUE_BYTES = 1 << 20
/** PS3.3 C.12.1.1.2 does not define more terms. */
const MAX_TERMS = 20

/**
 * Reads values of a data set or an item. A value that is missing, too long or invalid is '', null
 * or empty.
 */
export class AttributeValues {
  readonly #item: FoundItem
  readonly #window: ByteWindow
  readonly #characterSet: readonly string[] = []
  /**
   * From Pixel Representation; decides US or SS for attributes that may be either (PS3.5 A.1), if
   * the VR is not explicit.
   */
  readonly #isSigned: boolean

  /** @param outer the values of the enclosing item */
  constructor(item: FoundItem, window: ByteWindow, outer?: AttributeValues) {
    this.#item = item
    this.#window = window
    const ownCharacterSet = item.get(TAG.SpecificCharacterSet)
    const terms =
      ownCharacterSet && ownCharacterSet.length < 2048
        ? withoutPadding(this.#read(ownCharacterSet).toString('latin1'))
        : ''
    this.#characterSet =
      terms === ''
        ? outer
          ? outer.#characterSet
          : []
        : terms.split('\\', MAX_TERMS).map((term) => term.trim())
    const representation = item.get(TAG.PixelRepresentation)
    this.#isSigned =
      representation && representation.length >= 2
        ? this.#read(representation).readUInt16LE(0) === 1
        : outer
          ? outer.#isSigned
          : false
  }

  has(tag: number): boolean {
    return (this.#item.get(tag)?.length ?? 0) > 0
  }

  /**
   * All values, separated by backslashes, decoded in the applicable character set, without padding.
   */
  text(tag: number): string {
    const value = this.bytes(tag, MAX_VALUE_BYTES)
    if (!value) return ''
    const vr = this.#item.get(tag)?.vr ?? 'UN'
    return withoutPadding(textOf(value, this.#characterSet, vr)).trimStart()
  }

  texts(tag: number): string[] {
    const whole = this.text(tag)
    return whole === '' ? [] : whole.split('\\').map((one) => one.trim())
  }

  /** The first number, whatever its VR. */
  number(tag: number): number | null {
    return this.numbers(tag)[0] ?? null
  }

  /** The VR of an attribute; '' if it is missing. */
  vr(tag: number): string {
    const vr = this.#item.get(tag)?.vr ?? ''
    return vr === 'US' && this.#isSigned && PIXEL_SIGNED_TAGS.has(tag) ? 'SS' : vr
  }

  numbers(tag: number): (number | null)[] {
    const reader = READERS[this.vr(tag)]
    if (!reader) return this.texts(tag).map(numberOf)
    const value = this.bytes(tag, MAX_VALUE_BYTES)
    if (!value) return []
    return Array.from({ length: Math.floor(value.length / reader.width) }, (_, index) =>
      finiteOrNull(reader.read(value, index * reader.width)),
    )
  }

  /** `count` numbers; null if any is missing. */
  vector(tag: number, count: number): number[] | null {
    const found = this.numbers(tag).slice(0, count)
    return found.length === count && found.every((one) => one !== null) ? found : null
  }

  /** The bytes of a value, with numbers in little endian regardless of the transfer syntax. */
  bytes(tag: number, most: number): Buffer | undefined {
    const element = this.#item.get(tag)
    return element && !element.items && element.length <= most ? this.#read(element) : undefined
  }

  items(tag: number): AttributeValues[] {
    return (this.#item.get(tag)?.items ?? []).map(
      (one) => new AttributeValues(one, this.#window, this),
    )
  }

  #read({ at, length, vr, bigEndian }: FoundElement): Buffer {
    // Copied, because the window's view is only valid until its next call.
    const bytes = Buffer.from(this.#window.bytes(at, length))
    return bigEndian ? swapNumbers(bytes, VR.get(vr)?.width ?? 1) : bytes
  }
}

/**
 * Bytes that are invalid in the declared set are often UTF-8, which other encodings hardly ever
 * resemble by chance.
 */
function textOf(bytes: Buffer, characterSet: readonly string[], vr: string): string {
  const declared = decodeText(bytes, characterSet, vr)
  if (declared.isExact) return declared.text
  const unicode = decodeText(bytes, ['ISO_IR 192'], vr)
  return unicode.isExact ? unicode.text : declared.text
}

/** Parses a DS or IS value as written by devices. */
function numberOf(text: string): number | null {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)
    ? finiteOrNull(Number(text))
    : null
}

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

const READERS: Readonly<
  Record<string, { readonly width: number; readonly read: (bytes: Buffer, at: number) => number }>
> = {
  US: { width: 2, read: (bytes, at) => bytes.readUInt16LE(at) },
  OW: { width: 2, read: (bytes, at) => bytes.readUInt16LE(at) },
  SS: { width: 2, read: (bytes, at) => bytes.readInt16LE(at) },
  UL: { width: 4, read: (bytes, at) => bytes.readUInt32LE(at) },
  SL: { width: 4, read: (bytes, at) => bytes.readInt32LE(at) },
  FL: { width: 4, read: (bytes, at) => bytes.readFloatLE(at) },
  FD: { width: 8, read: (bytes, at) => bytes.readDoubleLE(at) },
  SV: { width: 8, read: (bytes, at) => Number(bytes.readBigInt64LE(at)) },
  UV: { width: 8, read: (bytes, at) => Number(bytes.readBigUInt64LE(at)) },
}

/**
 * PS3.6: US or SS. The dictionary gives US for Implicit VR, and some devices write US explicitly
 * with signed pixels.
 */
const PIXEL_SIGNED_TAGS: ReadonlySet<number> = new Set([
  TAG.SmallestImagePixelValue,
  TAG.LargestImagePixelValue,
  TAG.PixelPaddingValue,
  TAG.PixelPaddingRangeLimit,
])
