/**
 * Buffers of one size that are filled, sent and used again, so that a busy server makes no garbage
 * of its answers. At most `kept` are kept; longer slices are made for the occasion.
 */
export class SlicePool {
  readonly #size: number
  readonly #kept: number
  readonly #free: ArrayBufferLike[] = []

  constructor(size: number, kept = 16) {
    this.#size = size
    this.#kept = kept
  }

  /** At least `length` bytes, cut to it; its content is whatever it was. */
  take(length: number): Buffer {
    return length > this.#size
      ? Buffer.allocUnsafeSlow(length)
      : Buffer.from(this.#free.pop() ?? new ArrayBuffer(this.#size), 0, length)
  }

  /** The slice with `more` behind it, as one where the memory of the slice has the room. */
  extend(slice: Buffer, more: Buffer): readonly Buffer[] {
    const { buffer, length } = slice
    if (buffer.byteLength !== this.#size || length + more.length > this.#size) return [slice, more]
    const extended = Buffer.from(buffer, 0, length + more.length)
    more.copy(extended, length)
    return [extended]
  }

  /** Takes back what came from `take`, once nobody reads it any more. */
  give({ buffer }: Buffer): void {
    if (buffer.byteLength === this.#size && this.#free.length < this.#kept) this.#free.push(buffer)
  }
}

/**
 * Gives the memory of a buffer back now instead of at a garbage collection. Nobody may have a view
 * of it; a part of a shared one is left alone.
 */
export function freeBuffer({ buffer, byteOffset, byteLength }: Buffer): void {
  if (byteOffset !== 0 || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return
  // ECMA-262 25.1.6.7: the buffer that is left has no memory, and the new one none either.
  buffer.transfer(0)
}
