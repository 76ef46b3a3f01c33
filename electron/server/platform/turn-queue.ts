/**
 * Lets a limited number of callers work at the same time; the others wait for their turn in the
 * order in which they came.
 */
export class TurnQueue {
  readonly #maxConcurrent: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(most: number) {
    this.#maxConcurrent = most
  }

  /**
   * Resolves when it is the caller's turn, which ends when the result is disposed of.
   * @returns undefined if the signal was aborted first
   */
  async take(signal?: AbortSignal): Promise<Disposable | undefined> {
    if (signal?.aborted) return undefined
    if (this.#running < this.#maxConcurrent) this.#running++
    else if (!(await this.#wait(signal))) return undefined
    return { [Symbol.dispose]: () => this.#pass() }
  }

  /** False if the signal was aborted first. */
  async #wait(signal: AbortSignal | undefined): Promise<boolean> {
    const turn = Promise.withResolvers<boolean>()
    const proceed = () => turn.resolve(true)
    const abort = () => {
      const at = this.#waiting.indexOf(proceed)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      turn.resolve(false)
    }
    this.#waiting.push(proceed)
    signal?.addEventListener('abort', abort)
    try {
      return await turn.promise
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** The next caller takes over the turn, so that nobody overtakes it. */
  #pass(): void {
    const proceed = this.#waiting.shift()
    if (proceed) proceed()
    else this.#running--
  }
}
