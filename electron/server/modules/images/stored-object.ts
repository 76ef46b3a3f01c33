import { randomUUID } from 'node:crypto'
import { createReadStream, mkdirSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, crc32, createInflateRaw } from 'node:zlib'
import { CODINGS } from '#server/dicom/data-set/coding.ts'
import { originalUidsOf } from '#server/dicom/data-set/corrected-copy.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { HeaderResult } from '#server/dicom/data-set/header-reader.ts'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { fullReaderOf, headerOf } from './header.ts'

/**
 * Maximum number of bytes that are inflated to verify a data set. A few kilobytes can inflate to
 * terabytes.
 */
const MAX_INFLATED_BYTES = 4 * 2 ** 30
const CHUNK_BYTES = 1 << 20
/** Bytes of a file that are read for its header. */
const HEADER_BYTES = 1 << 20

/** Location and encoding of the data set in a file. */
export interface StoredObject {
  readonly path: string
  readonly dataSetOffset: number
  readonly transferSyntaxUid: string
}

/** A data set that was read to its end. */
export interface StoredObjectContent {
  readonly values: HeaderResult
  readonly structure: Structure
  /** Size of the whole file. */
  readonly bytes: number
  readonly crc32: number
}

/**
 * Reads a complete file.
 * @throws the error of the file system
 */
export async function readStoredObject({
  path,
  dataSetOffset,
  transferSyntaxUid,
}: StoredObject): Promise<StoredObjectContent> {
  const reader = fullReaderOf(transferSyntaxUid)
  const read = await readChecksum(path, dataSetOffset, (chunk) => {
    if (!reader.isDone) reader.push(chunk)
  })
  const values = reader.end()
  const structure =
    values.structure ?? (await verifyDeflatedStructure({ path, dataSetOffset, transferSyntaxUid }))
  return { values, structure, ...read }
}

/**
 * Reads the length of a file and the checksum of its data set.
 * @param look called with each part of the data set
 * @throws the error of the file system
 */
export async function readChecksum(
  path: string,
  dataSetOffset: number,
  look?: (chunk: Buffer) => void,
): Promise<{ readonly bytes: number; readonly crc32: number }> {
  let checksum = 0
  let bytes = dataSetOffset
  for await (const chunk of createReadStream(path, {
    start: dataSetOffset,
    highWaterMark: CHUNK_BYTES,
  }) as AsyncIterable<Buffer>) {
    checksum = crc32(chunk, checksum)
    bytes += chunk.length
    look?.(chunk)
  }
  return { bytes, crc32: checksum }
}

/** Verifies the structure of a deflated data set by inflating it. */
export async function verifyDeflatedStructure({
  path,
  dataSetOffset,
  transferSyntaxUid,
}: StoredObject): Promise<Structure> {
  if (!CODINGS[transferSyntaxUid]?.deflated) return UNREADABLE_FAULT
  const reader = fullReaderOf(TRANSFER_SYNTAX.explicitLittleEndian)
  let inflated = 0
  try {
    await pipeline(
      createReadStream(path, { start: dataSetOffset }),
      createInflateRaw({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_FINISH }),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          inflated += chunk.length
          if (inflated > MAX_INFLATED_BYTES) throw new RangeError('length')
          reader.push(chunk)
        }
      },
    )
  } catch (error) {
    if (error instanceof RangeError) return damagedStructure(message('images.inflated-too-long'))
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw error
    return damagedStructure(message('images.compressed-ends-early'))
  }
  return reader.end().structure ?? UNREADABLE_FAULT
}

const damagedStructure = (detail: Message): Structure => ({ isComplete: false, detail })
const UNREADABLE_FAULT = damagedStructure(message('images.header-unreadable'))

/** Prefix of the UIDs of corrected copies (`newUid`). */
const COPY_UID_PREFIX = '2.25.'

/**
 * SOP Instance UIDs of the images of which the object is a corrected copy (`originalUidsOf`); empty
 * if it is not a copy or is damaged. `temporary` is a folder for inflated files.
 * @throws the error of the file system, in which case it is unknown whether it is a copy
 */
export async function readOriginalUids(
  stored: StoredObject & { readonly sopInstanceUid: string },
  temporary: string,
): Promise<string[]> {
  if (!stored.sopInstanceUid.startsWith(COPY_UID_PREFIX)) return []
  try {
    return await withInflatedFile(stored, temporary, (plain) => originalUidsOf(plain))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
    return []
  }
}

/** Folder for temporarily inflated files. */
export const tempFolderIn = (folder: string): string => join(folder, 'spool', 'corrected')

/**
 * Calls `work` with the data set in uncompressed form. A deflated one is inflated to a temporary
 * file, which is deleted afterwards.
 */
export async function withInflatedFile<T>(
  { path, dataSetOffset, transferSyntaxUid }: StoredObject,
  temporary: string,
  work: (plain: StoredObject, isDeflated: boolean) => Promise<T>,
): Promise<T> {
  if (!CODINGS[transferSyntaxUid]?.deflated)
    return await work({ path, dataSetOffset, transferSyntaxUid }, false)
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  const plain = join(temporary, `${randomUUID()}.dcm`)
  try {
    await inflatedFile(path, plain, { bytes: MAX_INFLATED_BYTES })
    const { dataSetOffset: start } = await readFileMeta(plain)
    return await work(
      {
        path: plain,
        dataSetOffset: start,
        transferSyntaxUid: TRANSFER_SYNTAX.explicitLittleEndian,
      },
      true,
    )
  } finally {
    await rm(plain, { force: true })
  }
}

/**
 * Reads the header of a file, without pixels; `undefined` if it has no SOP Instance UID.
 * @throws if it is not a DICOM file
 */
export async function readFileHeader(path: string) {
  const { transferSyntaxUid, dataSetOffset, sourceAeTitle } = await readFileMeta(path)
  const reader = fullReaderOf(transferSyntaxUid)
  const file = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(HEADER_BYTES)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, dataSetOffset)
    reader.push(bytes.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
  const header = headerOf(reader.end(), [])
  return header.sopInstanceUid === '' ? undefined : { header, aeTitle: sourceAeTitle }
}
