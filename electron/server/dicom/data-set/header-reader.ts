import { constants, inflateRawSync } from 'node:zlib'
import { CODINGS, type Coding } from './coding.ts'
import { HeaderFault, HeaderParser } from './header-parser.ts'
import type { HeaderValues, Wanted } from './header-values.ts'
import { type Structure, StructureWalk } from './structure.ts'
import { TRANSFER_SYNTAX } from './uids.ts'

export { type HeaderValues, textOf, type Wanted } from './header-values.ts'

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

const EXPLICIT = CODINGS[TRANSFER_SYNTAX.explicitLittleEndian] as Coding

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
export class HeaderReader {
  readonly #parser: HeaderParser
  readonly #walk: StructureWalk | undefined
  readonly #inflater: Inflater | undefined
  #fault: string | undefined
  #isCut = false

  constructor(
    transferSyntax: string,
    wanted: readonly Wanted[],
    { walks = false, limits = HEADER_LIMITS } = {},
  ) {
    const coding = CODINGS[transferSyntax] ?? EXPLICIT
    // Of a deflated data set the beginning alone is inflated here.
    this.#walk = walks && !coding.deflated ? new StructureWalk(transferSyntax) : undefined
    this.#parser = new HeaderParser(coding, wanted, limits, this.#walk)
    this.#inflater = coding.deflated ? new Inflater(limits) : undefined
  }

  /**
   * Nothing that comes can change the result: pixel data or a tag above the last wanted was
   * reached, or a fault.
   */
  get isDone(): boolean {
    if (this.#fault !== undefined) return true
    return this.#walk ? this.#walk.isBroken : this.#parser.isDone
  }

  /** Takes the data set's next bytes, in any pieces; keeps no view of them. Never throws. */
  push(bytes: Buffer): void {
    if (this.isDone) return
    try {
      this.#parser.push(this.#inflater ? this.#inflater.push(bytes) : bytes)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** The result as of now; bytes that end within an element are a fault. */
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
    // What comes before was read whole: the header is sound.
    if (this.#walk && this.#parser.isDone && error instanceof HeaderFault) {
      if (error.isEnd) this.#walk.endsWithin(error.tag)
      else this.#walk.broke(error.tag)
      return
    }
    // The inflater's, and the platform's, where there is too much.
    this.#isCut = error instanceof RangeError
    this.#fault =
      error instanceof HeaderFault
        ? error.message
        : 'data set cannot be inflated, or its header is too long'
  }
}

const FIRST_INFLATION = 4096
const NOTHING = Buffer.alloc(0)

/**
 * The first bytes of a deflated data set (PS3.5 A.5), inflated as they come. The beginning is
 * inflated again each time four times as much is there: a header is found in the first kilobytes,
 * and one call of the platform's synchronous inflation is all that is documented to give what a
 * stream holds so far.
 */
class Inflater {
  readonly #limits: HeaderLimits
  #pieces: Buffer[] = []
  #length = 0
  #next = FIRST_INFLATION
  #given = 0

  constructor(limits: HeaderLimits) {
    this.#limits = limits
  }

  /**
   * Takes compressed bytes; gives what has become readable since. @throws where they cannot be
   * inflated or are too many.
   */
  push(bytes: Buffer): Buffer {
    const { deflatedBytes } = this.#limits
    if (this.#length >= deflatedBytes)
      throw new RangeError('too many bytes before the end of the header')
    // A copy: the bytes belong to the connection.
    this.#pieces.push(Buffer.from(bytes.subarray(0, deflatedBytes - this.#length)))
    this.#length += bytes.length
    if (this.#length < this.#next) return NOTHING
    while (this.#next <= this.#length) this.#next *= 4
    return this.#inflate()
  }

  /** What the bytes so far still hold. @throws as `push` does. */
  end(): Buffer {
    return this.#length === 0 ? NOTHING : this.#inflate()
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
