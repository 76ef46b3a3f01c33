import { type Message, message } from '#shared/messages/message.ts'
import { type ByteWindow, MissingBytesError, ViewedFileFault } from './byte-window.ts'
import { CODINGS, type Coding, IMPLICIT } from './coding.ts'
import { MAX_HEADER_BYTES, newElementHeader, readElementHeader } from './element-header.ts'
import { TRANSFER_SYNTAX } from './uids.ts'
import { VR, withoutPadding } from './vr.ts'

/** The start of a file before its data set, and the encoding of the data set. */
export interface FileStart {
  readonly transferSyntaxUid: string
  readonly coding: Coding
  /** Media Storage SOP Class UID and Instance UID; empty if missing. */
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly dataSetOffset: number
}

const PREAMBLE_BYTES = 128
const PREFIX = 'DICM'
/** More than any file meta information needs. */
const MAX_META_BYTES = 64 << 10
const SOP_CLASS_TAG = 0x00020002
const SOP_INSTANCE_TAG = 0x00020003
const TRANSFER_SYNTAX_TAG = 0x00020010

const EXPLICIT = CODINGS[TRANSFER_SYNTAX.explicitLittleEndian] as Coding
const BIG_ENDIAN = CODINGS[TRANSFER_SYNTAX.explicitBigEndian] as Coding

/**
 * Reads the start of a DICOM file (PS3.10 §7.1), including files without preamble or file meta
 * information, as written by old archives. If the data set is evidently not in the declared
 * transfer syntax, the detected encoding is used.
 * @throws {MissingBytesError} if more bytes are needed
 * @throws {ViewedFileFault} if it is not a DICOM file
 */
export function readFileStart(window: ByteWindow, wholeLength: number | undefined): FileStart {
  if (wholeLength === 0) throw new ViewedFileFault(message('viewed-file.empty'))
  const at = metaOffset(window, wholeLength)
  const meta = readMeta(window, at, wholeLength)
  const declared = meta.uids.get(TRANSFER_SYNTAX_TAG) ?? ''
  const uids = {
    sopClassUid: meta.uids.get(SOP_CLASS_TAG) ?? '',
    sopInstanceUid: meta.uids.get(SOP_INSTANCE_TAG) ?? '',
    dataSetOffset: meta.end,
  }
  // PS3.5 A.4: transfer syntaxes other than these four use Explicit VR Little Endian.
  const coding = CODINGS[declared] ?? EXPLICIT
  if (declared !== '' && coding.deflated) return { ...uids, transferSyntaxUid: declared, coding }
  if (wholeLength !== undefined && meta.end + 8 > wholeLength) {
    if (meta.end === 0) throw notDicomFault(window, wholeLength)
    throw new ViewedFileFault(message('viewed-file.ends-before-data-set'))
  }
  const first = window.bytes(meta.end, 8)
  const detectedCoding = codingOf(first)
  if (declared === '') {
    const guess = detectedCoding ?? (hasKnownVr(first) ? EXPLICIT : IMPLICIT)
    return { ...uids, transferSyntaxUid: uidOf(guess), coding: guess }
  }
  if (
    !detectedCoding ||
    (detectedCoding.explicit === coding.explicit && detectedCoding.bigEndian === coding.bigEndian)
  )
    return { ...uids, transferSyntaxUid: declared, coding }
  // The declared transfer syntax still applies to encapsulated pixels; only the header is encoded
  // differently.
  return {
    ...uids,
    transferSyntaxUid: CODINGS[declared] ? uidOf(detectedCoding) : declared,
    coding: detectedCoding,
  }
}

/** Offset of group 0002, or of the data set if there is none. */
function metaOffset(window: ByteWindow, wholeLength: number | undefined): number {
  const isShort = wholeLength !== undefined && wholeLength < PREAMBLE_BYTES + PREFIX.length
  if (!isShort && window.bytes(PREAMBLE_BYTES, PREFIX.length).toString('latin1') === PREFIX)
    return PREAMBLE_BYTES + PREFIX.length
  if (wholeLength !== undefined && wholeLength < 8) throw notDicomFault(window, wholeLength)
  const start = Buffer.from(window.bytes(0, 8))
  if (start.toString('latin1', 0, 4) === PREFIX) return PREFIX.length
  if (!codingOf(start)) throw notDicomFault(window, wholeLength)
  return 0
}

/** The relevant UIDs of group 0002. Ignores the group length and tolerates missing VRs. */
function readMeta(
  window: ByteWindow,
  start: number,
  wholeLength: number | undefined,
): { uids: Map<number, string>; end: number } {
  const header = newElementHeader()
  const uids = new Map<number, string>()
  let at = start
  const isAvailable = (length: number) => wholeLength === undefined || at + length <= wholeLength
  while (isAvailable(8)) {
    const short = window.bytes(at, 8)
    if (short.readUInt16LE(0) !== 2) break
    const coding = hasKnownVr(short) ? EXPLICIT : IMPLICIT
    if (!readElementHeader(header, short, 0, 8, coding, false)) {
      if (!isAvailable(MAX_HEADER_BYTES)) break
      readElementHeader(
        header,
        window.bytes(at, MAX_HEADER_BYTES),
        0,
        MAX_HEADER_BYTES,
        coding,
        false,
      )
    }
    const { tag, length, size } = header
    if (at + size + length - start > MAX_META_BYTES)
      throw new ViewedFileFault(message('viewed-file.meta-unreadable'))
    if (!isAvailable(size + length))
      throw new ViewedFileFault(message('viewed-file.ends-within-meta'))
    const value = window.bytes(at + size, length)
    if (tag === TRANSFER_SYNTAX_TAG || tag === SOP_CLASS_TAG || tag === SOP_INSTANCE_TAG)
      uids.set(tag, withoutPadding(value.toString('latin1')).trim())
    at += size + length
  }
  return { uids, end: at }
}

const hasKnownVr = (header: Buffer): boolean => VR.has(header.toString('latin1', 4, 6))

/**
 * Detects the encoding of the first element of a data set from its first 8 bytes; undefined if they
 * are not an element.
 */
function codingOf(header: Buffer): Coding | undefined {
  const little = header.readUInt16LE(0)
  const big = header.readUInt16BE(0)
  if (hasKnownVr(header))
    return isPossibleFirstGroup(little)
      ? EXPLICIT
      : isPossibleFirstGroup(big)
        ? BIG_ENDIAN
        : undefined
  // PS3.5 §7.1.3: a 32-bit length follows immediately; that of a first element is small.
  return isPossibleFirstGroup(little) &&
    (header.readUInt32LE(4) <= 0xffff || header.readUInt32LE(4) === 0xffffffff)
    ? IMPLICIT
    : undefined
}

/**
 * Groups a file may start with: file meta information, DICOMDIR, identifying information, patient.
 */
const isPossibleFirstGroup = (group: number): boolean =>
  group === 2 || group === 4 || group === 8 || group === 0x10

const uidOf = (coding: Coding): string =>
  coding.bigEndian
    ? TRANSFER_SYNTAX.explicitBigEndian
    : coding.explicit
      ? TRANSFER_SYNTAX.explicitLittleEndian
      : TRANSFER_SYNTAX.implicitLittleEndian

/**
 * What partners sometimes send instead of a DICOM file: a sign-in page, an error message, an
 * archive.
 */
const TEXT_PATTERNS: readonly (readonly [RegExp, Message])[] = [
  [/^\s*(?:<!doctype html|<html|<head|<body|<script)/i, message('viewed-file.kind-html')],
  [/^\s*(?:<\?xml|<[a-z])/i, message('viewed-file.kind-xml')],
  [/^\s*[{[]/, message('viewed-file.kind-json')],
]
const MAGIC_NUMBERS: readonly (readonly [string, Message])[] = [
  ['%PDF', message('viewed-file.kind-pdf')],
  ['PK\x03\x04', message('viewed-file.kind-zip')],
  ['\x1f\x8b', message('viewed-file.kind-gzip')],
  ['\xff\xd8\xff', message('viewed-file.kind-jpeg')],
  ['\x89PNG', message('viewed-file.kind-png')],
  ['GIF8', message('viewed-file.kind-gif')],
  ['\xff\x4f\xff\x51', message('viewed-file.kind-jpeg-2000')],
  ['\0\0\0\x0cjP', message('viewed-file.kind-jpeg-2000')],
]

function notDicomFault(window: ByteWindow, wholeLength: number | undefined): ViewedFileFault {
  let start = ''
  for (let length = Math.min(wholeLength ?? 256, 256); length > 0 && start === ''; length >>= 1) {
    try {
      start = window.bytes(0, length).toString('latin1')
    } catch (error) {
      if (!(error instanceof MissingBytesError)) throw error
    }
  }
  const text = start.replace(/^\xef\xbb\xbf/, '')
  const other =
    TEXT_PATTERNS.find(([pattern]) => pattern.test(text)) ??
    MAGIC_NUMBERS.find(([magic]) => start.startsWith(magic))
  return new ViewedFileFault(
    other
      ? message('viewed-file.other-kind', { kind: other[1] })
      : message('viewed-file.not-dicom'),
  )
}
