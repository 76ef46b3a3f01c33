/**
 * Buffers of one size that are filled, sent and used again, so that a busy server makes no garbage
 * of its answers.
 */
export interface SlicePool {
  /** At least `length` bytes, cut to it; its content is whatever it was. */
  take(length: number): Buffer
  /** The slice with `more` behind it, as one where the memory of the slice has the room. */
  extend(slice: Buffer, more: Buffer): readonly Buffer[]
  /** Only what came from `take` and is in nobody's hands any more. */
  give(slice: Buffer): void
}

/** Keeps at most `kept` buffers of `size` bytes; longer slices are made for the occasion. */
export function createSlicePool(size: number, kept = 16): SlicePool {
  const free: ArrayBufferLike[] = []
  return {
    take: (length) =>
      length > size
        ? Buffer.allocUnsafeSlow(length)
        : Buffer.from(free.pop() ?? new ArrayBuffer(size), 0, length),
    extend(slice, more) {
      const { buffer, length } = slice
      if (buffer.byteLength !== size || length + more.length > size) return [slice, more]
      const extended = Buffer.from(buffer, 0, length + more.length)
      more.copy(extended, length)
      return [extended]
    },
    give({ buffer }) {
      if (buffer.byteLength === size && free.length < kept) free.push(buffer)
    },
  }
}
