import fs from 'node:fs'
import { promisify } from 'node:util'
import { StorageFault, storageFault } from '#server/platform/disk-fault.ts'

const COMPARED_BYTES = 256 * 1024
/**
 * Bytes written synchronously while no other file is being received, because copying them into the
 * page cache takes less time than waking a thread. With several files, others would have to wait
 * for the file system journal; beyond this amount the cache may fill and the write may wait for the
 * disk.
 */
const MAX_SYNC_BYTES = 4 << 20

const read = promisify(fs.read)
const writev = promisify(fs.writev)
const fsync = promisify(fs.fsync)
const unlink = promisify(fs.unlink)

/** A file that is being received. Calls must not overlap. */
export interface PartFile {
  /** Bytes written so far. */
  readonly bytes: number
  /** Where it is now. */
  readonly path: string
  /** Appends all the buffers, which may be reused once it resolves. @throws StorageFault */
  write(buffers: readonly Buffer[]): Promise<void>
  /** Makes the data durable; nothing may be written or compared afterwards. @throws StorageFault */
  finish(): Promise<void>
  /**
   * Moves the file to `images/<file>`, before or after `finish`. @throws StorageFault; the file
   * must then still be discarded
   */
  place(file: string): Promise<void>
  /** Makes the new name durable. @throws StorageFault */
  secure(): Promise<void>
  /**
   * Deletes the file, wherever it is. Never throws; a file that cannot be deleted is swept after
   * the next start.
   */
  discard(): Promise<void>
}

/** Moves finished files to their destination. */
export interface PartFileStore {
  move(from: string, file: string): Promise<void>
  sync(file: string): Promise<void>
  /** Whether no other file is being received. */
  isAlone(): boolean
  /** Called when the file is finished or discarded. */
  onClosed(): void
  pathOf(file: string): string
}

/** The descriptor is closed by `finish` and `discard`. */
export class Part implements PartFile {
  #path: string
  #file: string | undefined
  /** Undefined once closed. */
  #fd: Promise<number> | undefined
  #isFinished = false
  #bytes = 0
  /**
   * The operation running on a thread. The descriptor must not be closed during it, because its
   * number could be reused for another file.
   */
  #busy: Promise<unknown> = Promise.resolve()
  readonly #places: PartFileStore

  constructor(path: string, fd: Promise<number>, places: PartFileStore) {
    this.#path = path
    this.#fd = fd.catch((error: unknown) => {
      throw storageFault('open', error)
    })
    // The next call on the file reports the error.
    this.#fd.catch(() => undefined)
    this.#places = places
  }

  get bytes(): number {
    return this.#bytes
  }

  get path(): string {
    return this.#path
  }

  write(buffers: readonly Buffer[]): Promise<void> {
    return this.#hold(this.#append(buffers))
  }

  async finish(): Promise<void> {
    if (this.#isFinished) return
    const fd = await this.#open()
    try {
      await this.#hold(fsync(fd))
    } catch (error) {
      // After a failed fsync the kernel marks the lost pages as clean, so another fsync would
      // succeed.
      await this.#close()
      throw storageFault('fsync', error)
    }
    this.#isFinished = true
    await this.#close()
  }

  async place(file: string): Promise<void> {
    try {
      await this.#places.move(this.#path, file)
    } catch (error) {
      throw storageFault('rename', error)
    }
    this.#path = this.#places.pathOf(file)
    this.#file = file
  }

  async secure(): Promise<void> {
    if (this.#file === undefined) throw new StorageFault('failed', 'The file has no name yet.')
    try {
      await this.#places.sync(this.#file)
    } catch (error) {
      throw storageFault('fsync', error)
    }
  }

  async discard(): Promise<void> {
    await this.#busy.catch(() => undefined)
    await this.#close().catch(() => undefined)
    await unlink(this.#path).catch(() => undefined)
  }

  /**
   * Like `isEqualRest`, for this file and the one with the descriptor `other`.
   * @throws StorageFault
   */
  isSame(offset: number, other: number, otherOffset: number): Promise<boolean> {
    return this.#hold(this.#compare(offset, other, otherOffset))
  }

  async #append(buffers: readonly Buffer[]): Promise<void> {
    const fd = await this.#open()
    let rest = buffers.filter((buffer) => buffer.length > 0)
    while (rest.length > 0) {
      const isSynchronous = this.#bytes < MAX_SYNC_BYTES && this.#places.isAlone()
      const bytesWritten = isSynchronous ? writeSynchronously(fd, rest) : await writeFully(fd, rest)
      this.#bytes += bytesWritten
      rest = remainingBuffers(rest, bytesWritten)
    }
  }

  async #compare(offset: number, other: number, otherOffset: number): Promise<boolean> {
    try {
      return await isEqualRest(await this.#open(), offset, other, otherOffset)
    } catch (error) {
      throw storageFault('read', error)
    }
  }

  #hold<T>(work: Promise<T>): Promise<T> {
    this.#busy = work
    return work
  }

  async #open(): Promise<number> {
    if (this.#fd === undefined) throw new StorageFault('failed', 'The file is closed.')
    return this.#fd
  }

  async #close(): Promise<void> {
    const fd = this.#fd
    if (fd === undefined) return
    this.#fd = undefined
    this.#places.onClosed()
    fs.closeSync(await fd)
  }
}

async function writeFully(fd: number, buffers: readonly Buffer[]): Promise<number> {
  try {
    return requireProgress((await writev(fd, buffers)).bytesWritten)
  } catch (error) {
    throw storageFault('write', error)
  }
}

function writeSynchronously(fd: number, buffers: readonly Buffer[]): number {
  try {
    return requireProgress(fs.writevSync(fd, buffers))
  } catch (error) {
    throw storageFault('write', error)
  }
}

function requireProgress(bytesWritten: number): number {
  if (bytesWritten === 0)
    throw new StorageFault('failed', 'The disk took nothing of what was written.')
  return bytesWritten
}

/** The rest of the buffers after `count` bytes; a nearly full disk may accept a partial write. */
function remainingBuffers(buffers: readonly Buffer[], count: number): Buffer[] {
  let skip = count
  return buffers.flatMap((buffer) => {
    const from = Math.min(skip, buffer.length)
    skip -= from
    return from === buffer.length ? [] : [buffer.subarray(from)]
  })
}

/**
 * Whether two files are identical from their offsets to their ends. False if the second file cannot
 * be read. @throws the system error if the first cannot be read
 */
export async function isEqualRest(
  one: number,
  offset: number,
  other: number,
  otherOffset: number,
): Promise<boolean> {
  const [ownBuffer, otherBuffer] = [
    Buffer.allocUnsafe(COMPARED_BYTES),
    Buffer.allocUnsafe(COMPARED_BYTES),
  ]
  for (let at = 0; ; ) {
    const own = await readFull(ownBuffer, one, offset + at)
    const found = await readFull(otherBuffer, other, otherOffset + at).catch(() => undefined)
    if (!found?.equals(own)) return false
    if (own.length === 0) return true
    at += own.length
  }
}

/** Reads at `position` until the buffer is full or the file ends. */
export async function readFull(buffer: Buffer, fd: number, position: number): Promise<Buffer> {
  for (let at = 0; ; ) {
    // `bytesRead` is 0 at the end of the file and when the buffer is full.
    const { bytesRead } = await read(fd, buffer, at, buffer.length - at, position + at)
    if (bytesRead === 0) return buffer.subarray(0, at)
    at += bytesRead
  }
}
