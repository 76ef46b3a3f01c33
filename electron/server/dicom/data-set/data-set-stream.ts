import type { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'

/** The association ended before the data set did, so no response can be sent. */
export class DataSetInterruptedError extends Error {
  override name = 'DataSetInterrupted'
}

/** A data set passed from the network to a service while it is still arriving. */
export class DataSetStream {
  readonly #slices: SlicePool
  readonly #sliceBytes: number
  readonly #onTaken: () => void
  readonly #ended = Promise.withResolvers<void>()
  /** Full slices, and the slice that is being filled. */
  #full: Buffer[] = []
  #filling: Buffer | undefined
  #filled = 0
  #state: 'open' | 'ended' | 'cut-off' = 'open'
  #isDiscarding = false
  #receivedBytes = 0
  #starved: PromiseWithResolvers<void> | undefined
  /**
   * Read by the service, once. Each iteration yields the slices received so far, at least one;
   * throws {@link DataSetInterruptedError} if the association ends first.
   */
  readonly fragments: AsyncIterable<readonly Buffer[]> = {
    [Symbol.asyncIterator]: () => ({ next: () => this.#next() }),
  }

  /**
   * @param sliceBytes length of the slices; the last one may be shorter
   * @param onTaken called when the service has taken the waiting slices, or waits for more
   */
  constructor(slices: SlicePool, sliceBytes: number, onTaken: () => void) {
    this.#slices = slices
    this.#sliceBytes = sliceBytes
    this.#onTaken = onTaken
  }

  /** Bytes received but not yet taken by the service. */
  get waitingBytes(): number {
    return this.#full.reduce((sum, { length }) => sum + length, 0)
  }

  /** Bytes received, including discarded ones. */
  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** Whether the service is waiting for data from the peer. */
  get isStarved(): boolean {
    return this.#state === 'open' && (this.#starved !== undefined || this.#isDiscarding)
  }

  /** Copies the data, so that the network buffer can be reused immediately. */
  push(data: Buffer): void {
    this.#receivedBytes += data.length
    if (this.#isDiscarding) return
    for (let at = 0; at < data.length; ) {
      this.#filling ??= this.#slices.take(this.#sliceBytes)
      const copied = data.copy(this.#filling, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled < this.#filling.length) continue
      this.#full.push(this.#filling)
      this.#filling = undefined
      this.#filled = 0
    }
    if (this.#full.length > 0) this.#starved?.resolve()
  }

  end(): void {
    this.#finish('ended')
  }

  /** Ends the stream although the data set is incomplete. */
  cutOff(): void {
    this.#finish('cut-off')
  }

  /**
   * Discards the rest of the data set. Resolves when its last byte has arrived or the association
   * has ended.
   */
  discard(): Promise<void> {
    this.#isDiscarding = true
    for (const slice of this.#full) this.#slices.give(slice)
    this.#full = []
    this.#filling = undefined
    this.#filled = 0
    this.#onTaken()
    return this.#ended.promise
  }

  #finish(how: 'ended' | 'cut-off'): void {
    if (this.#state !== 'open') return
    this.#state = how
    if (how === 'ended' && this.#filling) this.#full.push(this.#filling.subarray(0, this.#filled))
    this.#filling = undefined
    this.#filled = 0
    this.#ended.resolve()
    this.#starved?.resolve()
  }

  async #next(): Promise<IteratorResult<readonly Buffer[], undefined>> {
    while (this.#full.length === 0 && this.#state === 'open') {
      this.#starved = Promise.withResolvers()
      this.#onTaken()
      await this.#starved.promise
      this.#starved = undefined
    }
    if (this.#state === 'cut-off')
      throw new DataSetInterruptedError('the association ended within the data set')
    if (this.#full.length === 0) return { done: true, value: undefined }
    const value = this.#full
    this.#full = []
    this.#onTaken()
    return { done: false, value }
  }
}
