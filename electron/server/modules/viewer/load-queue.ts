const AT_ONCE = 6
/**
 * Until a picture is on the screen: page and gateway are often one PC, and somebody waits for the
 * first image, not for the last.
 */
const AT_FIRST = 2
/**
 * Beside those that are under way: what a person waits for does not wait for gigabytes that nobody
 * looks at.
 */
const MORE_IF_URGENT = 2
/** How long a page takes from a frame to its picture. */
const DRAWN_MS = 400

/**
 * Files in the order they are loaded: two at once at first, then six, by their number; what a
 * person waits for jumps ahead, the last request first.
 */
export class LoadQueue {
  readonly #load: (index: number) => Promise<void>
  readonly #isWanted: () => boolean
  readonly #startMs: number
  readonly #waiting = new Set<number>()
  readonly #urgent = new Map<number, Set<symbol>>()
  readonly #loading = new Set<number>()
  #atOnce = AT_FIRST
  #isShown = false
  #start: NodeJS.Timeout

  /**
   * @param load never rejects @param isWanted whether anybody waits for those that are not urgent
   * @param startMs milliseconds after which six come at once though no image was asked for
   */
  constructor(load: (index: number) => Promise<void>, isWanted: () => boolean, startMs: number) {
    this.#load = load
    this.#isWanted = isWanted
    this.#startMs = startMs
    this.#start = this.#speedUpAfter(startMs)
  }

  /** To be loaded in its order. */
  add(index: number): void {
    this.#waiting.add(index)
    this.run()
  }

  /** It is needed now. Returns what takes the request back. */
  urge(index: number): () => void {
    if (this.#loading.has(index)) return () => undefined
    const request = Symbol()
    const requests = (this.#urgent.get(index) ?? new Set()).add(request)
    this.#urgent.delete(index)
    this.#urgent.set(index, requests)
    this.run()
    return () => {
      // A load that has begun ended its requests; others may have come since.
      if (requests.delete(request) && requests.size === 0 && this.#urgent.get(index) === requests)
        this.#urgent.delete(index)
    }
  }

  /** Begins what may be loaded now: there may be somebody to load for again. */
  run(): void {
    for (let index = this.#next(); index !== undefined; index = this.#next()) {
      const begun = index
      this.#waiting.delete(begun)
      this.#urgent.delete(begun)
      this.#loading.add(begun)
      void this.#load(begun).finally(() => {
        this.#loading.delete(begun)
        this.run()
      })
    }
  }

  /** A frame was given: once its picture is on the screen, the rest may come at full speed. */
  noteFrame(): void {
    if (this.#isShown) return
    this.#isShown = true
    clearTimeout(this.#start)
    this.#start = this.#speedUpAfter(Math.min(DRAWN_MS, this.#startMs))
  }

  close(): void {
    clearTimeout(this.#start)
  }

  #speedUpAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#atOnce = AT_ONCE
      this.run()
    }, ms).unref()
  }

  #next(): number | undefined {
    if (this.#loading.size < this.#atOnce + MORE_IF_URGENT)
      for (const index of [...this.#urgent.keys()].reverse())
        if (!this.#loading.has(index)) return index
    if (this.#loading.size >= this.#atOnce || !this.#isWanted()) return undefined
    for (const index of this.#waiting) if (!this.#loading.has(index)) return index
    return undefined
  }
}
