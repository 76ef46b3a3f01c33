import { ViewedFileFault } from '#server/dicom/pixel-data/viewed-file-fault.ts'
import type { ByteSource } from './byte-source.ts'

/** Bytes that are wanted are not there: not yet, or never. */
export class BytesMissing extends Error {
  override name = 'BytesMissing'
  /** What the length of the source would have to be. */
  readonly until: number
  constructor(until: number) {
    super('bytes are missing')
    this.until = until
  }
}

/** Small pieces of a source, read in larger ones. */
export interface ByteWindow {
  /** A view, good until the next call. @throws {BytesMissing} */
  bytes(at: number, length: number): Buffer
  /** Keeps nothing in memory until it is used again. */
  release(): void
}

const CHUNK = 64 << 10

export function openByteWindow(source: ByteSource): ByteWindow {
  let chunk: Buffer = Buffer.alloc(0)
  let start = 0
  return {
    bytes(at, length) {
      if (at < start || at + length > start + chunk.length) {
        chunk = readWhole(source, at, Math.max(length, Math.min(CHUNK, source.length - at)))
        start = at
      }
      return chunk.subarray(at - start, at - start + length)
    },
    release() {
      chunk = Buffer.alloc(0)
    },
  }
}

/**
 * `length` bytes from `at` on, for the caller to keep. @throws {BytesMissing} @throws
 * {ViewedFileFault} where the source has become shorter
 */
export function readWhole(source: ByteSource, at: number, length: number): Buffer {
  if (at + length > source.length) throw new BytesMissing(at + length)
  const bytes = source.read(at, length)
  if (bytes.length < length) throw new ViewedFileFault('It could not be read in full.')
  return bytes
}
