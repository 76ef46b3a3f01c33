import { randomUUID } from 'node:crypto'
import { createReadStream, mkdirSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, crc32, createInflateRaw } from 'node:zlib'
import { CODINGS } from '#server/dicom/data-set/coding.ts'
import { originalsOf } from '#server/dicom/data-set/corrected-copy.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { HeaderResult } from '#server/dicom/data-set/header-reader.ts'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { headerOf, readerOf } from './header.ts'

/**
 * A deflated data set that is longer is not checked to its end: a few kilobytes may become
 * terabytes. Bytes.
 */
const MOST_INFLATED = 4 * 2 ** 30
const CHUNK_BYTES = 1 << 20
/** What is read of a file for its header. */
const HEADER_BYTES = 1 << 20

/** Where the data set of a file is, and how it is written. */
export interface StoredObject {
  readonly path: string
  readonly dataSetOffset: number
  readonly transferSyntaxUid: string
}

/** A data set that was read to its end. */
export interface ReadObject {
  readonly values: HeaderResult
  readonly structure: Structure
  /** Of the whole file. */
  readonly bytes: number
  readonly crc32: number
}

/** Reads a file whole. @throws the fault of the file system */
export async function readStored({
  path,
  dataSetOffset,
  transferSyntaxUid,
}: StoredObject): Promise<ReadObject> {
  const reader = readerOf(transferSyntaxUid)
  let checksum = 0
  let bytes = dataSetOffset
  for await (const chunk of createReadStream(path, {
    start: dataSetOffset,
    highWaterMark: CHUNK_BYTES,
  }) as AsyncIterable<Buffer>) {
    checksum = crc32(chunk, checksum)
    bytes += chunk.length
    if (!reader.isDone) reader.push(chunk)
  }
  const values = reader.end()
  const structure =
    values.structure ?? (await deflatedStructure({ path, dataSetOffset, transferSyntaxUid }))
  return { values, structure, bytes, crc32: checksum }
}

/** The structure of a deflated data set, which is inflated for that. */
export async function deflatedStructure({
  path,
  dataSetOffset,
  transferSyntaxUid,
}: StoredObject): Promise<Structure> {
  if (!CODINGS[transferSyntaxUid]?.deflated) return UNREADABLE
  const reader = readerOf(TRANSFER_SYNTAX.explicitLittleEndian)
  let inflated = 0
  try {
    await pipeline(
      createReadStream(path, { start: dataSetOffset }),
      createInflateRaw({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_FINISH }),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          inflated += chunk.length
          if (inflated > MOST_INFLATED) throw new RangeError('length')
          reader.push(chunk)
        }
      },
    )
  } catch (error) {
    if (error instanceof RangeError) return damaged(message('images.inflated-too-long'))
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw error
    return damaged(message('images.compressed-ends-early'))
  }
  return reader.end().structure ?? UNREADABLE
}

const damaged = (detail: Message): Structure => ({ isComplete: false, detail })
const UNREADABLE = damaged(message('images.header-unreadable'))

/** What the UIDs of corrected copies begin with (`newUid`). */
const COPY_UID = '2.25.'

/**
 * SOP Instance UIDs of the images that a stored object is a corrected copy of (`originalsOf`); none
 * where it is none, or is damaged. `temporary`: a folder for what has to be inflated.
 * @throws the fault of the file system: whether it is a copy is then not known
 */
export async function originalsIn(
  stored: StoredObject & { readonly sopInstanceUid: string },
  temporary: string,
): Promise<string[]> {
  if (!stored.sopInstanceUid.startsWith(COPY_UID)) return []
  try {
    return await withInflated(stored, temporary, (plain) => originalsOf(plain))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
    return []
  }
}

/** Folder for what is inflated while it is read: nothing in it outlasts its reader. */
export const temporaryIn = (folder: string): string => join(folder, 'spool', 'corrected')

/**
 * Its data set without compression, where it is deflated in a file of its own that is deleted
 * again.
 */
export async function withInflated<T>(
  { path, dataSetOffset, transferSyntaxUid }: StoredObject,
  temporary: string,
  work: (plain: StoredObject, isDeflated: boolean) => Promise<T>,
): Promise<T> {
  if (!CODINGS[transferSyntaxUid]?.deflated)
    return await work({ path, dataSetOffset, transferSyntaxUid }, false)
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  const plain = join(temporary, `${randomUUID()}.dcm`)
  try {
    await inflatedFile(path, plain, { bytes: MOST_INFLATED })
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
 * The header of a file, without its pixels; undefined where it names no instance. @throws where it
 * is no DICOM file
 */
export async function readStart(path: string) {
  const { transferSyntaxUid, dataSetOffset, sourceAeTitle } = await readFileMeta(path)
  const reader = readerOf(transferSyntaxUid)
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
