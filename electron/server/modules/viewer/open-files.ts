import { existsSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import { isDeflated, ViewedFile } from '#server/dicom/pixel-data/viewed-file.ts'

/** Bytes to prefetch; most headers are shorter. */
const HEAD_BYTES = 64 * 1024
/** Size of the read buffer: headers and item tags are read a few bytes at a time. */
const BUFFER_BYTES = 4096

/** A part of a file, in bytes. */
export interface FileSpan {
  readonly at: number
  readonly length: number
}

/** A file on disk, which may still be growing. The caller closes the handle. */
export class DiskSource implements ByteSource {
  readonly #handle: FileHandle
  #head: Buffer = Buffer.alloc(0)
  #buffer: Buffer = Buffer.alloc(0)
  #bufferStart = 0
  length: number
  isWhole: boolean

  /**
   * @param length number of bytes that are available
   * @param isWhole whether the file is complete
   */
  constructor(handle: FileHandle, length: number, isWhole: boolean) {
    this.#handle = handle
    this.length = length
    this.isWhole = isWhole
  }

  read(at: number, length: number): Buffer {
    const ready =
      sliceIfContained(this.#head, 0, at, length) ??
      sliceIfContained(this.#buffer, this.#bufferStart, at, length)
    if (ready) return Buffer.from(ready)
    if (length >= BUFFER_BYTES) return this.#readNow(at, length)
    this.#buffer = this.#readNow(at, Math.max(length, Math.min(BUFFER_BYTES, this.length - at)))
    this.#bufferStart = at
    return Buffer.from(this.#buffer.subarray(0, length))
  }

  /** Reads the start of the file asynchronously. */
  async prefetch(): Promise<void> {
    const length = Math.min(HEAD_BYTES, this.length)
    if (this.#head.length < length) this.#head = await this.fetch(0, length)
  }

  /** Like `read`, but asynchronous. */
  async fetch(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    await this.fill(bytes, at)
    return bytes
  }

  /** Fills `bytes` with the bytes at `at`. */
  async fill(bytes: Buffer, at: number): Promise<void> {
    const { length } = bytes
    for (let filled = 0; filled < length; ) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, at + filled)
      if (bytesRead === 0) throw endedEarlyError()
      filled += bytesRead
    }
  }

  #readNow(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length; ) {
      const count = readSync(this.#handle.fd, bytes, filled, length - filled, at + filled)
      if (count === 0) throw endedEarlyError()
      filled += count
    }
    return bytes
  }
}

/**
 * Returns the bytes from a buffer that starts at `from`; undefined if the buffer does not contain
 * all of them.
 */
const sliceIfContained = (buffer: Buffer, from: number, at: number, length: number) =>
  at >= from && at + length <= from + buffer.length
    ? buffer.subarray(at - from, at - from + length)
    : undefined

const endedEarlyError = () => new Error('The file ended before the bytes that it had.')

/** Size of the pieces that large frames are sent in. */
const PIECE_BYTES = 256 * 1024

/**
 * Sends bytes of files through one piece of memory: to allocate memory for all of a mammogram takes
 * longer than to read it.
 */
export class PieceSender {
  readonly #write: (piece: Buffer) => Promise<void>
  readonly #memory = Buffer.allocUnsafe(PIECE_BYTES)

  /** @param write resolves when the memory of the piece may be used again */
  constructor(write: (piece: Buffer) => Promise<void>) {
    this.#write = write
  }

  /** @throws errors of the disk and of `write` */
  async send(source: DiskSource, { at, length }: FileSpan): Promise<void> {
    for (let sent = 0; sent < length; ) {
      const piece = this.#memory.subarray(0, Math.min(PIECE_BYTES, length - sent))
      await source.fill(piece, at + sent)
      await this.#write(piece)
      sent += piece.length
    }
  }
}

/** A DICOM file on disk that images are read from. */
export class OpenFile implements AsyncDisposable {
  readonly handle: FileHandle
  readonly source: DiskSource
  readonly viewed

  constructor(handle: FileHandle, length: number, isWhole: boolean) {
    this.handle = handle
    this.source = new DiskSource(handle, length, isWhole)
    this.viewed = new ViewedFile(this.source)
  }

  /**
   * Opens a complete file and prefetches its header.
   * @throws errors of the disk
   */
  static async open(path: string): Promise<OpenFile> {
    const handle = await open(path, 'r')
    try {
      const file = new OpenFile(handle, (await handle.stat()).size, true)
      await file.source.prefetch()
      return file
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.handle.close()
  }
}

/**
 * A file that is being downloaded. Its header and frames are available as soon as their bytes are.
 */
export class GrowingFile extends OpenFile {
  #isDeflated: boolean | undefined

  constructor(handle: FileHandle) {
    super(handle, 0, false)
  }

  /**
   * Whether the file is deflated; undefined if too few bytes are available.
   * @throws ViewedFileFault: it is not a DICOM file
   */
  isDeflated(): boolean | undefined {
    this.#isDeflated ??= isDeflated(this.source)
    return this.#isDeflated
  }

  async write(chunk: Buffer): Promise<void> {
    const { length } = this.source
    for (let written = 0; written < chunk.length; )
      written += (await this.handle.write(chunk, written, chunk.length - written, length + written))
        .bytesWritten
    this.source.length += chunk.length
  }

  /** Marks the file as complete. */
  end(): void {
    this.source.isWhole = true
  }
}

interface Entry {
  readonly opening: Promise<OpenFile>
  users: number
  isDropped: boolean
}

const MAX_OPEN_FILES = 48

/** A cache of open files; the least recently used are closed. */
export class OpenFiles {
  readonly #entries = new Map<string, Entry>()

  /**
   * Runs `work` on a file, which is opened if necessary and stays open until `work` has finished.
   * @throws errors of the disk and of `work`
   */
  async use<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const entries = this.#entries
    const entry = entries.get(path) ?? { opening: OpenFile.open(path), users: 0, isDropped: false }
    // Moved to the end: the least recently used file is closed first.
    entries.delete(path)
    entries.set(path, entry)
    entry.users++
    try {
      return await work(await entry.opening)
    } catch (error) {
      if (entries.get(path) === entry) this.drop(path)
      throw error
    } finally {
      entry.users--
      closeIfUnused(entry)
      for (const [oldest, { users }] of entries) {
        if (entries.size <= MAX_OPEN_FILES) break
        if (users === 0) this.drop(oldest)
      }
    }
  }

  /** Closes a file that was deleted or changed. */
  drop(path: string): void {
    const entry = this.#entries.get(path)
    if (!entry) return
    this.#entries.delete(path)
    entry.isDropped = true
    closeIfUnused(entry)
  }

  /**
   * Closes the files that were deleted: while they are open, the disk keeps their content.
   */
  dropDeleted(): void {
    for (const path of this.#entries.keys()) if (!existsSync(path)) this.drop(path)
  }

  close(): void {
    for (const path of this.#entries.keys()) this.drop(path)
  }
}

function closeIfUnused({ opening, users, isDropped }: Entry): void {
  if (isDropped && users === 0)
    opening
      .then((file) => file[Symbol.asyncDispose]())
      .catch(() => undefined /* It was never open, or the disk is gone. */)
}

const CHUNK_BYTES = 1 << 20

/** Whether two files have the same content. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  await using first = await open(one, 'r')
  await using second = await open(other, 'r')
  if ((await first.stat()).size !== (await second.stat()).size) return false
  const [piece, otherPiece] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)]
  for (let at = 0; ; at += CHUNK_BYTES) {
    const { bytesRead } = await first.read(piece, 0, CHUNK_BYTES, at)
    const { bytesRead: otherRead } = await second.read(otherPiece, 0, CHUNK_BYTES, at)
    if (bytesRead !== otherRead || piece.compare(otherPiece, 0, otherRead, 0, bytesRead) !== 0)
      return false
    if (bytesRead < CHUNK_BYTES) return true
  }
}
