import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { InstanceExtras } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { extrasOf, type Frame, frameOf, type ImageFile, wholeFrameOf } from './image-file.ts'
import type { LoadQueue } from './load-queue.ts'
import type { GrowingFile, OpenFile, OpenFiles } from './open-files.ts'
import { fetchFault } from './partner-answer.ts'
import type { CacheHold } from './view-cache.ts'
import { Watch } from './view-list.ts'

/** A file of a partner: one URL of its answer. */
export class PartnerFile {
  /** From 0, in the order of the answer. */
  readonly index: number
  readonly watch = new Watch()
  url: string
  /** Which answer its URL is of, from 0. */
  generation = 0
  /** While it comes. */
  growing: GrowingFile | undefined
  /** Once it is here, until it has to make room. */
  hold: CacheHold | undefined
  /** What its header says it is; empty until it was read, and where it is left out. */
  sopInstanceUid = ''
  /** Why it cannot be shown at all. */
  fault: Message | null = null
  /** The fault was the network's: it may be tried again. */
  isPassing = false
  /** Its first loading is over. */
  isLoaded = false

  constructor(index: number, url: string) {
    this.index = index
    this.url = url
  }
}

/** The instance that a file of a partner holds; whoever waits for it has the file loaded next. */
export class PartnerImage implements ImageFile {
  readonly #file: PartnerFile
  readonly #openFiles: OpenFiles
  readonly #queue: LoadQueue

  constructor(file: PartnerFile, openFiles: OpenFiles, queue: LoadQueue) {
    this.#file = file
    this.#openFiles = openFiles
    this.#queue = queue
  }

  async frame(number: number, signal: AbortSignal): Promise<Frame> {
    const frame = await this.#waitFor(signal, async () => {
      const { hold, growing } = this.#file
      if (!hold && growing) return await frameOf(growing, number)
      return await this.#whole((opened) => wholeFrameOf(opened, number))
    })
    this.#queue.noteFrame()
    return frame
  }

  extras(signal: AbortSignal): Promise<InstanceExtras> {
    return this.use(signal, async (opened) => extrasOf(opened))
  }

  async use<T>(signal: AbortSignal, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const { value } = await this.#waitFor(signal, () =>
      this.#whole(async (opened) => ({ value: await work(opened) })),
    )
    return value
  }

  /** Runs `work` on what there is of the file until it gives something. */
  async #waitFor<T>(signal: AbortSignal, work: () => Promise<T | undefined>): Promise<T> {
    const file = this.#file
    for (;;) {
      signal.throwIfAborted()
      if (file.fault) throw new ApiError('refused', file.fault)
      const { hold, growing } = file
      const isSame = () => hold === file.hold && growing === file.growing
      try {
        const found = await work()
        if (found !== undefined) return found
      } catch (error) {
        if (error instanceof ApiError) throw error
        // It was closed or had to make room meanwhile; one that has just come is closed a moment
        // before its place is known.
        const isClosed = !hold && growing && (error as NodeJS.ErrnoException).code === 'EBADF'
        if (!isClosed && isSame()) throw error
        if (!isClosed) continue
      }
      if (!isSame()) continue
      const takeBack = this.#queue.urge(file.index)
      try {
        await file.watch.next(signal)
      } finally {
        takeBack()
      }
    }
  }

  async #whole<T>(work: (opened: OpenFile) => Promise<T>): Promise<T | undefined> {
    const file = this.#file
    const { hold } = file
    if (!hold) return undefined
    hold.touch()
    try {
      return await this.#openFiles.use(hold.path, work)
    } catch (error) {
      // Somebody cleared the cache away: it is fetched again.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && file.hold === hold) {
        file.hold = undefined
        hold.release()
      }
      throw error
    }
  }
}

/** It is not shown, and nothing is wrong: it is here already. */
export class LeftOut extends Error {}
/** What is final for the file. */
export class FileFault extends MessageError {}

/** What went wrong with a file, for a person. */
export function faultSentence(error: unknown): Message {
  if (error instanceof MessageError) return error.explanation
  if (error instanceof WebhookError) return fetchFault(error)
  return message('viewer.not-kept-on-disk')
}
