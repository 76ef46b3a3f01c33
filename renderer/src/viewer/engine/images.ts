import { type ViewedSeries, type ViewedStudy, ViewLine } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { isProblem } from '../../api/client.ts'
import { pause, waitAfter } from './backoff.ts'
import { openListed } from './listed.ts'
import type { ListState, StackImage } from './stack.ts'

/** The list of a view's images, which grows: for `useSyncExternalStore`. */
export interface ImageList {
  readonly viewId: string
  state(): ListState
  /** Calls at most ten times a second. @returns the way to stop */
  subscribe(listener: () => void): () => void
  /** Reads the list again from its start, as after a prior was added. */
  again(): void
  close(): void
  /** What is known of an image now, for the engine. */
  find(
    imageId: string,
  ):
    | { readonly image: StackImage; readonly series: ViewedSeries; readonly study: ViewedStudy }
    | undefined
  /**
   * Tells of SOP Instance UIDs whose pixels are not what they were said to be before, at once.
   * @returns the way to stop
   */
  onReplaced(listener: (sopInstanceUids: readonly string[]) => void): () => void
}

const NOTIFY_EVERY = 100
const FIRST_WAIT = 500
const MOST_WAIT = 10_000

/**
 * Opens the list of a view, and reads it until the gateway says that all is known; a stream that
 * breaks is opened again.
 */
export function openImageList(
  viewId: string,
  world: { readonly fetch: typeof fetch } = { fetch: globalThis.fetch.bind(globalThis) },
): ImageList {
  const listed = openListed(viewId)
  const listeners = new Set<() => void>()
  const replacedListeners = new Set<(sopInstanceUids: readonly string[]) => void>()
  let isBroken = false
  let ended: Message | null = null
  let reading = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let notifyEvery = NOTIFY_EVERY
  const seen = (): ListState => ({
    studies: listed.studies(),
    faults: listed.faults,
    media: listed.media,
    progress: listed.progress,
    isBroken,
    ended,
  })
  let state = seen()

  const changed = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      const began = performance.now()
      state = seen()
      for (const listener of listeners) listener()
      // A list of thousands takes its time to be ordered: never more than a fifth of it.
      notifyEvery = Math.max(NOTIFY_EVERY, (performance.now() - began) * 5)
    }, notifyEvery)
  }
  const take = (text: string) => {
    const line = ViewLine.safeParse(parsed(text))
    if (!line.success) return
    const replaced = listed.take(line.data)
    if (replaced.length > 0) for (const listener of replacedListeners) listener(replaced)
    isBroken = false
    changed()
  }
  const read = async (signal: AbortSignal) => {
    for (let failures = 0; !signal.aborted; ) {
      const why = await readOnce(world, viewId, signal, () => listed.begin(), take)
      if (signal.aborted) return
      if (why === 'broken') {
        failures = isBroken ? failures + 1 : 1
        isBroken = true
        changed()
        await pause(waitAfter(failures, FIRST_WAIT, MOST_WAIT), signal)
        continue
      }
      ended = why
      isBroken = false
      changed()
      if (why || listed.progress.state === 'done') return
      // The stream ended without `done`: the gateway began again.
      await pause(FIRST_WAIT, signal)
    }
  }
  const start = () => {
    reading.abort()
    reading = new AbortController()
    void read(reading.signal)
  }
  start()

  return {
    viewId,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    again: start,
    close() {
      reading.abort()
      clearTimeout(timer)
      listeners.clear()
    },
    find: listed.find,
    onReplaced(listener) {
      replacedListeners.add(listener)
      return () => replacedListeners.delete(listener)
    },
  }
}

/**
 * Reads the stream once. @returns null at its end, `broken`, or why the gateway refuses
 */
async function readOnce(
  world: { readonly fetch: typeof fetch },
  viewId: string,
  signal: AbortSignal,
  onOpen: () => void,
  onLine: (line: string) => void,
): Promise<Message | 'broken' | null> {
  try {
    const response = await world.fetch(viewPaths.images(viewId), {
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { accept: 'application/x-ndjson' },
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
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') onLine(line)
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
