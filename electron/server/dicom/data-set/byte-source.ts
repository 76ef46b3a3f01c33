/** Bytes that can be read at any place, and that may still be coming. */
export interface ByteSource {
  /** Bytes that are there now, from the first one on. */
  readonly length: number
  /** No more will come. */
  readonly isWhole: boolean
  /** `length` bytes from `at` on, within what is there. A buffer that the caller may keep. */
  read(at: number, length: number): Buffer
}
