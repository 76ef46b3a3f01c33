import { ViewLine } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { isProblem } from '../../api/client.ts'
import { imageListRequest } from '../first-requests.ts'
import { pause, waitAfter } from './backoff.ts'
import { type ListedImage, ViewListContents } from './listed.ts'
import type { ListState } from './stack.ts'

const NOTIFY_INTERVAL_MS = 100
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 10_000
/** Milliseconds that lines are read without a pause. */
const MAX_TASK_MS = 8

interface Network {
  readonly fetch: typeof fetch
}
type ReplacedListener = (sopInstanceUids: readonly string[]) => void

/**
 * The list of a view's images, which grows. It is read until the gateway says that all is known; a
 * stream that breaks is opened again.
 */
export class ImageList {
  readonly viewId: string
  readonly #network: Network
  readonly #listed: ViewListContents
  readonly #listeners = new Set<() => void>()
  readonly #replacedListeners = new Set<ReplacedListener>()
  #reading = new AbortController()
  #isBroken = false
  #ended: Message | null = null
  #state: ListState
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The first lines are told at once: the first image waits for them. */
  #notifyEvery = 0

  constructor(viewId: string, network: Network = { fetch: globalThis.fetch.bind(globalThis) }) {
    this.viewId = viewId
    this.#network = network
    this.#listed = new ViewListContents(viewId)
    this.#state = this.#now()
    this.again()
  }

  // `useSyncExternalStore` calls these two without their object.
  readonly state = (): ListState => this.#state
  /** Calls at most ten times a second. @returns the way to stop */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Tells of SOP Instance UIDs whose pixels are not what they were said to be before, at once.
   * @returns the way to stop
   */
  onReplaced(listener: ReplacedListener): () => void {
    this.#replacedListeners.add(listener)
    return () => this.#replacedListeners.delete(listener)
  }

  /** What is known of an image now, for the engine. */
  find(imageId: string): ListedImage | undefined {
    return this.#listed.find(imageId)
  }

  /** Reads the list again from its start, as after a prior was added. */
  again(): void {
    this.#reading.abort()
    this.#reading = new AbortController()
    void this.#read(this.#reading.signal)
  }

  close(): void {
    this.#reading.abort()
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }

  #now(): ListState {
    const { faults, media, progress } = this.#listed
    return {
      ...{ studies: this.#listed.studies(), faults, media, progress },
      ...{ isStreamBroken: this.#isBroken, ended: this.#ended },
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const why = await readOnce(this.#network, this.viewId, signal, {
        onOpen: () => this.#listed.begin(),
        onLine: (text) => this.#take(text),
      })
      if (signal.aborted) return
      if (why === 'broken') {
        failures = this.#isBroken ? failures + 1 : 1
        this.#isBroken = true
        this.#changed()
        await pause(waitAfter(failures, FIRST_WAIT_MS, MAX_WAIT_MS), signal)
        continue
      }
      this.#ended = why
      this.#isBroken = false
      this.#changed()
      if (why || this.#listed.progress.state === 'done') return
      // The stream ended without `done`: the gateway began again.
      await pause(FIRST_WAIT_MS, signal)
    }
  }

  #take(text: string): void {
    const line = ViewLine.safeParse(parsed(text))
    if (!line.success) return
    const replaced = this.#listed.take(line.data)
    if (replaced.length > 0) for (const listener of this.#replacedListeners) listener(replaced)
    this.#isBroken = false
    this.#changed()
  }

  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const startedAt = performance.now()
      this.#state = this.#now()
      for (const listener of this.#listeners) listener()
      // A list of thousands takes its time to be ordered: never more than a fifth of it.
      this.#notifyEvery = Math.max(NOTIFY_INTERVAL_MS, (performance.now() - startedAt) * 5)
    }, this.#notifyEvery)
  }
}

/**
 * Reads the stream once. @returns null at its end, `broken`, or why the gateway refuses
 */
async function readOnce(
  network: Network,
  viewId: string,
  signal: AbortSignal,
  { onOpen, onLine }: { readonly onOpen: () => void; readonly onLine: (line: string) => void },
): Promise<Message | 'broken' | null> {
  try {
    const response = await network.fetch(viewPaths.images(viewId), {
      ...imageListRequest,
      signal,
    })
    if (!response.ok) {
      if (response.status >= 500 || response.status === 429 || response.status === 408)
        return 'broken'
      const problem = parsed(await response.text())
      return isProblem(problem)
        ? problem.explanation
        : message('http.unexplained', { status: response.status })
    }
    if (!response.body) return 'broken'
    onOpen()
    let rest = ''
    let startedAt = performance.now()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line !== '') onLine(line)
        // What has arrived is often the whole list: the first image is requested and the page is
        // drawn while the rest is still being read.
        if (performance.now() - startedAt > MAX_TASK_MS) {
          await pause(0)
          startedAt = performance.now()
        }
      }
    }
    if (rest !== '') onLine(rest)
    return null
  } catch {
    return 'broken'
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
