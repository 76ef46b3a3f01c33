import { constants, inflateRawSync } from 'node:zlib'
import { CODINGS, type Coding } from './coding.ts'
import { HeaderFault, HeaderParser } from './header-parser.ts'
import type { HeaderValues, TagSelector } from './header-values.ts'
import { type Structure, StructureCheck } from './structure.ts'
import { TRANSFER_SYNTAX } from './uids.ts'

export { type HeaderValues, type TagSelector as Wanted, textOf } from './header-values.ts'

export interface HeaderLimits {
  /** Maximum length in bytes of a wanted value; a longer one is skipped. */
  readonly valueBytes: number
  /** Maximum nesting of sequences of undefined length and of wanted sequences. */
  readonly depth: number
  /** Limits for the header of a deflated data set: compressed bytes, and inflated bytes. */
  readonly deflatedBytes: number
  readonly inflatedBytes: number
}

export const HEADER_LIMITS: HeaderLimits = {
  valueBytes: 64 << 10,
  depth: 32,
  deflatedBytes: 1 << 20,
  inflatedBytes: 16 << 20,
}

export interface HeaderResult extends HeaderValues {
  /** The first item of a wanted sequence; undefined if there is none. */
  first(sequence: number): HeaderValues | undefined
  /**
   * Where and why the bytes are not a valid data set, without quoting a value; values before the
   * fault are available. Undefined if there was no fault.
   */
  readonly fault: string | undefined
  /**
   * Whether the fault is that the header of a deflated data set exceeds the limits, so that the
   * data may be valid.
   */
  readonly isCut: boolean
  /** Whether PixelData, FloatPixelData or DoubleFloatPixelData was found at the top level. */
  readonly reachedPixelData: boolean
  /** The structure, if the reader checks it; undefined otherwise and for deflated data sets. */
  readonly structure: Structure | undefined
}

const EXPLICIT = CODINGS[TRANSFER_SYNTAX.explicitLittleEndian] as Coding

/**
 * Extracts header values from a data set while it streams by (PS3.5 §7, Annex A). Other elements
 * and pixel data are skipped by length, so the cost does not depend on the size of the image, and
 * memory is limited to the wanted values. Data sets in transfer syntaxes that are not in `CODINGS`
 * are in Explicit VR Little Endian, as all encapsulated ones are (PS3.5 A.4).
 *
 * A reader that `walks` also follows lengths, items and delimiters to the end of the data set and
 * compares the pixel data with the attributes that describe it (`structure`). The wanted values
 * must then include the Image Pixel attributes.
 */
export class HeaderReader {
  readonly #parser: HeaderParser
  readonly #walk: StructureCheck | undefined
  readonly #inflater: Inflater | undefined
  #fault: string | undefined
  #isCut = false

  constructor(
    transferSyntax: string,
    wanted: readonly TagSelector[],
    { walks = false, limits = HEADER_LIMITS } = {},
  ) {
    const coding = CODINGS[transferSyntax] ?? EXPLICIT
    // Only the start of a deflated data set is inflated here.
    this.#walk = walks && !coding.deflated ? new StructureCheck(transferSyntax) : undefined
    this.#parser = new HeaderParser(coding, wanted, limits, this.#walk)
    this.#inflater = coding.deflated ? new Inflater(limits) : undefined
  }

  /**
   * Whether no further input can change the result: pixel data, a tag above the last wanted one, or
   * a fault was reached.
   */
  get isDone(): boolean {
    if (this.#fault !== undefined) return true
    return this.#walk ? this.#walk.isUnparsable : this.#parser.isDone
  }

  /** Processes the next bytes without keeping a view of them. Never throws. */
  push(bytes: Buffer): void {
    if (this.isDone) return
    try {
      this.#parser.push(this.#inflater ? this.#inflater.push(bytes) : bytes)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Returns the result. Input that ends within an element is a fault. */
  end(): HeaderResult {
    const parser = this.#parser
    if (!this.isDone) {
      try {
        if (this.#inflater) parser.push(this.#inflater.end())
        parser.end()
      } catch (error) {
        this.#failed(error)
      }
    }
    const values = parser.values()
    return {
      ...values,
      first: (sequence) => parser.first(sequence),
      reachedPixelData: parser.reachedPixelData,
      fault: this.#fault,
      isCut: this.#isCut,
      structure: this.#fault === undefined ? this.#walk?.end(values) : undefined,
    }
  }

  #failed(error: unknown): void {
    // All wanted values have been read, so the header itself is valid.
    if (this.#walk && this.#parser.isDone && error instanceof HeaderFault) {
      if (error.isTruncated) this.#walk.truncatedAt(error.tag)
      else this.#walk.unparsableAfter(error.tag)
      return
    }
    // Thrown by zlib when the output exceeds the limit.
    this.#isCut = error instanceof RangeError
    this.#fault =
      error instanceof HeaderFault
        ? error.message
        : 'data set cannot be inflated, or its header is too long'
  }
}

const FIRST_INFLATION_BYTES = 4096
const NO_BYTES = Buffer.alloc(0)

/**
 * Inflates the start of a deflated data set (PS3.5 A.5). It inflates again from the start whenever
 * the input has quadrupled: the header is within the first kilobytes, and zlib's synchronous call
 * is the only documented way to get the output of an incomplete stream.
 */
class Inflater {
  readonly #limits: HeaderLimits
  #pieces: Buffer[] = []
  #length = 0
  #next = FIRST_INFLATION_BYTES
  #given = 0

  constructor(limits: HeaderLimits) {
    this.#limits = limits
  }

  /**
   * Adds compressed bytes; returns newly inflated bytes. @throws if they cannot be inflated or
   * exceed the limits
   */
  push(bytes: Buffer): Buffer {
    const { deflatedBytes } = this.#limits
    if (this.#length >= deflatedBytes)
      throw new RangeError('too many bytes before the end of the header')
    // Copied, because the buffer belongs to the connection.
    this.#pieces.push(Buffer.from(bytes.subarray(0, deflatedBytes - this.#length)))
    this.#length += bytes.length
    if (this.#length < this.#next) return NO_BYTES
    while (this.#next <= this.#length) this.#next *= 4
    return this.#inflate()
  }

  /** Returns the remaining inflated bytes. @throws as `push` */
  end(): Buffer {
    return this.#length === 0 ? NO_BYTES : this.#inflate()
  }

  #inflate(): Buffer {
    const compressed = Buffer.concat(this.#pieces)
    this.#pieces = [compressed]
    const inflated = inflateRawSync(compressed, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: this.#limits.inflatedBytes,
    })
    const fresh = inflated.subarray(this.#given)
    this.#given = inflated.length
    return fresh
  }
}
