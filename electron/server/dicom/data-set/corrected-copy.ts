import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createDeflateRaw } from 'node:zlib'
import { decodeText, encodeText } from '#server/dicom/character-sets/character-set.ts'
import { message } from '#shared/messages/message.ts'
import { CODINGS, type Coding, type DataSet, type Element } from './coding.ts'
import { readDataSet } from './data-set.ts'
import { writeDataSet } from './data-set-writer.ts'
import { vrOf } from './dictionary.ts'
import { bytesAt, CopyFault, type Extent, extentsOf } from './element-extents.ts'
import { withMappedReferences } from './referenced-uids.ts'
import { TRANSFER_SYNTAX } from './uids.ts'
import { withoutPadding } from './vr.ts'

export { CopyFault } from './element-extents.ts'

/** The data set of a stored file. */
export interface CopySource {
  readonly path: string
  readonly dataSetOffset: number
  readonly transferSyntaxUid: string
}

/** The corrected attributes of an item: text, or the items of a sequence. */
export interface CorrectedItem {
  readonly [tag: number]: string
}
/**
 * The corrected value: text ('' empties the attribute), the items of a sequence, or null to remove
 * the attribute. `onlyIfPresent`: only if the original has the attribute.
 */
export interface CorrectedValue {
  readonly tag: number
  readonly value: string | readonly CorrectedItem[] | null
  readonly onlyIfPresent?: boolean
  /** Used instead of `value` to change attributes within each item of the sequence. */
  readonly inItems?: CorrectedItem
}

/** The differences between a corrected copy and its original. */
export interface DataSetCorrection {
  readonly values: readonly CorrectedValue[]
  /** Maps UIDs of originals to those of their copies; every reference to them is rewritten. */
  readonly uids: ReadonlyMap<string, string>
  /** Specific Character Set for text of data sets that declare none. */
  readonly deviceCharacterSet: readonly string[]
  /** AE titles of the original's sender and of the modifying system, and the time (DT). */
  readonly source: string
  readonly aeTitle: string
  readonly at: string
}

const TAG = {
  specificCharacterSet: 0x00080005,
  sopInstanceUid: 0x00080018,
  studyInstanceUid: 0x0020000d,
  seriesInstanceUid: 0x0020000e,
  modifiedAttributes: 0x04000550,
  originalAttributes: 0x04000561,
  modifiedAt: 0x04000562,
  modifyingSystem: 0x04000563,
  sourceOfPreviousValues: 0x04000564,
  reason: 0x04000565,
  macParameters: 0x4ffe0001,
  digitalSignatures: 0xfffafffa,
} as const
const UID_TAGS = [TAG.sopInstanceUid, TAG.studyInstanceUid, TAG.seriesInstanceUid]
/** Signatures of the original (PS3.15 C), which would be invalid in the copy. */
const SIGNATURE_TAGS: ReadonlySet<number> = new Set([TAG.macParameters, TAG.digitalSignatures])
/** Bulk data, which is copied unchanged. */
const PIXEL_DATA_TAGS: ReadonlySet<number> = new Set([0x7fe00008, 0x7fe00009, 0x7fe00010])

const UTF_8: readonly string[] = ['ISO_IR 192']
/** PS3.5 6.1.2.2: the VRs that Specific Character Set affects. */
const TEXT_VRS: ReadonlySet<string> = new Set(['SH', 'LO', 'ST', 'LT', 'UC', 'UT', 'PN'])
/** Limits for an element that is parsed; larger elements are copied unchanged. */
const LIMITS = { elements: 2_000_000, depth: 32, bytes: 64 << 20 }
const CHUNK_BYTES = 1 << 20

/** Modifying System (0400,0563) of copies: this prefix and the AE title. */
const MODIFYING_SYSTEM_PREFIX = 'ISTHMUS'

/**
 * Streams the data set of a file with corrected values, in the same transfer syntax. Appends the
 * previous values to the Original Attributes Sequence (0400,0561; PS3.3 C.12.1.1.9), rewrites
 * references and removes digital signatures; everything else, including the pixel data, is copied
 * byte for byte. For a deflated file, pass the inflated file with `isDeflated`.
 * @throws CopyFault
 */
export async function writeCorrectedCopy(
  source: CopySource,
  correction: DataSetCorrection,
  write: (bytes: Buffer) => Promise<void>,
  { isDeflated = false } = {},
): Promise<void> {
  const file = await open(source.path, 'r')
  try {
    const pieces = correctedPieces(file, source, correction)
    if (!isDeflated) {
      for await (const piece of pieces) await write(piece)
      return
    }
    let length = 0
    await pipeline(pieces, createDeflateRaw(), async (deflated: AsyncIterable<Buffer>) => {
      for await (const piece of deflated) {
        length += piece.length
        await write(piece)
      }
    })
    // PS3.5 A.5: the deflated stream is padded to an even length.
    if (length % 2 === 1) await write(Buffer.alloc(1))
  } finally {
    await file.close()
  }
}

/**
 * The SOP Instance UIDs of the originals of a corrected copy, oldest first, as recorded by
 * `writeCorrectedCopy` in the Original Attributes Sequence; empty for any other data set. The data
 * set must not be deflated.
 * @throws CopyFault
 */
export async function originalUidsOf(source: CopySource): Promise<string[]> {
  const syntax = syntaxOf(source)
  const tag = TAG.originalAttributes
  const file = await open(source.path, 'r')
  try {
    const coding = CODINGS[syntax] as Coding
    const extents = await extentsOf(file, source.dataSetOffset, coding, tag)
    const extent = extents.find((one) => one.tag === tag)
    if (!extent || extent.end - extent.at > LIMITS.bytes) return []
    const bytes = await bytesAt(file, extent.at, extent.end - extent.at)
    const [sequence] = readDataSet(bytes, syntax, LIMITS)
    return itemsOf(sequence).flatMap((item) => {
      if (!plainText(item, TAG.modifyingSystem).startsWith(`${MODIFYING_SYSTEM_PREFIX} `)) return []
      const [previous = []] = itemsOf(item.find((one) => one.tag === TAG.modifiedAttributes))
      const uid = plainText(previous, TAG.sopInstanceUid)
      return uid === '' ? [] : [uid]
    })
  } finally {
    await file.close()
  }
}

const modifyingSystemOf = ({ aeTitle }: Pick<DataSetCorrection, 'aeTitle'>) =>
  `${MODIFYING_SYSTEM_PREFIX} ${aeTitle}`
const itemsOf = (element: Element | undefined): readonly DataSet[] =>
  element && !Buffer.isBuffer(element.value) ? element.value : []
const plainText = (dataSet: DataSet, wanted: number): string => {
  const value = dataSet.find(({ tag }) => tag === wanted)?.value
  return Buffer.isBuffer(value) ? withoutPadding(value.toString('latin1')) : ''
}

/** The transfer syntax of the header of an inflated data set, whatever encodes its pixels. */
const syntaxOf = ({ transferSyntaxUid }: CopySource): string =>
  CODINGS[transferSyntaxUid] ? transferSyntaxUid : TRANSFER_SYNTAX.explicitLittleEndian

/** A data set in its file, with its top-level elements. */
class OriginalDataSet {
  readonly #file: FileHandle
  readonly syntax: string
  readonly extents: readonly Extent[]
  readonly #byTag: ReadonlyMap<number, Extent>

  constructor(file: FileHandle, syntax: string, extents: readonly Extent[]) {
    this.#file = file
    this.syntax = syntax
    this.extents = extents
    this.#byTag = new Map(extents.map((extent) => [extent.tag, extent]))
  }

  has(tag: number): boolean {
    return this.#byTag.has(tag)
  }

  /** Undefined if it is too long or cannot be parsed as an element. */
  async parsed({ at, end }: Extent): Promise<Element | undefined> {
    if (end - at > LIMITS.bytes) return undefined
    try {
      return readDataSet(await bytesAt(this.#file, at, end - at), this.syntax, LIMITS)[0]
    } catch {
      return undefined
    }
  }

  /** Undefined if the data set lacks the element. @throws CopyFault if it cannot be read */
  async element(tag: number): Promise<Element | undefined> {
    const extent = this.#byTag.get(tag)
    const element = extent && (await this.parsed(extent))
    if (extent && !element) throw new CopyFault(message('dicom.patient-unreadable'))
    return element
  }

  async *copied({ at, end }: Extent): AsyncGenerator<Buffer, void, void> {
    for (let from = at; from < end; from += CHUNK_BYTES)
      yield await bytesAt(this.#file, from, Math.min(CHUNK_BYTES, end - from))
  }
}

async function* correctedPieces(
  file: FileHandle,
  source: CopySource,
  correction: DataSetCorrection,
): AsyncGenerator<Buffer, void, void> {
  const syntax = syntaxOf(source)
  const coding = CODINGS[syntax] as Coding
  const original = new OriginalDataSet(
    file,
    syntax,
    await extentsOf(file, source.dataSetOffset, coding),
  )
  const text = textOfCopy(termsOf(await original.element(TAG.specificCharacterSet)), correction)
  const replacementsByTag = await replacements(original, correction, text)
  const rest = [...replacementsByTag].sort(([a], [b]) => a - b)
  const encodedElement = ([, element]: readonly [number, Element | null]) =>
    element ? [writeDataSet([element], syntax)] : []
  for (const extent of original.extents) {
    while (rest[0] && rest[0][0] <= extent.tag)
      yield* encodedElement(rest.shift() as (typeof rest)[number])
    // Group lengths are retired (PS3.5 §7.2) and would be incorrect.
    if (replacementsByTag.has(extent.tag) || (extent.tag & 0xffff) === 0) continue
    const isSequence = extent.vr === 'SQ' || extent.vr === 'UN'
    const isText =
      text.isConverted &&
      TEXT_VRS.has(coding.explicit && extent.vr !== 'UN' ? extent.vr : vrOf(extent.tag))
    const element =
      PIXEL_DATA_TAGS.has(extent.tag) || (!isSequence && !isText)
        ? undefined
        : await original.parsed(extent)
    const changed = element && updateReferences(element, text, correction.uids)
    if (changed) yield writeDataSet([changed], syntax)
    else yield* original.copied(extent)
  }
  for (const one of rest) yield* encodedElement(one)
}

/** The elements that replace those of the original in the copy; null removes an element. */
async function replacements(
  original: OriginalDataSet,
  correction: DataSetCorrection,
  text: TextOfCopy,
): Promise<Map<number, Element | null>> {
  const replacementsByTag = new Map<number, Element | null>()
  const previous: Element[] = []
  for (const { tag, value, inItems, onlyIfPresent } of correction.values) {
    if (onlyIfPresent && !original.has(tag)) continue
    const old = await original.element(tag)
    const element = inItems
      ? withItemCorrections(old, inItems, text)
      : value === null
        ? null
        : text.element(tag, value)
    if (isSame(old, element)) continue
    replacementsByTag.set(tag, element)
    previous.push(old ?? { tag, vr: vrOf(tag), value: vrOf(tag) === 'SQ' ? [] : Buffer.alloc(0) })
  }
  for (const tag of UID_TAGS) {
    const old = await original.element(tag)
    const uid = old ? plainText([old], tag) : ''
    const mapped = correction.uids.get(uid)
    if (!old || mapped === undefined || mapped === uid) continue
    replacementsByTag.set(tag, { tag, vr: 'UI', value: Buffer.from(mapped) })
    previous.push(old)
  }
  for (const tag of SIGNATURE_TAGS) if (original.has(tag)) replacementsByTag.set(tag, null)
  const declaredSet = await original.element(TAG.specificCharacterSet)
  if (text.isConverted) {
    replacementsByTag.set(
      TAG.specificCharacterSet,
      text.element(TAG.specificCharacterSet, 'ISO_IR 192'),
    )
    if (declaredSet) previous.push(declaredSet)
  }
  const earlier = itemsOf(await original.element(TAG.originalAttributes))
  // If the character set changed, the previous values keep their own, which the item declares
  // (PS3.5 §7.5.3). If the original declared none, their text is converted like the rest.
  const sorted = previous.sort((a, b) => a.tag - b.tag)
  const before = text.isConverted && !declaredSet ? text.converted(sorted) : sorted
  const item = [
    { tag: TAG.modifiedAttributes, vr: 'SQ', value: [before] },
    text.element(TAG.modifiedAt, correction.at),
    text.element(TAG.modifyingSystem, modifyingSystemOf(correction)),
    text.element(TAG.sourceOfPreviousValues, correction.source),
    text.element(TAG.reason, 'CORRECT'),
  ]
  const kept = text.isConverted ? earlier.map((one) => text.converted(one)) : earlier
  const value = [...kept, item]
  replacementsByTag.set(TAG.originalAttributes, { tag: TAG.originalAttributes, vr: 'SQ', value })
  return replacementsByTag
}

/** Undefined if the element needs no change, so that it is copied unchanged. */
function updateReferences(
  element: Element,
  text: TextOfCopy,
  uids: ReadonlyMap<string, string>,
): Element | undefined {
  const mapped = withMappedReferences([element], uids)
  const [own = element] = mapped ?? [element]
  if (!text.isConverted) return mapped && own
  return text.converted([own])[0]
}

const termsOf = (element: Element | undefined): readonly string[] => {
  const text = element ? plainText([element], element.tag) : ''
  return text === '' ? [] : text.split('\\').map((term) => term.trim())
}

interface TextOfCopy {
  /** Whether the copy is in ISO_IR 192 and the original is not. */
  readonly isConverted: boolean
  element(tag: number, value: string | readonly CorrectedItem[]): Element
  /** Converts the text of the original, at every depth, to the character set of the copy. */
  converted(dataSet: DataSet): DataSet
}

/**
 * The copy keeps the character set of the original if it can encode every corrected value, and uses
 * UTF-8 otherwise.
 */
function textOfCopy(
  declared: readonly string[],
  { values, source, aeTitle, deviceCharacterSet }: DataSetCorrection,
): TextOfCopy {
  const isEncodable = (text: string, vr: string) => {
    const bytes = encodeText(text, declared, vr)
    return bytes !== undefined && decodeText(bytes, declared, vr).text === text
  }
  const isValueEncodable = (value: CorrectedValue['value'], tag: number): boolean => {
    if (value === null) return true
    if (typeof value === 'string')
      return !TEXT_VRS.has(vrOf(tag)) || isEncodable(value.normalize('NFC'), vrOf(tag))
    return value.every((item) =>
      Object.entries(item).every(([of, text]) => isValueEncodable(text, Number(of))),
    )
  }
  const isKept =
    [source, modifyingSystemOf({ aeTitle })].every((each) => isEncodable(each, 'LO')) &&
    values.every(
      ({ tag, value, inItems }) =>
        isValueEncodable(value, tag) && (!inItems || isValueEncodable([inItems], tag)),
    )
  const terms = isKept ? declared : UTF_8
  const encode = (text: string, vr: string) =>
    (TEXT_VRS.has(vr) ? encodeText(text.normalize('NFC'), terms, vr) : undefined) ??
    Buffer.from(text)
  const element = (tag: number, value: string | readonly CorrectedItem[]): Element => {
    const vr = vrOf(tag)
    if (typeof value === 'string') return { tag, vr, value: encode(value, vr) }
    const item = (one: CorrectedItem) =>
      Object.entries(one)
        .map(([of, text]) => element(Number(of), text))
        .sort((a, b) => a.tag - b.tag)
    return { tag, vr, value: value.map(item) }
  }

  function convertedDataSet(dataSet: DataSet, outer: readonly string[]): DataSet {
    const own = dataSet.find(({ tag }) => tag === TAG.specificCharacterSet)
    const set = own ? termsOf(own) : outer
    return dataSet.flatMap((one): Element[] => {
      if (one.tag === TAG.specificCharacterSet) return []
      if (!Buffer.isBuffer(one.value))
        return [{ ...one, value: one.value.map((item) => convertedDataSet(item, set)) }]
      return [
        TEXT_VRS.has(one.vr)
          ? { ...one, value: Buffer.from(readText(one.value, set, one.vr, deviceCharacterSet)) }
          : one,
      ]
    })
  }
  return {
    isConverted: !isKept,
    element,
    converted: (dataSet) => convertedDataSet(dataSet, declared),
  }
}

/** Bytes that are invalid in all of these sets are read as Latin-1, so that nothing is lost. */
function readText(
  bytes: Buffer,
  declared: readonly string[],
  vr: string,
  deviceCharacterSet: readonly string[],
): string {
  for (const terms of [declared, deviceCharacterSet, UTF_8]) {
    const { text, isExact } = decodeText(bytes, terms, vr)
    if (isExact) return text.normalize('NFC')
  }
  return bytes.toString('latin1')
}

function withItemCorrections(
  old: Element | undefined,
  inItems: CorrectedItem,
  text: TextOfCopy,
): Element | null {
  if (!old || Buffer.isBuffer(old.value)) return old ?? null
  const own = Object.entries(inItems).map(([tag, value]) => text.element(Number(tag), value))
  const tags = new Set(own.map(({ tag }) => tag))
  const items = text.isConverted ? text.converted([old])[0]?.value : old.value
  const value = (items as readonly DataSet[]).map((item) =>
    [...item.filter(({ tag }) => !tags.has(tag)), ...own].sort((a, b) => a.tag - b.tag),
  )
  return { ...old, value }
}

function isSame(old: Element | undefined, element: Element | null): boolean {
  if (!old || !element) return !old && !element
  if (Buffer.isBuffer(old.value) && Buffer.isBuffer(element.value))
    return (
      withoutPadding(old.value.toString('latin1')) ===
      withoutPadding(element.value.toString('latin1'))
    )
  const bytes = (one: Element) => writeDataSet([one], TRANSFER_SYNTAX.explicitLittleEndian)
  return bytes(old).equals(bytes(element))
}
