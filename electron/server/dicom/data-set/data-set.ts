import { inflateRawSync } from 'node:zlib'
import { DimseError } from '#server/dicom/dimse/status.ts'
import {
  CODINGS,
  type Coding,
  type DataSet,
  type Element,
  IMPLICIT,
  ITEM,
  ITEM_DELIMITATION,
  SEQUENCE_DELIMITATION,
  UNDEFINED_LENGTH,
} from './coding.ts'
import { vrOf } from './dictionary.ts'
import { swapNumbers, VR } from './vr.ts'

export { writeDataSet } from './data-set-writer.ts'
export { formatTag, isPrivate, keywordOf, tagOf, vrOf } from './dictionary.ts'

export interface DataSetLimits {
  /** Elements and items, at all depths. */
  readonly elements: number
  /** Sequences within sequences. */
  readonly depth: number
  /** Bytes after inflation. */
  readonly bytes: number
}

/** What a C-FIND identifier may be. */
export const IDENTIFIER_LIMITS: DataSetLimits = { elements: 512, depth: 8, bytes: 256 << 10 }

const DATA_SET_TRAILING_PADDING = 0xfffcfffc

/**
 * Reads a whole data set, without trusting a length in it. Values are views of `bytes` where
 * nothing had to be swapped.
 * @throws {DimseError} A900 with a comment and, where one is at fault, the offending element.
 */
export function readDataSet(
  bytes: Buffer,
  transferSyntax: string,
  limits: DataSetLimits = IDENTIFIER_LIMITS,
): DataSet {
  const coding = CODINGS[transferSyntax]
  if (!coding) throw new DimseError(0xa900, 'Transfer syntax not supported')
  const plain = coding.deflated ? inflate(bytes, limits.bytes) : bytes
  if (plain.length > limits.bytes)
    throw new DimseError(0xa900, `Data set longer than ${limits.bytes} bytes`)
  const source: Source = { bytes: plain, coding, limits, count: { left: limits.elements } }
  return readElements(source, { at: 0, end: plain.length, isDelimited: false }, 0, undefined)[0]
}

interface Source {
  readonly bytes: Buffer
  readonly coding: Coding
  readonly limits: DataSetLimits
  readonly count: { left: number }
}

/** A stretch of the bytes; one of undefined length ends at its delimiter, before `end`. */
interface Span {
  readonly at: number
  readonly end: number
  readonly isDelimited: boolean
}

function readElements(
  source: Source,
  span: Span,
  depth: number,
  owner: number | undefined,
): [DataSet, number] {
  const elements: Element[] = []
  let at = span.at
  let isSorted = true
  while (at < span.end) {
    const tag = readTag(source, at, span.end, owner)
    if (tag === ITEM_DELIMITATION && span.isDelimited) return [finished(elements, isSorted), at + 8]
    if (tag >>> 16 === 0xfffe) fail('Delimiter outside its sequence', owner)
    const last = elements.at(-1)
    const [element, next] = readElement(source, tag, at, span.end, depth)
    if (last && last.tag >= tag) isSorted = false
    // PS3.10 §7.2: padding, not information.
    if (tag !== DATA_SET_TRAILING_PADDING) elements.push(element)
    at = next
  }
  if (span.isDelimited) fail('Item without its end', owner)
  return [finished(elements, isSorted), at]
}

function readElement(
  source: Source,
  tag: number,
  at: number,
  end: number,
  depth: number,
): [Element, number] {
  countOne(source, tag)
  const header = source.coding.explicit
    ? explicitHeader(source, tag, at, end)
    : implicitHeader(source, tag, at)
  const { vr, length, start } = header
  // PS3.5 §6.2.2: what travels as UN is in Implicit VR Little Endian inside, and a UN of undefined
  // length is a sequence.
  const inside = header.isUnknown ? { ...source, coding: IMPLICIT } : source
  if (length === UNDEFINED_LENGTH) {
    if (vr !== 'SQ' && vr !== 'UN') fail('Undefined length of an element that is no sequence', tag)
    const [items, next] = readItems(inside, { at: start, end, isDelimited: true }, depth + 1, tag)
    return [{ tag, vr: 'SQ', value: items }, next]
  }
  const next = start + length
  if (next > end) fail('Element longer than what holds it', tag)
  if (vr === 'SQ')
    return [
      {
        tag,
        vr,
        value: readItems(inside, { at: start, end: next, isDelimited: false }, depth + 1, tag)[0],
      },
      next,
    ]
  const value = source.bytes.subarray(start, next)
  const width = VR.get(vr)?.width ?? 1
  return [
    {
      tag,
      vr,
      value: inside.coding.bigEndian && width > 1 ? swapNumbers(Buffer.from(value), width) : value,
    },
    next,
  ]
}

interface Header {
  readonly vr: string
  readonly length: number
  readonly start: number
  readonly isUnknown: boolean
}

function implicitHeader(source: Source, tag: number, at: number): Header {
  return {
    vr: vrOf(tag),
    length: source.bytes.readUInt32LE(at + 4),
    start: at + 8,
    isUnknown: false,
  }
}

function explicitHeader(source: Source, tag: number, at: number, end: number): Header {
  const { bytes, coding } = source
  const wire = bytes.toString('latin1', at + 4, at + 6)
  const representation = VR.get(wire) ?? fail('Unknown value representation', tag)
  const isUnknown = wire === 'UN'
  const vr = isUnknown ? vrOf(tag) : wire
  if (!representation.long) {
    return {
      vr,
      length: coding.bigEndian ? bytes.readUInt16BE(at + 6) : bytes.readUInt16LE(at + 6),
      start: at + 8,
      isUnknown,
    }
  }
  if (end - at < 12) fail('Data set ends within an element', tag)
  return {
    vr,
    length: coding.bigEndian ? bytes.readUInt32BE(at + 8) : bytes.readUInt32LE(at + 8),
    start: at + 12,
    isUnknown,
  }
}

function readItems(source: Source, span: Span, depth: number, owner: number): [DataSet[], number] {
  if (depth > source.limits.depth) fail(`Sequences more than ${source.limits.depth} deep`, owner)
  const items: DataSet[] = []
  let at = span.at
  while (at < span.end) {
    const tag = readTag(source, at, span.end, owner)
    if (tag === SEQUENCE_DELIMITATION && span.isDelimited) return [items, at + 8]
    if (tag !== ITEM) fail('Something else than an item in a sequence', owner)
    countOne(source, owner)
    const length = source.coding.bigEndian
      ? source.bytes.readUInt32BE(at + 4)
      : source.bytes.readUInt32LE(at + 4)
    const isDelimited = length === UNDEFINED_LENGTH
    const end = isDelimited ? span.end : at + 8 + length
    if (end > span.end) fail('Item longer than its sequence', owner)
    const [item, next] = readElements(source, { at: at + 8, end, isDelimited }, depth, owner)
    items.push(item)
    at = next
  }
  if (span.isDelimited) fail('Sequence without its end', owner)
  return [items, at]
}

function readTag(
  { bytes, coding }: Source,
  at: number,
  end: number,
  owner: number | undefined,
): number {
  if (end - at < 8) fail('Data set ends within an element', owner)
  return coding.bigEndian
    ? bytes.readUInt16BE(at) * 0x10000 + bytes.readUInt16BE(at + 2)
    : tagLittleEndian(bytes, at)
}

const tagLittleEndian = (bytes: Buffer, at: number): number =>
  bytes.readUInt16LE(at) * 0x10000 + bytes.readUInt16LE(at + 2)

function countOne(source: Source, tag: number): void {
  if (--source.count.left < 0) fail(`More than ${source.limits.elements} elements`, tag)
}

// PS3.5 §7.1: ascending, each once. Out of order is put in order; twice has no meaning that could
// be right.
function finished(elements: Element[], isSorted: boolean): DataSet {
  if (isSorted) return elements
  elements.sort((a, b) => a.tag - b.tag)
  for (let i = 1; i < elements.length; i++) {
    const tag = elements[i]?.tag
    if (tag === elements[i - 1]?.tag) fail('Element occurs twice', tag)
  }
  return elements
}

function inflate(bytes: Buffer, most: number): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: most })
  } catch {
    throw new DimseError(0xa900, 'Data set cannot be inflated')
  }
}

function fail(comment: string, tag: number | undefined): never {
  throw new DimseError(0xa900, comment, tag === undefined ? undefined : [tag])
}
