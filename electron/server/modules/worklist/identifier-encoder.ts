import { deflateRawSync } from 'node:zlib'
import { AFFECTED_VRS } from '#server/dicom/character-sets/candidate-sets.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { SPECIFIC_CHARACTER_SET } from '#server/dicom/matching/key-text.ts'
import { type RowKeyword, SCHEDULED_PROCEDURE_STEP_SEQUENCE } from './attributes.ts'
import type { RowText, RowTextAttribute } from './character-set-fallback.ts'
import { ageAt } from './dates.ts'
import type { ReturnKey, WorklistQuery } from './query.ts'
import type { WorklistRow } from './row.ts'

/**
 * A piece of the identifiers of a result.
 * constant: bytes that are the same in all rows; adjacent ones are merged
 * value: an element header, whose length is filled in, and a value of the row
 * age, characterSet: an element header and a value derived from the row
 * open, close: start and end of the step sequence with its one item
 */
type Piece =
  | { readonly kind: 'constant'; bytes: Buffer }
  | {
      readonly kind: 'value'
      readonly header: Buffer
      readonly keyword: RowKeyword
      readonly pad: number
    }
  | { readonly kind: 'age' | 'characterSet' | 'open'; readonly header: Buffer }
  | { readonly kind: 'close' }

/**
 * Encodes the identifiers of one result: the return keys of the query, in its transfer syntax. The
 * pieces are prepared once with `writeDataSet`, so that encoding a row is mostly copying. Requested
 * attributes without a value are returned with zero length; those that must not be empty are left
 * out.
 */
export class IdentifierEncoder {
  /** The returned text attributes. */
  readonly texts: readonly RowTextAttribute[]
  readonly #transferSyntax: string
  readonly #isImplicit: boolean
  readonly #isBigEndian: boolean
  readonly #isDeflated: boolean
  readonly #pieces: Piece[] = []
  readonly #keywords: readonly RowKeyword[]
  /** Maximum size in bytes of an identifier without its values. */
  readonly #fixed: number

  /** @param clinicName value of InstitutionName, ASCII, '' for none */
  constructor(query: WorklistQuery, transferSyntax: string, clinicName: string) {
    this.#isImplicit = transferSyntax === TRANSFER_SYNTAX.implicitLittleEndian
    this.#isBigEndian = transferSyntax === TRANSFER_SYNTAX.explicitBigEndian
    this.#isDeflated = transferSyntax === TRANSFER_SYNTAX.deflatedExplicitLittleEndian
    this.#transferSyntax = this.#isDeflated ? TRANSFER_SYNTAX.explicitLittleEndian : transferSyntax
    this.texts = [...query.root, ...query.step].flatMap(({ vr, attribute }) =>
      attribute?.source === 'row' && AFFECTED_VRS.has(vr)
        ? [{ keyword: attribute.keyword as RowKeyword, vr }]
        : [],
    )
    const constants = { station: query.station, clinic: clinicName.slice(0, 64), nothing: '' }
    const root = [...query.root].sort((a, b) => a.tag - b.tag)
    for (const key of root.filter(({ tag }) => tag < SPECIFIC_CHARACTER_SET))
      this.#add(key, constants)
    this.#pieces.push({
      kind: 'characterSet',
      header: this.#element(SPECIFIC_CHARACTER_SET, 'CS', ''),
    })
    for (const key of root.filter(({ tag }) => tag > SPECIFIC_CHARACTER_SET)) {
      if (key.tag === SCHEDULED_PROCEDURE_STEP_SEQUENCE) {
        // Item (FFFE,E000) and its length (PS3.5 §7.5).
        const item = Buffer.from(this.#isBigEndian ? 'fffee00000000000' : 'feff00e000000000', 'hex')
        const header = Buffer.concat([this.#element(key.tag, 'SQ', ''), item])
        this.#pieces.push({ kind: 'open', header })
        for (const inner of query.step) this.#add(inner, constants)
        this.#pieces.push({ kind: 'close' })
      } else this.#add(key, constants)
    }
    this.#keywords = this.#pieces.flatMap((piece) =>
      piece.kind === 'value' ? [piece.keyword] : [],
    )
    this.#fixed = this.#pieces.reduce((sum, piece) => sum + maxPieceSize(piece), 64)
  }

  #element(tag: number, vr: string, value: string): Buffer {
    const element = { tag, vr, value: vr === 'SQ' ? [] : Buffer.from(value, 'latin1') }
    return writeDataSet([element], this.#transferSyntax)
  }

  #add(
    { tag, vr, attribute }: ReturnKey,
    constants: Readonly<Record<'station' | 'clinic' | 'nothing', string>>,
  ): void {
    const source = attribute?.source ?? 'nothing'
    if (source === 'omitted') return
    const header = this.#element(tag, vr, '')
    if (source === 'row') {
      const keyword = attribute?.keyword as RowKeyword
      this.#pieces.push({ kind: 'value', header, keyword, pad: vr === 'UI' ? 0 : 0x20 })
    } else if (source === 'age') this.#pieces.push({ kind: 'age', header })
    else {
      const last = this.#pieces.at(-1)
      const bytes = this.#element(tag, vr, constants[source])
      if (last?.kind === 'constant') last.bytes = Buffer.concat([last.bytes, bytes])
      else this.#pieces.push({ kind: 'constant', bytes })
    }
  }

  /** Maximum number of bytes of the row's identifier. */
  maxSize(row: WorklistRow): number {
    const plain = this.#maxUncompressedSize(row)
    // Deflate stores incompressible data in blocks with a few bytes of overhead.
    return this.#isDeflated ? plain + (plain >>> 8) + 64 : plain
  }

  #maxUncompressedSize({ values }: WorklistRow): number {
    return this.#keywords.reduce(
      (sum, keyword) => sum + values[keyword].length * BYTES_PER_UNIT,
      this.#fixed,
    )
  }

  /** Writes one identifier at offset `at` and returns the offset of its end. */
  write(target: Buffer, at: number, row: WorklistRow, text: RowText): number {
    if (!this.#isDeflated) return this.#writeUncompressed(target, at, row, text)
    const scratch = Buffer.allocUnsafe(this.#maxUncompressedSize(row))
    const plain = scratch.subarray(0, this.#writeUncompressed(scratch, 0, row, text))
    const end = at + deflateRawSync(plain, DEFLATE_OPTIONS).copy(target, at)
    // Padded to an even length (PS3.5 A.5).
    if ((end - at) & 1) target[end] = 0
    return end + ((end - at) & 1)
  }

  #writeUncompressed(target: Buffer, start: number, row: WorklistRow, text: RowText): number {
    const { values } = row
    let at = start
    let openedAt = 0
    for (const piece of this.#pieces) {
      if (piece.kind === 'constant') at += piece.bytes.copy(target, at)
      else if (piece.kind === 'value') {
        const value = text.encoded.get(piece.keyword) ?? values[piece.keyword]
        at = this.#writeValue(target, at, piece.header, value, piece.pad)
      } else if (piece.kind === 'characterSet') {
        if (text.characterSet !== '')
          at = this.#writeValue(target, at, piece.header, text.characterSet, 0x20)
      } else if (piece.kind === 'age') {
        const age = ageAt(values.PatientBirthDate, values.ScheduledProcedureStepStartDate)
        at = this.#writeValue(target, at, piece.header, age, 0x20)
      } else if (piece.kind === 'open') {
        at += piece.header.copy(target, at)
        openedAt = at
      } else {
        this.#setLongLength(target, openedAt, at - openedAt)
        this.#setLongLength(target, openedAt - 8, at - openedAt + 8)
      }
    }
    return at
  }

  #writeValue(
    target: Buffer,
    start: number,
    header: Buffer,
    value: string | Buffer,
    pad: number,
  ): number {
    const begin = start + header.copy(target, start)
    const written =
      typeof value === 'string' ? target.write(value, begin, 'latin1') : value.copy(target, begin)
    let at = begin + written
    if ((at - begin) & 1) target[at++] = pad
    if (at > begin) this.#setLength(target, begin, at - begin)
    return at
  }

  /**
   * Sets the length at the end of a header: 16 bits for an explicit text VR, 32 bits for Implicit
   * VR.
   */
  #setLength(target: Buffer, end: number, length: number): void {
    if (this.#isImplicit) target.writeUInt32LE(length, end - 4)
    else if (this.#isBigEndian) target.writeUInt16BE(length, end - 2)
    else target.writeUInt16LE(length, end - 2)
  }

  #setLongLength(target: Buffer, end: number, length: number): void {
    if (this.#isBigEndian) target.writeUInt32BE(length, end - 4)
    else target.writeUInt32LE(length, end - 4)
  }
}

/** Maximum size in bytes of a piece without the values of the row. */
const maxPieceSize = (piece: Piece): number =>
  piece.kind === 'constant'
    ? piece.bytes.length
    : piece.kind === 'close'
      ? 0
      : piece.header.length + 5

/**
 * Each row is a separate deflate stream of about a kilobyte; zlib's defaults would allocate a
 * quarter of a megabyte for each.
 */
const DEFLATE_OPTIONS = { windowBits: 12, memLevel: 5, chunkSize: 2048 } as const

/** A character of ISO 2022 takes two bytes plus two escape sequences of up to four bytes. */
const BYTES_PER_UNIT = 12
