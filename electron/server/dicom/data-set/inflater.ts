import { constants, inflateRawSync } from 'node:zlib'

/** The first bytes of a deflated data set (PS3.5 A.5), inflated as they come. */
export interface Inflater {
  /**
   * Takes compressed bytes; gives what has become readable since. @throws where they cannot be
   * inflated or are too many.
   */
  push(bytes: Buffer): Buffer
  /** What the bytes so far still hold. @throws as `push` does. */
  end(): Buffer
}

const FIRST = 4096
const NOTHING = Buffer.alloc(0)

/**
 * Inflates the beginning again each time four times as much is there: a header is found in the
 * first kilobytes, and one call of the platform's synchronous inflation is all that is documented
 * to give what a stream holds so far.
 */
export function createInflater(limits: {
  readonly deflatedBytes: number
  readonly inflatedBytes: number
}): Inflater {
  let pieces: Buffer[] = []
  let length = 0
  let next = FIRST
  let given = 0

  function inflate(): Buffer {
    const compressed = Buffer.concat(pieces)
    pieces = [compressed]
    const inflated = inflateRawSync(compressed, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: limits.inflatedBytes,
    })
    const fresh = inflated.subarray(given)
    given = inflated.length
    return fresh
  }

  return {
    push(bytes) {
      if (length >= limits.deflatedBytes)
        throw new RangeError('too many bytes before the end of the header')
      // A copy: the bytes belong to the connection.
      pieces.push(Buffer.from(bytes.subarray(0, limits.deflatedBytes - length)))
      length += bytes.length
      if (length < next) return NOTHING
      while (next <= length) next *= 4
      return inflate()
    },
    end: () => (length === 0 ? NOTHING : inflate()),
  }
}
