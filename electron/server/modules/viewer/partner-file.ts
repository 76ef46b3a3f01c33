import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { InstanceExtras } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { extrasOf, type Frame, frameOf, type ImageFile, wholeFrameOf } from './image-file.ts'
import type { LoadQueue } from './load-queue.ts'
import type { GrowingFile, OpenFile, OpenFiles } from './open-files.ts'
import { fetchFault } from './partner-answer.ts'
import type { CacheLease } from './view-cache.ts'
import { ChangeNotifier } from './view-list.ts'

/** A file of a partner: one URL of its response. */
export class PartnerFile {
  /** Position in the response, from 0. */
  readonly index: number
  readonly watch = new ChangeNotifier()
  url: string
  /** Generation of the response that its URL belongs to, from 0. */
  generation = 0
  /** Set while it is being downloaded. */
  growing: GrowingFile | undefined
  /** Set once it has been downloaded, until it is evicted from the cache. */
  hold: CacheLease | undefined
  /**
   * SOP Instance UID from its header; empty until it has been read, and if the file is left out.
   */
  sopInstanceUid = ''
  /** Why it cannot be shown. */
  fault: Message | null = null
  /** Whether the fault is transient, so that it may be retried. */
  isTransient = false
  /** Whether its first load has finished. */
  isLoaded = false

  constructor(index: number, url: string) {
    this.index = index
    this.url = url
  }
}

/** The instance in a file of a partner. Waiting for it gives the file priority. */
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
      return await this.#withCompleteFile((opened) => wholeFrameOf(opened, number))
    })
    this.#queue.noteFrame()
    return frame
  }

  extras(signal: AbortSignal): Promise<InstanceExtras> {
    return this.use(signal, async (opened) => extrasOf(opened))
  }

  async use<T>(signal: AbortSignal, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const { value } = await this.#waitFor(signal, () =>
      this.#withCompleteFile(async (opened) => ({ value: await work(opened) })),
    )
    return value
  }

  /** Runs `work` on the available part of the file until it returns a result. */
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
        // The file was closed or evicted in the meantime. A file whose download has just finished
        // is closed shortly before its location in the cache is known.
        const isClosed = !hold && growing && (error as NodeJS.ErrnoException).code === 'EBADF'
        if (!isClosed && isSame()) throw error
        if (!isClosed) continue
      }
      if (!isSame()) continue
      const withdraw = this.#queue.prioritize(file.index)
      try {
        await file.watch.next(signal)
      } finally {
        withdraw()
      }
    }
  }

  async #withCompleteFile<T>(work: (opened: OpenFile) => Promise<T>): Promise<T | undefined> {
    const file = this.#file
    const { hold } = file
    if (!hold) return undefined
    hold.touch()
    try {
      return await this.#openFiles.use(hold.path, work)
    } catch (error) {
      // The cache was deleted by someone; download the file again.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && file.hold === hold) {
        file.hold = undefined
        hold.release()
      }
      throw error
    }
  }
}

/** Thrown to skip a file whose image is available already. */
export class FileSkippedError extends Error {}
/** A fault of the file that a retry cannot fix. */
export class FileFault extends MessageError {}

/** The user-facing message for an error with a file. */
export function faultSentence(error: unknown): Message {
  if (error instanceof MessageError) return error.explanation
  if (error instanceof WebhookError) return fetchFault(error)
  return message('viewer.not-kept-on-disk')
}
