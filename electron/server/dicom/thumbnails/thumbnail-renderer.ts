import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Rendering, THUMBNAIL_RENDERING } from './rendering.ts'
import type { ThumbnailAnswer, ThumbnailRequest } from './thumbnail-worker.ts'

export const THUMBNAIL_LIMITS = {
  /** Of one image; what takes longer has no thumbnail. */
  seconds: 15,
  /** Images that wait; the others are refused, and asked for again when they are in sight again. */
  waiting: 200,
  /** The thread ends when nothing was asked for so long: its memory never becomes less. */
  idleSeconds: 30,
  /** MiB of the thread's heap; pixels are outside of it. */
  heap: 256,
}

/** Too many images wait for their thumbnails. */
export class ThumbnailsBusyError extends Error {
  override name = 'ThumbnailsBusy'
}

interface Job extends ThumbnailRequest {
  resolve(picture: Uint8Array | null): void
  reject(error: Error): void
}

/** Beside this file as source; bundled, this file may be in a folder of parts below it. */
const WORKER_FILES = ['./thumbnail-worker.ts', './thumbnail-worker.js', '../thumbnail-worker.js']
  .map((place) => fileURLToPath(new URL(place, import.meta.url)))
  .find((path) => existsSync(path))

/** Renders thumbnails in one thread, one after the other, the one that was asked for last first. */
export class ThumbnailRenderer implements AsyncDisposable {
  readonly #limits: typeof THUMBNAIL_LIMITS
  readonly #waiting: Job[] = []
  #worker: Worker | undefined
  #job: Job | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(limits: typeof THUMBNAIL_LIMITS = THUMBNAIL_LIMITS) {
    this.#limits = limits
  }

  /**
   * A picture of the file, by default a thumbnail; null where there is none. @throws
   * ThumbnailsBusy, the disk's errors
   */
  render(path: string, rendering: Rendering = THUMBNAIL_RENDERING): Promise<Uint8Array | null> {
    if (this.#isClosed || this.#waiting.length >= this.#limits.waiting)
      return Promise.reject(new ThumbnailsBusyError())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ path, rendering, resolve, reject })
      this.#next()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const job = this.#job
    this.#job = undefined
    for (const { reject } of [...this.#waiting.splice(0), ...(job ? [job] : [])])
      reject(new ThumbnailsBusyError())
    await this.#end()
  }

  #next(): void {
    if (this.#job || this.#isClosed) return
    clearTimeout(this.#timer)
    this.#job = this.#waiting.pop()
    if (!this.#job) {
      this.#timer = setTimeout(() => void this.#end(), this.#limits.idleSeconds * 1000).unref()
      return
    }
    this.#worker ??= this.#start()
    const { path, rendering } = this.#job
    this.#worker.postMessage({ path, rendering } satisfies ThumbnailRequest)
    // An image that takes this long counts as one that cannot be decoded.
    this.#timer = setTimeout(() => void this.#end(), this.#limits.seconds * 1000)
  }

  #start(): Worker {
    if (WORKER_FILES === undefined) throw new Error('thumbnail-worker is missing')
    const worker = new Worker(WORKER_FILES, {
      // None of our own arguments: they are for the gateway.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heap },
    })
    const onAnswer = (answer: ThumbnailAnswer) => {
      if (this.#worker === worker) this.#settle(answer)
    }
    worker.on('message', onAnswer)
    // Out of memory, or code that does not load: its exit follows.
    worker.on('error', () => {})
    worker.once('exit', () => {
      if (this.#worker === worker) this.#ended()
    })
    return worker
  }

  #settle(answer: ThumbnailAnswer): void {
    const job = this.#job
    if (!job) return
    this.#job = undefined
    if ('fault' in answer)
      job.reject(Object.assign(new Error(answer.fault), { code: answer.fault }))
    else job.resolve(answer.picture)
    this.#next()
  }

  /** Ends the thread, whatever it is doing. */
  async #end(): Promise<void> {
    clearTimeout(this.#timer)
    const worker = this.#worker
    this.#ended()
    await worker?.terminate()
  }

  /** What the thread was doing has no picture; the next image starts another one. */
  #ended(): void {
    this.#worker = undefined
    this.#settle({ picture: null })
  }
}
