import { type Message, message } from '#shared/messages/message.ts'
import { ImageProblem, LEFT } from '#shared/pixels/image-problem.ts'
import { isProblem } from '../../api/client.ts'
import { frameRequest } from '../first-requests.ts'
import { pause, waitAfter } from './backoff.ts'

/** What bytes are wanted for, most urgent first. */
export const FETCH_PRIORITIES = ['shown', 'near', 'prefetch', 'thumbnail'] as const
export type FetchPriority = (typeof FETCH_PRIORITIES)[number]

export interface FetchedFrame {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly transferSyntaxUid: string
}

/** A browser opens six connections to a host of HTTP/1.1; one is the list's. */
const MAX_CONCURRENT = 5
const MAX_ATTEMPTS = 5

interface Waiter {
  wish: FetchPriority
  readonly resolve: (frame: FetchedFrame) => void
  readonly reject: (problem: ImageProblem) => void
}
interface Job {
  readonly path: string
  readonly order: number
  readonly waiters: Set<Waiter>
  running: AbortController | undefined
}
interface Network {
  readonly fetch: typeof fetch
  readonly wait?: typeof pause
}

const rank = (job: Job) =>
  Math.min(...[...job.waiters].map(({ wish }) => FETCH_PRIORITIES.indexOf(wish)))
const byUrgency = (a: Job, b: Job) => rank(a) - rank(b) || a.order - b.order

/** Fetches frames a few at a time, what is shown before all else. */
export class Fetches {
  readonly #network: Network
  readonly #concurrency: number
  readonly #jobs = new Map<string, Job>()
  readonly #ahead = new Map<string, Promise<FetchedFrame>>()
  #order = 0

  constructor(
    network: Network = { fetch: globalThis.fetch.bind(globalThis) },
    atOnce: number = MAX_CONCURRENT,
  ) {
    this.#network = network
    this.#concurrency = atOnce
  }

  /** Paths under way and waiting, most urgent first. */
  get paths(): readonly string[] {
    return [...this.#jobs.values()].sort(byUrgency).map(({ path }) => path)
  }

  /**
   * The bytes behind a path of the gateway. Who asks for a path that is on its way shares it.
   * @throws ImageProblem where they cannot be had; passing where the signal was aborted or the
   *   network failed for good
   */
  get(path: string, wish: FetchPriority, signal: AbortSignal): Promise<FetchedFrame> {
    const ahead = this.#ahead.get(path)
    if (!ahead) return this.#ask(path, wish, signal)
    this.#ahead.delete(path)
    this.raise(path, wish)
    // Before it was asked for, nobody was told of a failure.
    return ahead.catch(() => this.#ask(path, wish, signal))
  }

  /** Fetches what is sure to be asked for. It is kept until `get` asks for it, once. */
  fetchAhead(path: string): void {
    if (this.#ahead.has(path)) return
    const frame = this.#ask(path, 'near', new AbortController().signal)
    frame.catch(() => undefined)
    this.#ahead.set(path, frame)
  }

  /** Makes a path that is still on its way as urgent as that. */
  raise(path: string, wish: FetchPriority): void {
    for (const waiter of this.#jobs.get(path)?.waiters ?? [])
      if (FETCH_PRIORITIES.indexOf(wish) < FETCH_PRIORITIES.indexOf(waiter.wish)) waiter.wish = wish
    this.#fill()
  }

  #ask(path: string, wish: FetchPriority, signal: AbortSignal): Promise<FetchedFrame> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new ImageProblem(LEFT, true))
      const job = this.#jobOf(path)
      const leave = () => this.#leave(job, waiter)
      const waiter: Waiter = {
        wish,
        resolve: (frame) => {
          signal.removeEventListener('abort', leave)
          resolve(frame)
        },
        reject: (problem) => {
          signal.removeEventListener('abort', leave)
          reject(problem)
        },
      }
      job.waiters.add(waiter)
      signal.addEventListener('abort', leave)
      this.#fill()
    })
  }

  #jobOf(path: string): Job {
    const job = this.#jobs.get(path) ?? {
      path,
      order: this.#order++,
      waiters: new Set(),
      running: undefined,
    }
    this.#jobs.set(path, job)
    return job
  }

  /** Starts what there is room for. */
  #fill(): void {
    const sorted = [...this.#jobs.values()].sort(byUrgency)
    const running = sorted.filter((job) => job.running)
    for (const job of sorted.filter((job) => !job.running)) {
      if (running.length >= this.#concurrency) {
        const least = running.at(-1) as Job
        // A frame that is not at the gateway yet holds its place for long: what is shown takes that
        // of a prefetch.
        if (rank(job) > 0 || rank(least) < 2) return
        running.pop()
        least.running?.abort()
        least.running = undefined
      }
      running.unshift(job)
      void this.#run(job)
    }
  }

  async #run(job: Job): Promise<void> {
    const control = new AbortController()
    job.running = control
    let done: (asker: Waiter) => void
    try {
      const frame = await fetched(this.#network, job.path, control.signal)
      done = ({ resolve }) => resolve(frame)
    } catch (error) {
      const problem =
        error instanceof ImageProblem
          ? error
          : new ImageProblem(message('viewer.image-not-fetched'), true)
      done = ({ reject }) => reject(problem)
    }
    // It was put back in the queue for something more urgent, or nobody wants it.
    if (job.running !== control) return
    this.#jobs.delete(job.path)
    for (const waiter of job.waiters) done(waiter)
    this.#fill()
  }

  #leave(job: Job, asker: Waiter): void {
    if (!job.waiters.delete(asker)) return
    asker.reject(new ImageProblem(LEFT, true))
    if (job.waiters.size > 0) return
    if (this.#jobs.get(job.path) === job) this.#jobs.delete(job.path)
    const { running } = job
    job.running = undefined
    running?.abort()
    this.#fill()
  }
}

async function fetched(network: Network, path: string, signal: AbortSignal): Promise<FetchedFrame> {
  const wait = network.wait ?? pause
  for (let failures = 1; ; failures += 1) {
    try {
      const response = await network.fetch(path, { ...frameRequest, signal })
      if (response.ok) {
        const type = response.headers.get('content-type') ?? ''
        const transferSyntaxUid = /transfer-syntax="?([0-9.]+)/.exec(type)?.[1]
        if (!transferSyntaxUid) throw new ImageProblem(message('viewer.no-transfer-syntax'))
        return { bytes: await bytesOf(response), transferSyntaxUid }
      }
      const isTransient =
        response.status >= 502 || response.status === 429 || response.status === 408
      if (!isTransient || failures >= MAX_ATTEMPTS)
        throw new ImageProblem(await explanationOf(response), isTransient)
    } catch (error) {
      if (signal.aborted) throw new ImageProblem(LEFT, true)
      if (error instanceof ImageProblem) throw error
      if (failures >= MAX_ATTEMPTS) throw new ImageProblem(message('viewer.no-answer'), true)
    }
    await wait(waitAfter(failures, 250, 4000), signal)
    if (signal.aborted) throw new ImageProblem(LEFT, true)
  }
}

/** Bodies of at least this size are received into memory that is allocated before. */
const MIN_LARGE_BYTES = 4 << 20

/**
 * The body of a response. The browser would collect a large one in pieces and copy them when all
 * have arrived, which for a mammogram takes 0.1 s.
 */
async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const { headers } = response
  // The length is that of the encoded body.
  const length = headers.has('content-encoding') ? 0 : Number(headers.get('content-length'))
  const reader = length >= MIN_LARGE_BYTES ? byteReaderOf(response) : undefined
  if (!reader) return new Uint8Array(await response.arrayBuffer())
  let buffer = new ArrayBuffer(length)
  for (let at = 0; ; ) {
    // Behind the last byte there is room for one, by which a longer body is noticed.
    const room = at < length ? new Uint8Array(buffer, at) : new Uint8Array(1)
    const { done, value } = await reader.read(room)
    if (done) {
      if (at !== length) throw new TypeError('The body is shorter than its length.')
      return new Uint8Array(buffer)
    }
    if (at === length) throw new TypeError('The body is longer than its length.')
    at += value.byteLength
    buffer = value.buffer
  }
}

/** Undefined in a browser whose bodies are not streams of bytes. */
function byteReaderOf({ body }: Response): ReadableStreamBYOBReader | undefined {
  try {
    return body?.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}

async function explanationOf(response: Response): Promise<Message> {
  try {
    const problem: unknown = await response.json()
    if (isProblem(problem)) return problem.explanation
  } catch {
    // No JSON: the status is all there is.
  }
  return message('http.unexplained', { status: response.status })
}
