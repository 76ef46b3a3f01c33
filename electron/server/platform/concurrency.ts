/**
 * Work that must not overlap, by key: each piece begins when the one before it has ended, however
 * it ended.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Resolves or rejects as `work` does. */
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

/** Work of which one run serves every caller that asked before it began. */
export interface SharedRuns {
  /**
   * Resolves after a run that began after the call. Calls during a run share the next one.
   */
  run(): Promise<void>
  /** The last run that is under way or waits; undefined where there is none. */
  readonly last: Promise<void> | undefined
}

export function sharedRuns(work: () => Promise<void>): SharedRuns {
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
      // A run that fails rejects only for those who wait for that run.
      next ??= running.then(begin, begin)
      return next
    },
    get last() {
      return next ?? running
    },
  }
}
