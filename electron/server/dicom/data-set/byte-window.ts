import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

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

const CHUNK = 64 << 10

/** Small pieces of a source, read in larger ones. */
export class ByteWindow {
  readonly #source: ByteSource
  #chunk: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** A view, good until the next call. @throws {BytesMissing} */
  bytes(at: number, length: number): Buffer {
    if (at < this.#start || at + length > this.#start + this.#chunk.length) {
      const more = Math.max(length, Math.min(CHUNK, this.#source.length - at))
      this.#chunk = readWhole(this.#source, at, more)
      this.#start = at
    }
    return this.#chunk.subarray(at - this.#start, at - this.#start + length)
  }

  /** Keeps nothing in memory until it is used again. */
  release(): void {
    this.#chunk = Buffer.alloc(0)
  }
}

/**
 * `length` bytes from `at` on, for the caller to keep. @throws {BytesMissing} @throws
 * {ViewedFileFault} where the source has become shorter
 */
export function readWhole(source: ByteSource, at: number, length: number): Buffer {
  if (at + length > source.length) throw new BytesMissing(at + length)
  const bytes = source.read(at, length)
  if (bytes.length < length) throw new ViewedFileFault(message('viewed-file.not-read-in-full'))
  return bytes
}

/** Bytes that can be read at any place, and that may still be coming. */
export interface ByteSource {
  /** Bytes that are there now, from the first one on. */
  readonly length: number
  /** No more will come. */
  readonly isWhole: boolean
  /** `length` bytes from `at` on, within what is there. A buffer that the caller may keep. */
  read(at: number, length: number): Buffer
}

/** What is wrong with a file that is to be looked at, for a person; without a value of the file. */
export class ViewedFileFault extends MessageError {
  override name = 'ViewedFileFault'
}
