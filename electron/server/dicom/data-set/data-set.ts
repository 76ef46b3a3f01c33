import { inflateRawSync } from 'node:zlib'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { type Message, message } from '#shared/messages/message.ts'
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
import {
  DELIMITER_GROUP,
  type ElementHeader,
  newElementHeader,
  readElementHeader,
} from './element-header.ts'
import { swapNumbers, VR } from './vr.ts'

export { writeDataSet } from './data-set-writer.ts'
export { formatTag, isPrivate, keywordOf, tagOf, vrOf } from './dictionary.ts'

export interface DataSetLimits {
  /** Number of elements and items, at all depths. */
  readonly elements: number
  /** Nesting depth of sequences. */
  readonly depth: number
  /** Length in bytes after inflation. */
  readonly bytes: number
}

/** Limits of a C-FIND identifier. */
export const IDENTIFIER_LIMITS: DataSetLimits = { elements: 512, depth: 8, bytes: 256 << 10 }

const DATA_SET_TRAILING_PADDING = 0xfffcfffc

/**
 * Parses a complete data set, without trusting its lengths. Values are views of `bytes` unless they
 * had to be swapped.
 * @throws {DimseError} A900 with a comment and, if known, the offending element
 */
export function readDataSet(
  bytes: Buffer,
  transferSyntax: string,
  limits: DataSetLimits = IDENTIFIER_LIMITS,
): DataSet {
  const coding = CODINGS[transferSyntax]
  if (!coding) throw new DimseError(0xa900, message('dicom.transfer-syntax-not-supported'))
  const plain = coding.deflated ? inflate(bytes, limits.bytes) : bytes
  if (plain.length > limits.bytes)
    throw new DimseError(0xa900, message('dicom.data-set-longer', { bytes: limits.bytes }))
  const source: Source = {
    ...{ bytes: plain, coding, limits },
    count: { remaining: limits.elements },
    header: newElementHeader(),
  }
  return readElements(source, { at: 0, end: plain.length, isDelimited: false }, 0, undefined)[0]
}

interface Source {
  readonly bytes: Buffer
  readonly coding: Coding
  readonly limits: DataSetLimits
  readonly count: { remaining: number }
  /** The header read last. */
  readonly header: ElementHeader
}

/** A range of bytes. With an undefined length it ends at its delimiter, before `end`. */
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
    const tag = readHeader(source, at, span.end, owner)
    if (tag === ITEM_DELIMITATION && span.isDelimited)
      return [sortElements(elements, isSorted), at + 8]
    if (tag >>> 16 === DELIMITER_GROUP) fail(message('dicom.delimiter-outside'), owner)
    const last = elements.at(-1)
    const [element, next] = readElement(source, at, span.end, depth)
    if (last && last.tag >= tag) isSorted = false
    // PS3.10 §7.2: padding.
    if (tag !== DATA_SET_TRAILING_PADDING) elements.push(element)
    at = next
  }
  if (span.isDelimited) fail(message('dicom.item-without-end'), owner)
  return [sortElements(elements, isSorted), at]
}

/** Reads the header of an element, item or delimiter; returns its tag. */
function readHeader(
  { header, bytes, coding }: Source,
  at: number,
  end: number,
  owner: number | undefined,
): number {
  if (!readElementHeader(header, bytes, at, end - at, coding, false))
    fail(message('dicom.data-set-ends-within-element'), end - at < 8 ? owner : header.tag)
  if (header.vr === 'UN' && bytes.toString('latin1', at + 4, at + 6) !== 'UN')
    fail(message('dicom.unknown-vr'), header.tag)
  return header.tag
}

/** Reads the value of the element whose header has just been read. */
function readElement(source: Source, at: number, end: number, depth: number): [Element, number] {
  const { tag, vr: wire, length, size } = source.header
  countElement(source, tag)
  const start = at + size
  const isUnknown = wire === 'UN'
  const vr = wire === '' || isUnknown ? vrOf(tag) : wire
  // PS3.5 §6.2.2: a value encoded as UN is in Implicit VR Little Endian, and a UN of undefined
  // length is a sequence.
  const contentSource = isUnknown ? { ...source, coding: IMPLICIT } : source
  if (length === UNDEFINED_LENGTH) {
    if (vr !== 'SQ' && vr !== 'UN') fail(message('dicom.undefined-length'), tag)
    const [items, next] = readItems(
      contentSource,
      { at: start, end, isDelimited: true },
      depth + 1,
      tag,
    )
    return [{ tag, vr: 'SQ', value: items }, next]
  }
  const next = start + length
  if (next > end) fail(message('dicom.element-too-long'), tag)
  if (vr === 'SQ') {
    const span = { at: start, end: next, isDelimited: false }
    return [{ tag, vr, value: readItems(contentSource, span, depth + 1, tag)[0] }, next]
  }
  const value = source.bytes.subarray(start, next)
  const width = VR.get(vr)?.width ?? 1
  const isSwapped = contentSource.coding.bigEndian && width > 1
  return [{ tag, vr, value: isSwapped ? swapNumbers(Buffer.from(value), width) : value }, next]
}

function readItems(source: Source, span: Span, depth: number, owner: number): [DataSet[], number] {
  if (depth > source.limits.depth)
    fail(message('dicom.sequences-deeper', { depth: source.limits.depth }), owner)
  const items: DataSet[] = []
  let at = span.at
  while (at < span.end) {
    const tag = readHeader(source, at, span.end, owner)
    if (tag === SEQUENCE_DELIMITATION && span.isDelimited) return [items, at + 8]
    if (tag !== ITEM) fail(message('dicom.no-item'), owner)
    countElement(source, owner)
    const { length } = source.header
    const isDelimited = length === UNDEFINED_LENGTH
    const end = isDelimited ? span.end : at + 8 + length
    if (end > span.end) fail(message('dicom.item-too-long'), owner)
    const [item, next] = readElements(source, { at: at + 8, end, isDelimited }, depth, owner)
    items.push(item)
    at = next
  }
  if (span.isDelimited) fail(message('dicom.sequence-without-end'), owner)
  return [items, at]
}

function countElement(source: Source, tag: number): void {
  if (--source.count.remaining < 0)
    fail(message('dicom.more-elements', { elements: source.limits.elements }), tag)
}

// PS3.5 §7.1: tags are ascending and unique. Elements out of order are sorted; duplicates are an
// error, because either value could be the right one.
function sortElements(elements: Element[], isSorted: boolean): DataSet {
  if (isSorted) return elements
  elements.sort((a, b) => a.tag - b.tag)
  for (let i = 1; i < elements.length; i++) {
    const tag = elements[i]?.tag
    if (tag === elements[i - 1]?.tag) fail(message('dicom.element-twice'), tag)
  }
  return elements
}

function inflate(bytes: Buffer, maxBytes: number): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxBytes })
  } catch {
    throw new DimseError(0xa900, message('dicom.data-set-not-inflated'))
  }
}

function fail(comment: Message, tag: number | undefined): never {
  throw new DimseError(0xa900, comment, tag === undefined ? undefined : [tag])
}
