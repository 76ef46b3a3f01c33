/** A call that several may wait for. */
interface Flight<T> {
  readonly result: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/**
 * Work that is done once for all who ask for it while it is under way. Who stops waiting leaves the
 * others waiting; the last one to stop aborts the work, by the signal that the work was given.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()

  isUnderWay(key: string): boolean {
    return this.#flights.has(key)
  }

  /** Joins the work of that key, or begins it. Rejects as it does, or with the reason of `signal`. */
  async join(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted()
    const flight = this.#flights.get(key) ?? this.#begin(key, work)
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(signal.reason)
    flight.waiting++
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([flight.result, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--flight.waiting === 0) {
        this.#close(key, flight)
        flight.controller.abort(signal.reason)
      }
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const flight: Flight<T> = { result: work(controller.signal), controller, waiting: 0 }
    this.#flights.set(key, flight)
    // Handles a rejection for which nobody waits any more.
    const close = () => this.#close(key, flight)
    flight.result.then(close, close)
    return flight
  }

  /** Nobody joins any more. */
  #close(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
  }
}
