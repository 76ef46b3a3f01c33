import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { ByteSource } from '#server/dicom/pixel-data/viewed-file.ts'

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

/** A file on disk, also one that is still being written. The handle is the caller's to close. */
export interface DiskSource extends ByteSource {
  /** Fetches the head of the file, so that a header is read without waiting for the disk. */
  prefetch(): Promise<void>
  /** As `read`, without holding up the event loop. */
  fetch(at: number, length: number): Promise<Buffer>
}

export function diskSource(handle: FileHandle, extent: Extent): DiskSource {
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
    read(at, length) {
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
    async prefetch() {
      const length = Math.min(HEAD_BYTES, extent.length)
      if (head.length < length) head = await fetchFrom(handle, 0, length)
    },
    fetch: (at, length) => fetchFrom(handle, at, length),
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
