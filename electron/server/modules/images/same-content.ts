import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CODINGS, type DataSet, type Element } from '#server/dicom/data-set/coding.ts'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import type { PixelExtent } from '#server/dicom/data-set/structure.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { swapNumbers, VR } from '#server/dicom/data-set/vr.ts'
import type { ContentChange } from './instance-queries.ts'
import { readStoredObject, type StoredObject } from './stored-object.ts'

/**
 * The result of comparing two objects with the same SOP Instance UID, regardless of their encoding.
 */
export type ContentComparison = 'same' | ContentChange

/**
 * Writes a file with another transfer syntax.
 * @throws if that is not possible
 */
export type Transcode = (fileIn: string, fileOut: string, transferSyntax: string) => Promise<void>

/** Limits of the data set without pixels; larger ones are not compared. */
const LIMITS = { elements: 2_000_000, depth: 32, bytes: 64 << 20 }
const MAX_INFLATED_BYTES = 4 * 2 ** 30
const CHUNK_BYTES = 1 << 20

/**
 * Lossless transfer syntaxes, whose decoded pixels can be compared: JPEG, JPEG-LS, JPEG 2000,
 * HTJ2K, JPEG XL, RLE, uncompressed.
 */
const LOSSLESS_SYNTAXES: ReadonlySet<string> = new Set([
  ...['57', '70', '80', '90', '92', '110', '201', '202'].map(
    (last) => `1.2.840.10008.1.2.4.${last}`,
  ),
  ...['1.2.840.10008.1.2.5', '1.2.840.10008.1.2.1.98'],
])

/**
 * Compares two objects: their data sets element by element, regardless of transfer syntax, VRs,
 * lengths and padding, and their pixels byte by byte after decoding lossless compression. If an
 * object cannot be read or decoded, the result is `unknown`.
 */
export async function compareContent(
  folder: string,
  transcode: Transcode,
  one: StoredObject,
  other: StoredObject,
): Promise<ContentComparison> {
  const temporary = join(folder, COMPARISON_FOLDER)
  const temporaryFiles: string[] = []
  try {
    const { transferSyntaxUid } = one
    if (transferSyntaxUid === other.transferSyntaxUid && !CODINGS[transferSyntaxUid]?.deflated) {
      const found = await compare(one, other)
      // The same pixels can be compressed in different ways.
      if (found !== 'pixels' || !LOSSLESS_SYNTAXES.has(transferSyntaxUid)) return found
    }
    const [a, b] = [
      await decompress(one, transcode, temporary, temporaryFiles),
      await decompress(other, transcode, temporary, temporaryFiles),
    ]
    return a && b ? await compare(a, b) : 'unknown'
  } catch {
    return 'unknown'
  } finally {
    for (const path of temporaryFiles) await rm(path, { force: true })
  }
}

/** Folder for temporary files of comparisons; it may be deleted at startup. */
export const COMPARISON_FOLDER = join('spool', 'compared')

/**
 * The uncompressed object, in a temporary file if necessary, whose path is appended to `temporaryFiles`;
 * `undefined` if it cannot be decoded.
 */
async function decompress(
  object: StoredObject,
  transcode: Transcode,
  temporary: string,
  temporaryFiles: string[],
): Promise<StoredObject | undefined> {
  const { transferSyntaxUid, path } = object
  const coding = CODINGS[transferSyntaxUid]
  if (coding && !coding.deflated) return object
  if (!coding && !LOSSLESS_SYNTAXES.has(transferSyntaxUid)) return undefined
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  const to = join(temporary, `${randomUUID()}.dcm`)
  temporaryFiles.push(to)
  try {
    if (coding) await inflatedFile(path, to, { bytes: MAX_INFLATED_BYTES })
    else await transcode(path, to, TRANSFER_SYNTAX.explicitLittleEndian)
    const { dataSetOffset, transferSyntaxUid: written } = await readFileMeta(to)
    return { path: to, dataSetOffset, transferSyntaxUid: written }
  } catch {
    return undefined
  }
}

/** The content of an object. */
interface Content {
  readonly file: FileHandle
  readonly object: StoredObject
  readonly dataSet: DataSet
  readonly pixels: PixelExtent | undefined
}

/**
 * Compares objects with the same encoding, or two uncompressed ones.
 * @throws if one cannot be read
 */
async function compare(one: StoredObject, other: StoredObject): Promise<ContentComparison> {
  const a = await contentOf(one)
  try {
    const b = await contentOf(other)
    try {
      if (!(await hasSamePixels(a, b))) return 'pixels'
      return isSameDataSet(a.dataSet, b.dataSet) ? 'same' : 'attributes'
    } finally {
      await b.file.close()
    }
  } finally {
    await a.file.close()
  }
}

async function contentOf(object: StoredObject): Promise<Content> {
  const { path, dataSetOffset, transferSyntaxUid } = object
  const { structure, bytes } = await readStoredObject(object)
  const { pixels } = structure
  const [headerEnd, rest] = pixels
    ? [dataSetOffset + pixels.at, dataSetOffset + pixels.end]
    : [bytes, bytes]
  if (headerEnd - dataSetOffset + bytes - rest > LIMITS.bytes) throw new RangeError('length')
  const file = await open(path, 'r')
  try {
    const parts = [
      [dataSetOffset, headerEnd],
      [rest, bytes],
    ].map(async ([from = 0, to = 0]) => {
      const part = Buffer.alloc(to - from)
      await file.read(part, 0, part.length, from)
      return part
    })
    const header = Buffer.concat(await Promise.all(parts))
    const syntax = CODINGS[transferSyntaxUid]
      ? transferSyntaxUid
      : TRANSFER_SYNTAX.explicitLittleEndian
    return { file, object, dataSet: readDataSet(header, syntax, LIMITS), pixels }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function hasSamePixels(a: Content, b: Content): Promise<boolean> {
  if (!a.pixels || !b.pixels) return a.pixels === b.pixels
  if (a.pixels.tag !== b.pixels.tag || a.pixels.isEncapsulated !== b.pixels.isEncapsulated)
    return false
  if (a.pixels.isEncapsulated)
    return (await digestOfFragments(a, a.pixels)) === (await digestOfFragments(b, b.pixels))
  const ends = [a.pixels.end - a.pixels.valueAt, b.pixels.end - b.pixels.valueAt] as const
  const length = Math.min(...ends)
  // PS3.5 §8.1.1: one byte of padding, which some implementations omit.
  if (Math.max(...ends) - length > 1) return false
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    const size = Math.min(CHUNK_BYTES, length - at)
    const [mine, theirs] = [
      await pixelBytes(a, a.pixels, at, size),
      await pixelBytes(b, b.pixels, at, size),
    ]
    if (!mine.equals(theirs)) return false
  }
  return true
}

/** Reads pixel bytes in little endian. */
async function pixelBytes(
  { file, object }: Content,
  { valueAt, vr }: PixelExtent,
  at: number,
  size: number,
): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  const { bytesRead } = await file.read(bytes, 0, size, object.dataSetOffset + valueAt + at)
  if (bytesRead < size) throw new RangeError('length')
  const width = CODINGS[object.transferSyntaxUid]?.bigEndian ? (VR.get(vr)?.width ?? 1) : 1
  return width > 1 && size % width === 0 ? swapNumbers(bytes, width) : bytes
}

/**
 * Digest of the content of all fragments. The offset table and the division into fragments are part
 * of the encoding and are ignored.
 */
async function digestOfFragments(
  { file, object }: Content,
  { valueAt, end }: PixelExtent,
): Promise<string> {
  const digest = createHash('sha256')
  const header = Buffer.alloc(8)
  let isTable = true
  for (let at = valueAt; at + 8 <= end; ) {
    await file.read(header, 0, 8, object.dataSetOffset + at)
    at += 8
    const length = header.readUInt32LE(4)
    for (let done = 0; !isTable && done < length; ) {
      const part = Buffer.alloc(Math.min(CHUNK_BYTES, length - done))
      const { bytesRead } = await file.read(part, 0, part.length, object.dataSetOffset + at + done)
      if (bytesRead === 0) throw new RangeError('length')
      digest.update(part.subarray(0, bytesRead))
      done += bytesRead
    }
    isTable = false
    at += length
  }
  return digest.digest('hex')
}

const DATA_SET_TRAILING_PADDING = 0xfffcfffc
/** Extended offset tables of compressed pixel data, which are part of the encoding. */
const OFFSET_TABLE_TAGS: ReadonlySet<number> = new Set([0x7fe00001, 0x7fe00002])

const isContent = ({ tag }: Element) =>
  (tag & 0xffff) !== 0 && tag !== DATA_SET_TRAILING_PADDING && !OFFSET_TABLE_TAGS.has(tag)

function isSameDataSet(a: DataSet, b: DataSet): boolean {
  const [mine, theirs] = [a.filter(isContent), b.filter(isContent)]
  return (
    mine.length === theirs.length &&
    mine.every((element, index) => isSameElement(element, theirs[index] as Element))
  )
}

function isSameElement(a: Element, b: Element): boolean {
  if (a.tag !== b.tag) return false
  if (Buffer.isBuffer(a.value) && Buffer.isBuffer(b.value))
    return isSameValue(a.value, b.value, a.vr, b.vr)
  const [mine, theirs] = [itemsOf(a), itemsOf(b)]
  if (!mine || !theirs || mine.length !== theirs.length) return false
  return mine.every((item, index) => isSameDataSet(item, theirs[index] as DataSet))
}

/** VRs whose values are padded to an even length with spaces or NULs. */
const PADDED_VRS: ReadonlySet<string> = new Set(
  'AE AS CS DA DS DT IS LO LT OB PN SH ST TM UC UI UN UR UT'.split(' '),
)

function isSameValue(a: Buffer, b: Buffer, vrOfA: string, vrOfB: string): boolean {
  if (a.equals(b)) return true
  return (
    (PADDED_VRS.has(vrOfA) || PADDED_VRS.has(vrOfB)) && withoutPadding(a).equals(withoutPadding(b))
  )
}

function withoutPadding(value: Buffer): Buffer {
  let end = value.length
  while (end > 0 && (value[end - 1] === 0 || value[end - 1] === 0x20)) end--
  return value.subarray(0, end)
}

/**
 * The items of a sequence. In Implicit VR, a private sequence can only be recognized by its
 * content.
 */
function itemsOf({ value }: Element): readonly DataSet[] | undefined {
  if (!Buffer.isBuffer(value)) return value
  if (value.length === 0) return []
  const asSequence = Buffer.alloc(8)
  asSequence.writeUInt16LE(0x0008, 0)
  asSequence.writeUInt16LE(0x1140, 2)
  asSequence.writeUInt32LE(value.length, 4)
  try {
    const [element] = readDataSet(
      Buffer.concat([asSequence, value]),
      TRANSFER_SYNTAX.implicitLittleEndian,
      LIMITS,
    )
    return element && !Buffer.isBuffer(element.value) ? element.value : undefined
  } catch {
    return undefined
  }
}
