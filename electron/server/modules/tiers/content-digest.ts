import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Checksums of a file while it is copied. */
export class ContentDigest {
  readonly #sha256 = createHash('sha256')
  readonly #dataSetOffset: number
  #bytes = 0
  #crc32 = 0

  /** @param dataSetOffset where the data set begins, to which the CRC-32 applies */
  constructor(dataSetOffset: number) {
    this.#dataSetOffset = dataSetOffset
  }

  update(chunk: Buffer): void {
    this.#sha256.update(chunk)
    const from = Math.max(0, this.#dataSetOffset - this.#bytes)
    if (from < chunk.length) this.#crc32 = crc32(chunk.subarray(from), this.#crc32)
    this.#bytes += chunk.length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether the file is the one that was received. */
  matches(received: { readonly bytes: number; readonly crc32: number }): boolean {
    return this.#bytes === received.bytes && this.#crc32 === received.crc32
  }

  /** Ends the calculation. */
  sha256(): Buffer {
    return this.#sha256.digest()
  }
}
