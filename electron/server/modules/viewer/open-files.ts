import { readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import {
  isDeflated,
  openViewedFile,
  type ViewedFile,
} from '#server/dicom/pixel-data/viewed-file.ts'

/** Most headers are shorter. */
const HEAD_BYTES = 64 * 1024
/**
 * Read at once around what is asked for: headers and item tags are asked for a few bytes at a time.
 */
const WINDOW_BYTES = 4096

/** How much of a file is there: all of it, or what has come so far. */
export interface Extent {
  readonly length: number
  readonly isWhole: boolean
}

export type DiskSource = ReturnType<typeof diskSource>

/** A file on disk, also one that is still being written. The handle is the caller's to close. */
export function diskSource(handle: FileHandle, extent: Extent) {
  let head: Buffer = Buffer.alloc(0)
  let window = { at: 0, bytes: Buffer.alloc(0) as Buffer }

  function readNow(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const count = readSync(handle.fd, bytes, filled, length - filled, at + filled)
      if (count === 0) throw endedEarly()
      filled += count
    }
    return bytes
  }

  return {
    get length() {
      return extent.length
    },
    get isWhole() {
      return extent.isWhole
    },
    read(at: number, length: number): Buffer {
      for (const { from, bytes } of [
        { from: 0, bytes: head },
        { from: window.at, bytes: window.bytes },
      ])
        if (at >= from && at + length <= from + bytes.length)
          return Buffer.from(bytes.subarray(at - from, at - from + length))
      if (length >= WINDOW_BYTES) return readNow(at, length)
      window = {
        at,
        bytes: readNow(at, Math.max(length, Math.min(WINDOW_BYTES, extent.length - at))),
      }
      return Buffer.from(window.bytes.subarray(0, length))
    },
    /** Fetches the head of the file, so that a header is read without waiting for the disk. */
    async prefetch(): Promise<void> {
      const length = Math.min(HEAD_BYTES, extent.length)
      if (head.length < length) head = await fetchFrom(handle, 0, length)
    },
    /** As `read`, without holding up the event loop. */
    fetch: (at: number, length: number) => fetchFrom(handle, at, length),
  }
}

async function fetchFrom(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, at + filled)
    if (bytesRead === 0) throw endedEarly()
    filled += bytesRead
  }
  return bytes
}

const endedEarly = () => new Error('The file ended before the bytes that it had.')

export type GrowingFile = ReturnType<typeof growingFile>

/** A file that is still coming: its header and frames are there as soon as their bytes are. */
export function growingFile(handle: FileHandle) {
  const extent = { length: 0, isWhole: false }
  const source = diskSource(handle, extent)
  let deflated: boolean | undefined
  return {
    source,
    viewed: openViewedFile(source),
    get length() {
      return extent.length
    },
    /**
     * Whether it is to be inflated before anything of it can be read; undefined while too little of
     * it is there. @throws ViewedFileFault: it is no DICOM file
     */
    isDeflated: () => {
      deflated ??= isDeflated(source)
      return deflated
    },
    async write(chunk: Buffer): Promise<void> {
      for (let written = 0; written < chunk.length; )
        written += (
          await handle.write(chunk, written, chunk.length - written, extent.length + written)
        ).bytesWritten
      extent.length += chunk.length
    },
    /** No more will come. */
    end() {
      extent.isWhole = true
    },
  }
}

/** A whole file on disk, with its header at hand. */
export interface OpenFile {
  readonly source: DiskSource
  readonly viewed: ViewedFile
}

interface Entry {
  readonly opening: Promise<{ readonly handle: FileHandle; readonly file: OpenFile }>
  users: number
  isOver: boolean
}

const MOST_OPEN = 48

export type OpenFiles = ReturnType<typeof openFiles>

/** Files that frames are read from, the last used of them kept open. */
export function openFiles(most = MOST_OPEN) {
  const entries = new Map<string, Entry>()

  async function opened(path: string) {
    const handle = await open(path, 'r')
    try {
      const { size } = await handle.stat()
      const source = diskSource(handle, { length: size, isWhole: true })
      await source.prefetch()
      return { handle, file: { source, viewed: openViewedFile(source) } }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  function closeUnused(entry: Entry): void {
    if (entry.isOver && entry.users === 0)
      entry.opening
        .then(({ handle }) => handle.close())
        .catch(() => undefined /* It was never open, or the disk is gone. */)
  }

  /** The file goes, or was changed. */
  function drop(path: string): void {
    const entry = entries.get(path)
    if (!entry) return
    entries.delete(path)
    entry.isOver = true
    closeUnused(entry)
  }

  return {
    /**
     * Opens the file, or takes the one that is open; it stays so until `work` is over. @throws the
     * disk's errors; what `work` throws
     */
    async use<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T> {
      const entry = entries.get(path) ?? { opening: opened(path), users: 0, isOver: false }
      // The last used one is the last to go.
      entries.delete(path)
      entries.set(path, entry)
      entry.users++
      try {
        const { file } = await entry.opening
        return await work(file)
      } catch (error) {
        if (entries.get(path) === entry) drop(path)
        throw error
      } finally {
        entry.users--
        closeUnused(entry)
        for (const [oldest, { users }] of entries) {
          if (entries.size <= most) break
          if (users === 0) drop(oldest)
        }
      }
    },
    drop,
    close() {
      for (const path of [...entries.keys()]) drop(path)
    },
  }
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
    if (
      bytesRead !== otherRead ||
      !piece.subarray(0, bytesRead).equals(otherPiece.subarray(0, bytesRead))
    )
      return false
    if (bytesRead < PIECE) return true
  }
}
