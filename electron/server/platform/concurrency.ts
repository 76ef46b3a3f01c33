/**
 * Runs work one piece at a time for each key, in the order of the calls. A failure does not stop
 * the work that is queued behind it.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Settles with the result of `work`. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const running = before ? before.then(work, work) : work()
    this.#last.set(key, running)
    const release = () => {
      if (this.#last.get(key) === running) this.#last.delete(key)
    }
    running.then(release, release)
    return running
  }
}

/** Coalesces concurrent calls: one run serves every caller that asked before it began. */
export interface Coalesced {
  /**
   * Resolves when a run that began after this call has ended. Calls made during a run share the
   * next run.
   */
  run(): Promise<void>
  /** The latest run in progress or queued; undefined if there is none. */
  readonly last: Promise<void> | undefined
}

export function coalesce(work: () => Promise<void>): Coalesced {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function begin(): Promise<void> {
    next = undefined
    const mine: Promise<void> = work().finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }

  return {
    run() {
      if (!running) return begin()
      // A failed run rejects only the callers that were waiting for that run.
      next ??= running.then(begin, begin)
      return next
    },
    get last() {
      return next ?? running
    },
  }
}
