import fs from 'node:fs'
import { promisify } from 'node:util'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  FRAGMENT_HEADER_BYTES,
  fragmentCapacity,
  writeFragmentHeader,
} from '#server/dicom/dimse/message.ts'
import type { FileToSend } from '#server/dicom/dimse/service.ts'
import type { FramedDataSet } from '#server/dicom/dimse/sub-operations.ts'
import type { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'

// With file descriptors, because several small files a millisecond are opened and closed, and a
// `FileHandle` costs more than reading from one.
const open = promisify(fs.open)
const readv = promisify(fs.readv)
const close = promisify(fs.close)

/** How the P-DATA-TFs of a data set are made. */
export interface Framing {
  readonly contextId: number
  /** The peer's maximum P-DATA-TF length in bytes; 0: unlimited. */
  readonly maximumLength: number
  /** The pool of the slices, and their maximum length in bytes. */
  readonly slices: SlicePool
  readonly sliceBytes: number
}

/**
 * The data set of a file in P-DATA-TFs with one PDV each (PS3.8 Annex E). Each slice is laid out
 * first, and the file is read into the gaps between the headers, so that no byte is copied and a
 * slice is sent in one write.
 */
export class FramedFile implements FramedDataSet, AsyncDisposable {
  readonly #file: number
  readonly #framing: Framing
  /** Data bytes in each P-DATA-TF but the last. */
  readonly #room: number
  /** Offset in the file of the next slice, and of the end of the data set. */
  #position: number
  readonly #end: number
  /** A NUL after the data set. */
  readonly #isPadded: boolean
  /** Read when the file was opened, so that an unreadable file is found before anything is sent. */
  #first: Buffer | undefined

  /** @throws {Error} without the path if the file cannot be read */
  static async open(instance: FileToSend, framing: Framing): Promise<FramedFile> {
    let file: number | undefined
    try {
      file = await open(instance.path, 'r')
      const framed = new FramedFile(file, instance, framing)
      framed.#first = await framed.#read()
      return framed
    } catch (error) {
      if (file !== undefined) await close(file)
      throw unreadableError(error)
    }
  }

  private constructor(
    file: number,
    { dataSetOffset, bytes, transferSyntaxUid }: FileToSend,
    framing: Framing,
  ) {
    this.#file = file
    this.#framing = framing
    this.#room = Math.min(
      fragmentCapacity(framing.maximumLength),
      (framing.sliceBytes - FRAGMENT_HEADER_BYTES) & ~1,
    )
    this.#position = dataSetOffset
    this.#end = bytes
    // PS3.5 A.5: a deflated stream of odd length is padded with a NUL.
    this.#isPadded =
      (bytes - dataSetOffset) % 2 === 1 &&
      transferSyntaxUid === TRANSFER_SYNTAX.deflatedExplicitLittleEndian
  }

  async next(): Promise<Buffer | undefined> {
    const first = this.#first
    this.#first = undefined
    try {
      return first ?? (await this.#read())
    } catch (error) {
      throw unreadableError(error)
    }
  }

  release(pdus: Buffer): void {
    this.#framing.slices.give(pdus)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#first) this.release(this.#first)
    await close(this.#file)
  }

  async #read(): Promise<Buffer | undefined> {
    const { contextId, slices, sliceBytes } = this.#framing
    const bytes = this.#end - this.#position
    if (bytes <= 0) return undefined
    const room = this.#room
    const maxBytes = Math.floor(sliceBytes / (room + FRAGMENT_HEADER_BYTES)) * room
    const isLast = bytes <= maxBytes
    const read = Math.min(bytes, maxBytes)
    const length = read + (isLast && this.#isPadded ? 1 : 0)
    const slice = slices.take(length + Math.ceil(length / room) * FRAGMENT_HEADER_BYTES)
    const gaps: Buffer[] = []
    let at = 0
    for (let from = 0; from < length; from += room) {
      const data = Math.min(room, length - from)
      const control = isLast && from + data === length ? 2 : 0
      at = writeFragmentHeader(slice, at, contextId, control, data)
      gaps.push(slice.subarray(at, at + data))
      at += data
    }
    if (length > read) {
      slice[at - 1] = 0
      const last = gaps.pop()
      if (last) gaps.push(last.subarray(0, -1))
    }
    const { bytesRead } = await readv(this.#file, gaps, this.#position)
    if (bytesRead !== read) throw Object.assign(new Error(), { code: 'shorter than stored' })
    this.#position += read
    return slice
  }
}

/** Omits the path, which must not appear in messages. */
const unreadableError = (error: unknown): Error =>
  new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown fault'})`)
