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
