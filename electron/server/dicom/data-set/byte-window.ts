import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/** The required bytes are not available, either not yet or never. */
export class MissingBytesError extends Error {
  override name = 'BytesMissing'
  /** The length the source must have to contain them. */
  readonly requiredLength: number
  constructor(requiredLength: number) {
    super('bytes are missing')
    this.requiredLength = requiredLength
  }
}

const CHUNK_BYTES = 64 << 10

/** Serves small reads of a source from larger buffered reads. */
export class ByteWindow {
  readonly #source: ByteSource
  #chunk: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** Returns a view that is valid until the next call. @throws {MissingBytesError} */
  bytes(at: number, length: number): Buffer {
    if (at < this.#start || at + length > this.#start + this.#chunk.length) {
      const readLength = Math.max(length, Math.min(CHUNK_BYTES, this.#source.length - at))
      this.#chunk = readWhole(this.#source, at, readLength)
      this.#start = at
    }
    return this.#chunk.subarray(at - this.#start, at - this.#start + length)
  }

  /** Frees the buffer until the next read. */
  release(): void {
    this.#chunk = Buffer.alloc(0)
  }
}

/**
 * Reads `length` bytes at `at` into a buffer that the caller may keep. @throws {MissingBytesError}
 * @throws {ViewedFileFault} if the source has become shorter
 */
export function readWhole(source: ByteSource, at: number, length: number): Buffer {
  if (at + length > source.length) throw new MissingBytesError(at + length)
  const bytes = source.read(at, length)
  if (bytes.length < length) throw new ViewedFileFault(message('viewed-file.not-read-in-full'))
  return bytes
}

/** A random-access source that may still be growing. */
export interface ByteSource {
  /** Number of bytes available now, from the start. */
  readonly length: number
  /** Whether the source is complete. */
  readonly isWhole: boolean
  /** Reads `length` bytes at `at`, which must be available. The caller may keep the buffer. */
  read(at: number, length: number): Buffer
}

/** A fault of a file being viewed, explained to the user without quoting a value of the file. */
export class ViewedFileFault extends MessageError {
  override name = 'ViewedFileFault'
}
