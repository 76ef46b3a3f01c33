import { readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import { isDeflated, ViewedFile } from '#server/dicom/pixel-data/viewed-file.ts'

/** Most headers are shorter. */
const HEAD_BYTES = 64 * 1024
/**
 * Read at once around what is asked for: headers and item tags are asked for a few bytes at a time.
 */
const WINDOW_BYTES = 4096

/** A file on disk, also one that is still being written. The handle is the caller's to close. */
export class DiskSource implements ByteSource {
  readonly #handle: FileHandle
  #head: Buffer = Buffer.alloc(0)
  #window: Buffer = Buffer.alloc(0)
  #windowAt = 0
  length: number
  isWhole: boolean

  /** @param length bytes that are there @param isWhole no more will come */
  constructor(handle: FileHandle, length: number, isWhole: boolean) {
    this.#handle = handle
    this.length = length
    this.isWhole = isWhole
  }

  read(at: number, length: number): Buffer {
    const ready =
      within(this.#head, 0, at, length) ?? within(this.#window, this.#windowAt, at, length)
    if (ready) return Buffer.from(ready)
    if (length >= WINDOW_BYTES) return this.#readNow(at, length)
    this.#window = this.#readNow(at, Math.max(length, Math.min(WINDOW_BYTES, this.length - at)))
    this.#windowAt = at
    return Buffer.from(this.#window.subarray(0, length))
  }

  /** Reads the beginning of the file without holding up the event loop. */
  async prefetch(): Promise<void> {
    const length = Math.min(HEAD_BYTES, this.length)
    if (this.#head.length < length) this.#head = await this.fetch(0, length)
  }

  /** As `read`, without holding up the event loop. */
  async fetch(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length; ) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, at + filled)
      if (bytesRead === 0) throw endedEarly()
      filled += bytesRead
    }
    return bytes
  }

  #readNow(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length; ) {
      const count = readSync(this.#handle.fd, bytes, filled, length - filled, at + filled)
      if (count === 0) throw endedEarly()
      filled += count
    }
    return bytes
  }
}

/** The bytes of the file that the buffer, which begins at `from`, holds; undefined: not all. */
const within = (buffer: Buffer, from: number, at: number, length: number) =>
  at >= from && at + length <= from + buffer.length
    ? buffer.subarray(at - from, at - from + length)
    : undefined

const endedEarly = () => new Error('The file ended before the bytes that it had.')

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

  /** A whole file, with its header at hand. @throws the disk's errors */
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

/** A file that is still coming: its header and frames are there as soon as their bytes are. */
export class GrowingFile extends OpenFile {
  #isDeflated: boolean | undefined

  constructor(handle: FileHandle) {
    super(handle, 0, false)
  }

  /**
   * Whether it is to be inflated before anything of it can be read; undefined while too little of
   * it is there. @throws ViewedFileFault: it is no DICOM file
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

  /** No more will come. */
  end(): void {
    this.source.isWhole = true
  }
}

interface Entry {
  readonly opening: Promise<OpenFile>
  users: number
  isOver: boolean
}

const MOST_OPEN = 48

/** Files that frames are read from, the last used of them kept open. */
export class OpenFiles {
  readonly #entries = new Map<string, Entry>()

  /**
   * Opens the file, or takes the one that is open; it stays so until `work` is over. @throws the
   * disk's errors; what `work` throws
   */
  async use<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const entries = this.#entries
    const entry = entries.get(path) ?? { opening: OpenFile.open(path), users: 0, isOver: false }
    // The last used one is the last to be closed.
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
      closeUnused(entry)
      for (const [oldest, { users }] of entries) {
        if (entries.size <= MOST_OPEN) break
        if (users === 0) this.drop(oldest)
      }
    }
  }

  /** The file is deleted, or was changed. */
  drop(path: string): void {
    const entry = this.#entries.get(path)
    if (!entry) return
    this.#entries.delete(path)
    entry.isOver = true
    closeUnused(entry)
  }

  close(): void {
    for (const path of this.#entries.keys()) this.drop(path)
  }
}

function closeUnused({ opening, users, isOver }: Entry): void {
  if (isOver && users === 0)
    opening
      .then((file) => file[Symbol.asyncDispose]())
      .catch(() => undefined /* It was never open, or the disk is gone. */)
}

const PIECE = 1 << 20

/** Whether two files hold the same bytes. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  await using first = await open(one, 'r')
  await using second = await open(other, 'r')
  if ((await first.stat()).size !== (await second.stat()).size) return false
  const [piece, otherPiece] = [Buffer.allocUnsafe(PIECE), Buffer.allocUnsafe(PIECE)]
  for (let at = 0; ; at += PIECE) {
    const { bytesRead } = await first.read(piece, 0, PIECE, at)
    const { bytesRead: otherRead } = await second.read(otherPiece, 0, PIECE, at)
    if (bytesRead !== otherRead || piece.compare(otherPiece, 0, otherRead, 0, bytesRead) !== 0)
      return false
    if (bytesRead < PIECE) return true
  }
}
