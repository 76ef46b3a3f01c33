/** A call that several callers wait for. */
interface Flight<T> {
  readonly result: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/**
 * Runs work once for all callers that request it while it is in progress. A caller that stops
 * waiting does not affect the others; when the last one stops, the work is aborted through its
 * signal.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()

  isInProgress(key: string): boolean {
    return this.#flights.has(key)
  }

  /**
   * Joins the work of that key, or starts it. Rejects as the work does, or with the abort reason of
   * `signal`.
   */
  async join(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted()
    const flight = this.#flights.get(key) ?? this.#start(key, work)
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

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const flight: Flight<T> = { result: work(controller.signal), controller, waiting: 0 }
    this.#flights.set(key, flight)
    // Handles a rejection that no caller waits for any more.
    const close = () => this.#close(key, flight)
    flight.result.then(close, close)
    return flight
  }

  /** Prevents further callers from joining. */
  #close(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
  }
}
