import { deflateRawSync } from 'node:zlib'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  type RowKeyword,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  SPECIFIC_CHARACTER_SET,
} from './attributes.ts'
import { ageAt } from './calendar.ts'
import { AFFECTED_VRS, type RowText, type RowTextAttribute } from './character-set-fallback.ts'
import type { ReturnKey, WorklistQuery } from './query.ts'
import type { WorklistRow } from './row.ts'

/**
 * A piece of every identifier of a result. constant: bytes that are the same in all rows,
 * neighbouring ones joined; value: a header whose length is filled in, and a value of the row; open
 * and close: the step sequence with its one item.
 */
type Piece =
  | { readonly kind: 'constant'; readonly bytes: Buffer }
  | {
      readonly kind: 'value'
      readonly header: Buffer
      readonly keyword: RowKeyword
      readonly pad: number
    }
  | { readonly kind: 'age' | 'characterSet' | 'open'; readonly header: Buffer }
  | { readonly kind: 'close' }

/** Writes the identifiers of one result: what the query asks for, in its transfer syntax. */
export interface Layout {
  /** Text attributes of the row that are returned. */
  readonly texts: readonly RowTextAttribute[]
  /** Most bytes one identifier of the row can take. */
  bound(row: WorklistRow): number
  /** Writes one identifier at `at`; where it ends. */
  write(target: Buffer, at: number, row: WorklistRow, text: RowText): number
}

/**
 * A layout cut from what `writeDataSet` writes, so that encoding a row is copying. Attributes that
 * were asked for and that nobody has are there with zero length (type 2 is present); those of the
 * table that would be wrong when empty are left out.
 * @param clinicName value of InstitutionName, ASCII, '' for none
 */
export function layoutOf(query: WorklistQuery, transferSyntax: string, clinicName: string): Layout {
  const explicit = transferSyntax !== TRANSFER_SYNTAX.implicitLittleEndian
  const bigEndian = transferSyntax === TRANSFER_SYNTAX.explicitBigEndian
  const deflated = transferSyntax === TRANSFER_SYNTAX.deflatedExplicitLittleEndian
  const plain = deflated ? TRANSFER_SYNTAX.explicitLittleEndian : transferSyntax
  const element = (tag: number, vr: string, value: string): Buffer =>
    writeDataSet([{ tag, vr, value: vr === 'SQ' ? [] : Buffer.from(value, 'latin1') }], plain)
  const constants = {
    station: query.station,
    clinic: clinicName.slice(0, 64),
    nothing: '',
  } as const

  const pieceOf = ({ tag, vr, attribute }: ReturnKey): Piece | undefined => {
    const source = attribute?.source ?? 'nothing'
    if (source === 'omitted') return undefined
    const header = element(tag, vr, '')
    if (source === 'row')
      return {
        kind: 'value',
        header,
        keyword: attribute?.keyword as RowKeyword,
        pad: vr === 'UI' ? 0 : 0x20,
      }
    return source === 'age'
      ? { kind: 'age', header }
      : { kind: 'constant', bytes: element(tag, vr, constants[source]) }
  }
  const pieces: Piece[] = []
  const push = (piece: Piece | undefined) => {
    const last = pieces.at(-1)
    if (piece?.kind === 'constant' && last?.kind === 'constant')
      pieces[pieces.length - 1] = {
        kind: 'constant',
        bytes: Buffer.concat([last.bytes, piece.bytes]),
      }
    else if (piece) pieces.push(piece)
  }
  // PS3.5 §7.5: Item (FFFE,E000) and a length.
  const itemHeader = Buffer.from(bigEndian ? 'fffee00000000000' : 'feff00e000000000', 'hex')
  const characterSet: Piece = {
    kind: 'characterSet',
    header: element(SPECIFIC_CHARACTER_SET, 'CS', ''),
  }
  const root = [...query.root].sort((a, b) => a.tag - b.tag)
  for (const key of root.filter(({ tag }) => tag < SPECIFIC_CHARACTER_SET)) push(pieceOf(key))
  push(characterSet)
  for (const key of root.filter(({ tag }) => tag > SPECIFIC_CHARACTER_SET)) {
    if (key.tag === SCHEDULED_PROCEDURE_STEP_SEQUENCE) {
      push({ kind: 'open', header: Buffer.concat([element(key.tag, 'SQ', ''), itemHeader]) })
      for (const inner of query.step) push(pieceOf(inner))
      push({ kind: 'close' })
    } else push(pieceOf(key))
  }

  // The 16-bit length of an explicit text VR, or the 32-bit one of Implicit VR, is the end of its
  // header.
  const setLength = (target: Buffer, end: number, length: number): void => {
    if (!explicit) target.writeUInt32LE(length, end - 4)
    else if (bigEndian) target.writeUInt16BE(length, end - 2)
    else target.writeUInt16LE(length, end - 2)
  }
  const setLongLength = (target: Buffer, end: number, length: number): void => {
    if (bigEndian) target.writeUInt32BE(length, end - 4)
    else target.writeUInt32LE(length, end - 4)
  }
  const writeValue = (
    target: Buffer,
    start: number,
    header: Buffer,
    value: string | Buffer,
    pad: number,
  ): number => {
    const begin = start + header.copy(target, start)
    let at =
      begin +
      (typeof value === 'string' ? target.write(value, begin, 'latin1') : value.copy(target, begin))
    if ((at - begin) & 1) target[at++] = pad
    if (at > begin) setLength(target, begin, at - begin)
    return at
  }

  function writePlain(target: Buffer, start: number, row: WorklistRow, text: RowText): number {
    let at = start
    let opened = 0
    for (const piece of pieces) {
      if (piece.kind === 'constant') at += piece.bytes.copy(target, at)
      else if (piece.kind === 'value') {
        at = writeValue(
          target,
          at,
          piece.header,
          text.encoded.get(piece.keyword) ?? row.values[piece.keyword],
          piece.pad,
        )
      } else if (piece.kind === 'characterSet') {
        if (text.characterSet !== '')
          at = writeValue(target, at, piece.header, text.characterSet, 0x20)
      } else if (piece.kind === 'age') {
        const { PatientBirthDate, ScheduledProcedureStepStartDate } = row.values
        at = writeValue(
          target,
          at,
          piece.header,
          ageAt(PatientBirthDate, ScheduledProcedureStepStartDate),
          0x20,
        )
      } else if (piece.kind === 'open') {
        at += piece.header.copy(target, at)
        opened = at
      } else {
        setLongLength(target, opened, at - opened)
        setLongLength(target, opened - 8, at - opened + 8)
      }
    }
    return at
  }

  const fixed = pieces.reduce(
    (sum, piece) =>
      sum +
      ('bytes' in piece ? piece.bytes.length : 'header' in piece ? piece.header.length + 5 : 0),
    64,
  )
  const keywords = pieces.flatMap((piece) => (piece.kind === 'value' ? [piece.keyword] : []))
  const bound = ({ values }: WorklistRow): number =>
    keywords.reduce((sum, keyword) => sum + values[keyword].length * BYTES_PER_UNIT, fixed)

  return {
    texts: [...query.root, ...query.step].flatMap(({ vr, attribute }) =>
      attribute?.source === 'row' && AFFECTED_VRS.has(vr)
        ? [{ keyword: attribute.keyword as RowKeyword, vr }]
        : [],
    ),
    // Deflate stores what it cannot make smaller, in blocks with a few bytes around them.
    bound: deflated ? (row) => bound(row) + (bound(row) >>> 8) + 64 : bound,
    write: deflated
      ? (target, at, row, text) => {
          const scratch = Buffer.allocUnsafe(bound(row))
          const bytes = deflateRawSync(
            scratch.subarray(0, writePlain(scratch, 0, row, text)),
            SMALL,
          )
          const end = at + bytes.copy(target, at)
          // PS3.5 A.5: padded to an even length.
          if ((end - at) & 1) target[end] = 0
          return end + ((end - at) & 1)
        }
      : writePlain,
  }
}

/**
 * Each row is a stream of its own, of a kilobyte or so: what zlib takes by itself is a quarter of a
 * megabyte.
 */
const SMALL = { windowBits: 12, memLevel: 5, chunkSize: 2048 } as const

/** A character of ISO 2022 takes two bytes between two escape sequences of up to four. */
const BYTES_PER_UNIT = 12
