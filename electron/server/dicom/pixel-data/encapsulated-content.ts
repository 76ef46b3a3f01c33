import { type ByteSource, readWhole } from '#server/dicom/data-set/byte-window.ts'
import { UNDEFINED_LENGTH } from '#server/dicom/data-set/coding.ts'
import { tagsByKeyword } from '#server/dicom/data-set/dictionary.ts'
import type { FoundElement } from '#server/dicom/data-set/found-elements.ts'
import { readWholeHeader, type WholeHeader } from '#server/dicom/data-set/whole-header.ts'
import { Fragments, fragmentAt } from './fragments.ts'

const TAG = tagsByKeyword([
  'EncapsulatedDocument',
  'EncapsulatedDocumentLength',
  'MIMETypeOfEncapsulatedDocument',
])

/** A range of bytes in a file. */
export interface Span {
  readonly at: number
  readonly length: number
}

/** A document (PDF, CDA, STL) or a video inside a DICOM file. */
export interface EncapsulatedContent {
  /** Concatenated in this order. Empty if there is no content. */
  readonly spans: readonly Span[]
  readonly mimeType: string
}

/** Locates the document in a complete file. @throws {ViewedFileFault} */
export function encapsulatedDocument(source: ByteSource): EncapsulatedContent {
  const { found, values } = readWholeHeader(source)
  const element = found.elements.get(TAG.EncapsulatedDocument)
  const documentLength = values.number(TAG.EncapsulatedDocumentLength) ?? 0
  return {
    spans: element ? documentSpans(element, documentLength) : [],
    mimeType: values.text(TAG.MIMETypeOfEncapsulatedDocument).toLowerCase(),
  }
}

function documentSpans({ at, length, items }: FoundElement, documentLength: number): Span[] {
  if (items || length === 0) return []
  // PS3.3 C.24.2: the value may have one byte of padding.
  return [{ at, length: documentLength === length - 1 ? documentLength : length }]
}

/**
 * Locates the video in a complete file. Its media type follows from its first bytes, because the
 * transfer syntax allows several containers (PS3.5 §8.2.5 to 8.2.10).
 * @throws {ViewedFileFault}
 */
export function encapsulatedVideo(source: ByteSource): EncapsulatedContent {
  const spans = videoSpans(source, readWholeHeader(source))
  const start = spansWithin(spans, 0, MAX_START_BYTES)
  const pieces = start.map(({ at, length }) => readWhole(source, at, length))
  return { spans, mimeType: containerOf(Buffer.concat(pieces)) }
}

/** The parts of the spans that contain these bytes of their concatenation. */
export function spansWithin(spans: readonly Span[], from: number, length: number): Span[] {
  const parts: Span[] = []
  let start = 0
  for (const span of spans) {
    const first = Math.max(from - start, 0)
    const last = Math.min(from + length - start, span.length)
    if (first < last) parts.push({ at: span.at + first, length: last - first })
    start += span.length
  }
  return parts
}

function videoSpans(source: ByteSource, { found: { pixels } }: WholeHeader): Span[] {
  if (!pixels) return []
  const { at, length } = pixels
  const end = length === UNDEFINED_LENGTH ? undefined : at + length
  const table = fragmentAt(source, at)
  // Without items the stream is the value itself, which violates PS3.5 A.4 but can be played.
  if (table === 'other' || table === 'end' || table === undefined)
    return end === undefined || table === 'end'
      ? []
      : [{ at, length: Math.min(length, source.length - at) }]
  const fragments = new Fragments(source, table.at + table.length, end)
  fragments.walk()
  return fragments.found.map((fragment) => ({ at: fragment.at, length: fragment.length }))
}

/** Enough for two packets of a transport stream. */
const MAX_START_BYTES = 400
const TS_PACKET_BYTES = 188
const TS_SYNC = 0x47

/** The container of a video by its first bytes; `application/octet-stream` if it is unknown. */
function containerOf(start: Buffer): string {
  if (start.toString('latin1', 4, 8) === 'ftyp') return 'video/mp4'
  if (start[0] === TS_SYNC && start[TS_PACKET_BYTES] === TS_SYNC) return 'video/mp2t'
  // Program stream, or a bare MPEG-2 sequence.
  if (['000001ba', '000001b3'].includes(start.toString('hex', 0, 4))) return 'video/mpeg'
  return 'application/octet-stream'
}
