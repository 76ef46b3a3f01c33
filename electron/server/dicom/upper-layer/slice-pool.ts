/**
 * A pool of buffers of equal size, so that a busy server creates no garbage. At most `kept` free
 * buffers are kept; longer slices are allocated separately.
 */
export class SlicePool {
  readonly #size: number
  readonly #kept: number
  readonly #freeBuffers: ArrayBufferLike[] = []

  constructor(size: number, kept = 16) {
    this.#size = size
    this.#kept = kept
  }

  /** A slice of `length` bytes with undefined content. */
  take(length: number): Buffer {
    return length > this.#size
      ? Buffer.allocUnsafeSlow(length)
      : Buffer.from(this.#freeBuffers.pop() ?? new ArrayBuffer(this.#size), 0, length)
  }

  /** Appends `more` to the slice; returns one slice if its memory has room, otherwise both. */
  extend(slice: Buffer, more: Buffer): readonly Buffer[] {
    const { buffer, length } = slice
    if (buffer.byteLength !== this.#size || length + more.length > this.#size) return [slice, more]
    const extended = Buffer.from(buffer, 0, length + more.length)
    more.copy(extended, length)
    return [extended]
  }

  /** Returns a slice from `take` to the pool. The caller must no longer use it. */
  give({ buffer }: Buffer): void {
    if (buffer.byteLength === this.#size && this.#freeBuffers.length < this.#kept)
      this.#freeBuffers.push(buffer)
  }
}
