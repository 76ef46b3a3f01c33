import type { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'

/** The association ended before the data set did: there is nobody left to answer. */
export class DataSetCutOff extends Error {
  override name = 'DataSetCutOff'
}

/**
 * A data set on its way from the network to the service that keeps it, while it is still arriving.
 */
export interface DataSetStream {
  /**
   * For the service, once. Each turn gives what has come, a slice or more of it; throws
   * {@link DataSetCutOff} where the association ends first.
   */
  readonly fragments: AsyncIterable<readonly Buffer[]>
  /** Takes a copy: the network's own buffer is free again at once. */
  push(data: Buffer): void
  end(): void
  /** No more will come, and what came is not whole. */
  cutOff(): void
  /** Bytes that have come and that the service has not taken. */
  readonly waitingBytes: number
  /** Bytes that have come, dropped ones too. */
  readonly receivedBytes: number
  /** The service waits for the peer. */
  readonly isStarved: boolean
  /**
   * The service takes no more: what still comes is dropped. Resolves when the last of it, or the
   * end of the association, has come.
   */
  discard(): Promise<void>
}

/**
 * Slices are `sliceBytes` long, the last one shorter; `eased` is called when the service has taken
 * what waited, or waits for more.
 */
export function createDataSetStream(
  slices: SlicePool,
  sliceBytes: number,
  eased: () => void,
): DataSetStream {
  const over = Promise.withResolvers<void>()
  /** Full ones, and behind them the one that is being filled. */
  let full: Buffer[] = []
  let filling: Buffer | undefined
  let filled = 0
  let state: 'open' | 'ended' | 'cut-off' = 'open'
  let isDiscarding = false
  let receivedBytes = 0
  let starved: PromiseWithResolvers<void> | undefined

  function finish(how: 'ended' | 'cut-off'): void {
    if (state !== 'open') return
    state = how
    if (how === 'ended' && filling) full.push(filling.subarray(0, filled))
    filling = undefined
    filled = 0
    over.resolve()
    starved?.resolve()
  }

  async function next(): Promise<IteratorResult<readonly Buffer[], undefined>> {
    while (full.length === 0 && state === 'open') {
      starved = Promise.withResolvers()
      eased()
      await starved.promise
      starved = undefined
    }
    if (state === 'cut-off') throw new DataSetCutOff('the association ended within the data set')
    if (full.length === 0) return { done: true, value: undefined }
    const value = full
    full = []
    eased()
    return { done: false, value }
  }

  return {
    fragments: { [Symbol.asyncIterator]: () => ({ next }) },
    push(data) {
      receivedBytes += data.length
      if (isDiscarding) return
      for (let at = 0; at < data.length; ) {
        filling ??= slices.take(sliceBytes)
        const copied = data.copy(filling, filled, at)
        at += copied
        filled += copied
        if (filled < filling.length) continue
        full.push(filling)
        filling = undefined
        filled = 0
      }
      if (full.length > 0) starved?.resolve()
    },
    end: () => finish('ended'),
    cutOff: () => finish('cut-off'),
    get waitingBytes() {
      return full.reduce((sum, { length }) => sum + length, 0)
    },
    get receivedBytes() {
      return receivedBytes
    },
    get isStarved() {
      return state === 'open' && (starved !== undefined || isDiscarding)
    },
    discard() {
      isDiscarding = true
      for (const slice of full) slices.give(slice)
      full = []
      filling = undefined
      filled = 0
      eased()
      return over.promise
    },
  }
}
