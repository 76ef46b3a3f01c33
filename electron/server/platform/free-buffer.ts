/**
 * Frees the memory of a buffer immediately instead of at the next garbage collection: V8 collects
 * its whole heap after some megabytes of buffers, which takes longer than what they were used for.
 * There must be no other view of it; a part of a shared buffer is ignored.
 */
export function freeBuffer({ buffer, byteOffset, byteLength }: Buffer): void {
  if (byteOffset !== 0 || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return
  // ECMA-262 25.1.6.7: the transferred buffer is detached, and the new one is empty.
  buffer.transfer(0)
}
