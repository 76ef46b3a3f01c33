/** One piece of work that several may wait for. */
interface Flight<T> {
  readonly landed: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/**
 * Work that is done once for all who ask for it meanwhile. Who stops waiting leaves the others
 * waiting; the last one who does takes the work with it, by the signal the work was given.
 */
export function openFlights<T>() {
  const flights = new Map<string, Flight<T>>()

  function depart(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const flight: Flight<T> = { landed: work(controller.signal), controller, waiting: 0 }
    flights.set(key, flight)
    // Everybody who waits hears of a failure; when nobody does any more, nobody has to.
    const land = () => close(key, flight)
    flight.landed.then(land, land)
    return flight
  }

  /** Nobody joins any more. */
  function close(key: string, flight: Flight<T>): void {
    if (flights.get(key) === flight) flights.delete(key)
  }

  return {
    /** Whether somebody is at that work now. */
    isUnderWay: (key: string): boolean => flights.has(key),

    /**
     * Joins the work of that key, or begins it. Rejects as it does, or with the reason of `signal`.
     */
    async join(
      key: string,
      work: (signal: AbortSignal) => Promise<T>,
      signal: AbortSignal,
    ): Promise<T> {
      signal.throwIfAborted()
      const flight = flights.get(key) ?? depart(key, work)
      const left = Promise.withResolvers<never>()
      const leave = () => left.reject(signal.reason)
      flight.waiting++
      signal.addEventListener('abort', leave, { once: true })
      try {
        return await Promise.race([flight.landed, left.promise])
      } finally {
        signal.removeEventListener('abort', leave)
        if (--flight.waiting === 0) {
          close(key, flight)
          flight.controller.abort(signal.reason)
        }
      }
    },
  }
}
