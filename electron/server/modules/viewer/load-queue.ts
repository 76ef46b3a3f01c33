const MAX_CONCURRENT = 6
/**
 * Concurrent loads until the first image is displayed: the browser and the gateway often share a
 * PC, and the user waits for the first image.
 */
const MAX_CONCURRENT_AT_START = 2
/**
 * Additional concurrent loads for urgent files, so that the user does not wait for large files that
 * are not displayed.
 */
const EXTRA_URGENT_LOADS = 2
/** Typical time from sending a frame until the page displays it. */
export const DISPLAY_DELAY_MS = 400

/**
 * Loads files in order of their index, two at a time at first, then six. Urgent files are loaded
 * first, most recent request first.
 */
export class LoadQueue {
  readonly #load: (index: number) => Promise<void>
  readonly #isWanted: () => boolean
  readonly #startMs: number
  readonly #waiting = new Set<number>()
  readonly #urgent = new Map<number, Set<symbol>>()
  readonly #loading = new Set<number>()
  #maxConcurrent = MAX_CONCURRENT_AT_START
  #isShown = false
  #start: NodeJS.Timeout

  /**
   * @param load loads a file; must not reject
   * @param isWanted whether there is a reader, which files that are not urgent require
   * @param startMs milliseconds after which six files are loaded concurrently even if no image has
   *   been requested
   */
  constructor(load: (index: number) => Promise<void>, isWanted: () => boolean, startMs: number) {
    this.#load = load
    this.#isWanted = isWanted
    this.#startMs = startMs
    this.#start = this.#speedUpAfter(startMs)
  }

  /** Queues a file. */
  add(index: number): void {
    this.#waiting.add(index)
    this.run()
  }

  /** Gives a file priority. Returns a function that withdraws the request. */
  prioritize(index: number): () => void {
    if (this.#loading.has(index)) return () => undefined
    const request = Symbol()
    const requests = (this.#urgent.get(index) ?? new Set()).add(request)
    this.#urgent.delete(index)
    this.#urgent.set(index, requests)
    this.run()
    return () => {
      // When a load starts, its requests end; there may be newer ones.
      if (requests.delete(request) && requests.size === 0 && this.#urgent.get(index) === requests)
        this.#urgent.delete(index)
    }
  }

  /** Starts as many loads as possible. Called when there may be a reader again. */
  run(): void {
    for (let index = this.#next(); index !== undefined; index = this.#next()) {
      const startedIndex = index
      this.#waiting.delete(startedIndex)
      this.#urgent.delete(startedIndex)
      this.#loading.add(startedIndex)
      void this.#load(startedIndex).finally(() => {
        this.#loading.delete(startedIndex)
        this.run()
      })
    }
  }

  /** Called when a frame has been sent: full speed starts once it is displayed. */
  noteFrame(): void {
    if (this.#isShown) return
    this.#isShown = true
    clearTimeout(this.#start)
    this.#start = this.#speedUpAfter(Math.min(DISPLAY_DELAY_MS, this.#startMs))
  }

  close(): void {
    clearTimeout(this.#start)
  }

  #speedUpAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#maxConcurrent = MAX_CONCURRENT
      this.run()
    }, ms).unref()
  }

  #next(): number | undefined {
    if (this.#loading.size < this.#maxConcurrent + EXTRA_URGENT_LOADS)
      for (const index of [...this.#urgent.keys()].reverse())
        if (!this.#loading.has(index)) return index
    if (this.#loading.size >= this.#maxConcurrent || !this.#isWanted()) return undefined
    for (const index of this.#waiting) if (!this.#loading.has(index)) return index
    return undefined
  }
}
