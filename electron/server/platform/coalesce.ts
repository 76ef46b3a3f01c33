/** Work of which one run serves everybody who had asked before it began. */
export interface SharedRuns {
  /**
   * Resolves after a run that began after the call. Calls that come while one is at work share the
   * next.
   */
  run(): Promise<void>
  /** The last run that is at work or waits; undefined where nobody waits. */
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
      // Another's fault is told to those who wait for it.
      next ??= running.then(begin, begin)
      return next
    },
    get last() {
      return next ?? running
    },
  }
}
