import { cache, Enums, eventTarget, type Types } from '@cornerstonejs/core'
import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { ImageProblem, LEFT } from '#shared/pixels/image-problem.ts'
import type { StoredPixels } from '#shared/pixels/stored.ts'
import type { Call } from '../../api/client.ts'
import { FETCH_PRIORITIES, type Fetches, type FetchPriority } from './fetches.ts'
import { FrameDecoder } from './frame-decoder.ts'
import { provideImages } from './frame-loader.ts'
import type { ImageList } from './images.ts'
import { parseImageId } from './series.ts'

interface ImageLoad {
  readonly promise: Promise<Types.IImage>
  readonly control: AbortController
  askers: number
  rank: number
}
type ChangeListener = (imageId: string, what: 'loaded' | 'problem' | 'replaced') => void

const sopOf = (imageId: string): string => parseImageId(imageId)?.sopInstanceUid ?? ''

/** Decoded images of a view: in Cornerstone's cache, or on their way. */
export class Frames {
  readonly #decoder: FrameDecoder
  readonly #workById = new Map<string, ImageLoad>()
  readonly #problems = new Map<string, Message>()
  readonly #loaded = new Set<string>()
  readonly #cachedBySop = new Map<string, Set<string>>()
  readonly #listeners = new Set<ChangeListener>()
  readonly #closing = new AbortController()
  readonly #stopReplacing: () => void
  readonly #stopProviding: () => void

  constructor(list: ImageList, fetches: Fetches, call: Call) {
    this.#decoder = new FrameDecoder(list, fetches, call)
    this.#stopReplacing = list.onReplaced((sopInstanceUids) => {
      for (const sop of sopInstanceUids) this.#replace(sop)
    })
    this.#stopProviding = provideImages((imageId, signal) => this.load(imageId, 'near', signal))
    eventTarget.addEventListener(Enums.Events.IMAGE_CACHE_IMAGE_REMOVED, this.#onRemoved)
  }

  /** Ever decoded in this view. */
  get loaded(): ReadonlySet<string> {
    return this.#loaded
  }

  cached(imageId: string): Types.IImage | undefined {
    return cache.isLoaded(imageId) ? cache.getImage(imageId) : undefined
  }

  /** Why it cannot be shown, where that is known. */
  problem(imageId: string): Message | null {
    return this.#problems.get(imageId) ?? null
  }

  /**
   * Told of each image that is decoded, is found to have a problem, or leaves the cache because it
   * is another now. @returns the way to stop
   */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws ImageProblem */
  load(imageId: string, wish: FetchPriority, signal?: AbortSignal): Promise<Types.IImage> {
    const known = this.cached(imageId)
    if (known) return Promise.resolve(known)
    const why = this.#problems.get(imageId)
    if (why !== undefined) return Promise.reject(new ImageProblem(why))
    if (signal?.aborted) return Promise.reject(new ImageProblem(LEFT, true))
    const work = this.#workById.get(imageId) ?? this.#start(imageId, wish)
    work.askers += 1
    const rank = FETCH_PRIORITIES.indexOf(wish)
    if (rank < work.rank) {
      work.rank = rank
      this.#decoder.raise(imageId, wish)
    }
    return signal ? this.#unlessAborted(imageId, work, signal) : work.promise
  }

  /**
   * Stored values of a frame that is no image, such as one of a segmentation. @throws ImageProblem
   */
  stored(sopInstanceUid: string, frame: number, pixel: ImagePixel): Promise<StoredPixels> {
    return this.#decoder.stored(sopInstanceUid, frame, pixel, this.#closing.signal)
  }

  close(): void {
    this.#closing.abort()
    this.#stopReplacing()
    for (const { control } of this.#workById.values()) control.abort()
    this.#listeners.clear()
    eventTarget.removeEventListener(Enums.Events.IMAGE_CACHE_IMAGE_REMOVED, this.#onRemoved)
    this.#stopProviding()
  }

  #tell(...change: Parameters<ChangeListener>): void {
    for (const listener of this.#listeners) listener(...change)
  }

  #start(imageId: string, wish: FetchPriority): ImageLoad {
    const control = new AbortController()
    const promise = this.#loadAnew(imageId, wish, control.signal).finally(() => {
      if (this.#workById.get(imageId)?.promise === promise) this.#workById.delete(imageId)
    })
    const work: ImageLoad = { promise, control, askers: 0, rank: FETCH_PRIORITIES.indexOf(wish) }
    this.#workById.set(imageId, work)
    promise.then(
      () => this.#tell(imageId, 'loaded'),
      () => {
        if (this.#problems.has(imageId)) this.#tell(imageId, 'problem')
      },
    )
    return work
  }

  async #loadAnew(
    imageId: string,
    wish: FetchPriority,
    signal: AbortSignal,
  ): Promise<Types.IImage> {
    try {
      const image = await this.#decoder.image(imageId, wish, signal)
      this.#keep(imageId, image)
      return image
    } catch (error) {
      const problem =
        error instanceof ImageProblem
          ? error
          : new ImageProblem(message('viewer.image-not-decoded'))
      if (!problem.isTransient) this.#problems.set(imageId, problem.explanation)
      throw problem
    }
  }

  #keep(imageId: string, image: Types.IImage): void {
    // Where Cornerstone itself asked for it, it keeps it itself.
    if (!cache.getImageLoadObject(imageId)) {
      try {
        cache.putImageSync(imageId, image)
      } catch {
        throw new ImageProblem(message('viewer.window-out-of-memory'), true)
      }
    }
    this.#loaded.add(imageId)
    this.#problems.delete(imageId)
    const ofSop = this.#cachedBySop.get(sopOf(imageId))
    if (ofSop) ofSop.add(imageId)
    else this.#cachedBySop.set(sopOf(imageId), new Set([imageId]))
  }

  /** Once nobody waits for a work, it is broken off. */
  #unlessAborted(imageId: string, work: ImageLoad, signal: AbortSignal): Promise<Types.IImage> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        work.askers -= 1
        if (work.askers === 0) {
          if (this.#workById.get(imageId) === work) this.#workById.delete(imageId)
          work.control.abort()
        }
        reject(new ImageProblem(LEFT, true))
      }
      signal.addEventListener('abort', leave, { once: true })
      work.promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  readonly #onRemoved = (event: Event): void => {
    const { imageId } = (event as CustomEvent<{ imageId: string }>).detail
    this.#cachedBySop.get(sopOf(imageId))?.delete(imageId)
  }

  /** Takes what was decoded of an instance out of the cache: it is another now. */
  #replace(sop: string): void {
    this.#decoder.forget(sop)
    for (const imageId of [...(this.#cachedBySop.get(sop) ?? [])]) {
      if (cache.getImageLoadObject(imageId)) cache.removeImageLoadObject(imageId, { force: true })
      this.#loaded.delete(imageId)
      this.#tell(imageId, 'replaced')
    }
    for (const imageId of [...this.#problems.keys()]) {
      if (sopOf(imageId) !== sop) continue
      this.#problems.delete(imageId)
      this.#tell(imageId, 'replaced')
    }
  }
}
