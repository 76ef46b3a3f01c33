/** The association ended before the data set did: there is nobody left to answer. */
export class DataSetCutOff extends Error {
  override name = 'DataSetCutOff'
}

/** A data set on its way from the network to the service that keeps it, while it is still arriving. */
export interface DataSetStream {
  /** For the service, once. Each turn gives all that has come; throws {@link DataSetCutOff} where the association ends first. */
  readonly fragments: AsyncIterable<readonly Buffer[]>
  push(data: Buffer): void
  end(): void
  /** No more will come, and what came is not whole. */
  cutOff(): void
  /** Bytes that have come and that the service has not taken. */
  readonly waitingBytes: number
  /** The service waits for the peer. */
  readonly isStarved: boolean
  /** The service takes no more: what still comes is dropped. Resolves when the last of it, or the end of the association, has come. */
  discard(): Promise<void>
}

/** `eased` is called when the service has taken what waited, or waits for more. */
export function createDataSetStream(eased: () => void): DataSetStream {
  const over = Promise.withResolvers<void>()
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let state: 'open' | 'ended' | 'cut-off' = 'open'
  let isDiscarding = false
  let starved: PromiseWithResolvers<void> | undefined

  function finish(how: 'ended' | 'cut-off'): void {
    if (state !== 'open') return
    state = how
    over.resolve()
    starved?.resolve()
  }

  async function next(): Promise<IteratorResult<readonly Buffer[], undefined>> {
    while (waiting.length === 0 && state === 'open') {
      starved = Promise.withResolvers()
      eased()
      await starved.promise
      starved = undefined
    }
    if (state === 'cut-off') throw new DataSetCutOff('the association ended within the data set')
    if (waiting.length === 0) return { done: true, value: undefined }
    const value = waiting
    waiting = []
    waitingBytes = 0
    eased()
    return { done: false, value }
  }

  return {
    fragments: { [Symbol.asyncIterator]: () => ({ next }) },
    push(data) {
      if (isDiscarding) return
      waiting.push(data)
      waitingBytes += data.length
      starved?.resolve()
    },
    end: () => finish('ended'),
    cutOff: () => finish('cut-off'),
    get waitingBytes() {
      return waitingBytes
    },
    get isStarved() {
      return state === 'open' && (starved !== undefined || isDiscarding)
    },
    discard() {
      isDiscarding = true
      waiting = []
      waitingBytes = 0
      eased()
      return over.promise
    },
  }
}
