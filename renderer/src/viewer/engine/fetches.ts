import { type Message, message } from '#shared/messages/message.ts'
import { ImageProblem, LEFT } from '#shared/pixels/image-problem.ts'
import { isProblem } from '../../api/client.ts'
import { pause, waitAfter } from './backoff.ts'

/** What bytes are wanted for, most urgent first. */
export const WISHES = ['shown', 'near', 'prefetch', 'thumbnail'] as const
export type Wish = (typeof WISHES)[number]

export interface FetchedFrame {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly transferSyntaxUid: string
}

/** Fetches frames a few at a time, what is shown before all else. */
export interface Fetches {
  /**
   * The bytes behind a path of the gateway. Who asks for a path that is on its way shares it.
   * @throws ImageProblem where they cannot be had; passing where the signal was aborted or the
   *   network failed for good
   */
  get(path: string, wish: Wish, signal: AbortSignal): Promise<FetchedFrame>
  /** Paths under way and waiting, most urgent first. */
  readonly paths: readonly string[]
}

/** A browser opens six connections to a host of HTTP/1.1; one is the list's. */
const AT_ONCE = 5
const TRIES = 5

interface Asker {
  readonly wish: Wish
  readonly resolve: (frame: FetchedFrame) => void
  readonly reject: (problem: ImageProblem) => void
}
interface Job {
  readonly path: string
  readonly order: number
  readonly askers: Set<Asker>
  running: AbortController | undefined
}

export function openFetches(
  world: { readonly fetch: typeof fetch; readonly wait?: typeof pause } = {
    fetch: globalThis.fetch.bind(globalThis),
  },
  atOnce = AT_ONCE,
): Fetches {
  const jobs = new Map<string, Job>()
  let order = 0

  const rank = (job: Job) => Math.min(...[...job.askers].map(({ wish }) => WISHES.indexOf(wish)))
  const byUrgency = (a: Job, b: Job) => rank(a) - rank(b) || a.order - b.order
  const fill = () => {
    const waiting = [...jobs.values()].filter(({ running }) => !running).sort(byUrgency)
    const running = [...jobs.values()].filter(({ running }) => running).sort(byUrgency)
    for (const job of waiting) {
      if (running.length >= atOnce) {
        const least = running.at(-1) as Job
        // A frame that is not at the gateway yet holds its place for long: what is shown takes that
        // of a prefetch.
        if (rank(job) > 0 || rank(least) < 2) return
        running.pop()
        least.running?.abort()
        least.running = undefined
      }
      running.unshift(job)
      void run(job)
    }
  }
  const run = async (job: Job) => {
    const control = new AbortController()
    job.running = control
    let done: (asker: Asker) => void
    try {
      const frame = await fetched(world, job.path, control.signal)
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
    jobs.delete(job.path)
    for (const asker of job.askers) done(asker)
    fill()
  }
  const leave = (job: Job, asker: Asker) => {
    if (!job.askers.delete(asker)) return
    asker.reject(new ImageProblem(LEFT, true))
    if (job.askers.size > 0) return
    if (jobs.get(job.path) === job) jobs.delete(job.path)
    const { running } = job
    job.running = undefined
    running?.abort()
    fill()
  }

  return {
    get: (path, wish, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new ImageProblem(LEFT, true))
        const job: Job = jobs.get(path) ?? {
          path,
          order: order++,
          askers: new Set(),
          running: undefined,
        }
        jobs.set(path, job)
        const onAbort = () => leave(job, asker)
        const asker: Asker = {
          wish,
          resolve: (frame) => {
            signal.removeEventListener('abort', onAbort)
            resolve(frame)
          },
          reject: (problem) => {
            signal.removeEventListener('abort', onAbort)
            reject(problem)
          },
        }
        job.askers.add(asker)
        signal.addEventListener('abort', onAbort)
        fill()
      }),
    get paths() {
      return [...jobs.values()].sort(byUrgency).map(({ path }) => path)
    },
  }
}

async function fetched(
  world: { readonly fetch: typeof fetch; readonly wait?: typeof pause },
  path: string,
  signal: AbortSignal,
): Promise<FetchedFrame> {
  const wait = world.wait ?? pause
  for (let failures = 1; ; failures += 1) {
    try {
      const response = await world.fetch(path, { signal, credentials: 'same-origin' })
      if (response.ok) {
        const type = response.headers.get('content-type') ?? ''
        const transferSyntaxUid = /transfer-syntax="?([0-9.]+)/.exec(type)?.[1]
        if (!transferSyntaxUid) throw new ImageProblem(message('viewer.no-transfer-syntax'))
        return { bytes: new Uint8Array(await response.arrayBuffer()), transferSyntaxUid }
      }
      const isPassing = response.status >= 502 || response.status === 429 || response.status === 408
      if (!isPassing || failures >= TRIES)
        throw new ImageProblem(await explanationOf(response), isPassing)
    } catch (error) {
      if (signal.aborted) throw new ImageProblem(LEFT, true)
      if (error instanceof ImageProblem) throw error
      if (failures >= TRIES) throw new ImageProblem(message('viewer.no-answer'), true)
    }
    await wait(waitAfter(failures, 250, 4000), signal)
    if (signal.aborted) throw new ImageProblem(LEFT, true)
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
