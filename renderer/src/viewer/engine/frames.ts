import { cache, Enums, eventTarget, imageLoader, type Types } from '@cornerstonejs/core'
import type { ImagePixel, InstanceExtras } from '#shared/contract/viewed-images.ts'
import { viewing } from '#shared/contract/viewing.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import { ImageProblem, LEFT } from '#shared/pixels/image-problem.ts'
import type { Stored } from '#shared/pixels/stored.ts'
import { viewPaths } from '#shared/view-paths.ts'
import type { Call } from '../../api/client.ts'
import { type Fetches, WISHES, type Wish } from './fetches.ts'
import { imageOf, storedFrame } from './image.ts'
import type { ImageList } from './images.ts'
import { parseImageId } from './series.ts'

/** Decoded images of a view: in Cornerstone's cache, or on their way. */
export interface Frames {
  /** @throws ImageProblem */
  load(imageId: string, wish: Wish, signal?: AbortSignal): Promise<Types.IImage>
  cached(imageId: string): Types.IImage | undefined
  /**
   * Stored values of a frame that is no image, such as one of a segmentation. @throws ImageProblem
   */
  stored(sopInstanceUid: string, frame: number, pixel: ImagePixel): Promise<Stored>
  /** Why it cannot be shown, where that is known. */
  problem(imageId: string): Message | null
  /** Ever decoded in this view. */
  readonly loaded: ReadonlySet<string>
  /**
   * Told of each image that is decoded, is found to have a problem, or leaves the cache because it
   * is another now. @returns the way to stop
   */
  onChange(listener: (imageId: string, what: 'loaded' | 'problem' | 'replaced') => void): () => void
  close(): void
}

/** How long a header may come after its pixels: the list tells of it in its own time. */
const HEADER_PATIENCE = 30_000
/** Of instances whose frames are being decoded: a decoded image has its own with it. */
const MOST_EXTRAS = 24

interface Work {
  readonly promise: Promise<Types.IImage>
  readonly control: AbortController
  askers: number
  rank: number
}

export function openFrames(list: ImageList, fetches: Fetches, call: Call): Frames {
  const works = new Map<string, Work>()
  const problems = new Map<string, Message>()
  const extras = new Map<string, Promise<InstanceExtras>>()
  const loaded = new Set<string>()
  const bySop = new Map<string, Set<string>>()
  const listeners = new Set<(imageId: string, what: 'loaded' | 'problem' | 'replaced') => void>()
  const tell = (imageId: string, what: 'loaded' | 'problem' | 'replaced') => {
    for (const listener of listeners) listener(imageId, what)
  }
  const pathOf = (imageId: string) => {
    const { sopInstanceUid, frame } = parseImageId(imageId) ?? { sopInstanceUid: '', frame: 1 }
    return viewPaths.frame(list.viewId, sopInstanceUid, frame)
  }

  const extrasOf = (sopInstanceUid: string, signal: AbortSignal): Promise<InstanceExtras> => {
    const known = extras.get(sopInstanceUid)
    if (known) return known
    const asked = call(
      viewing.extras,
      { params: { viewId: list.viewId, sopInstanceUid } },
      signal,
    ).catch((error: unknown) => {
      extras.delete(sopInstanceUid)
      throw new ImageProblem(
        error instanceof Error && !signal.aborted ? verbatim(error.message) : LEFT,
        true,
      )
    })
    extras.set(sopInstanceUid, asked)
    for (const oldest of extras.keys()) {
      if (extras.size <= MOST_EXTRAS) break
      extras.delete(oldest)
    }
    return asked
  }
  const decode = async (
    imageId: string,
    wish: Wish,
    signal: AbortSignal,
  ): Promise<Types.IImage> => {
    const fetched = await fetches.get(pathOf(imageId), wish, signal)
    for (;;) {
      const { image, series } = await withHeader(list, imageId, signal)
      const more = image.instance.hasExtras
        ? await extrasOf(image.sopInstanceUid, signal)
        : undefined
      const made = await imageOf(image, series.modality, fetched, more)
      if (signal.aborted) throw new ImageProblem(LEFT, true)
      // Its header was said to be another while it was decoded.
      if (list.find(imageId)?.image.instance !== image.instance) continue
      return made
    }
  }
  const keep = (imageId: string, image: Types.IImage) => {
    // Where Cornerstone itself asked for it, it keeps it itself.
    if (!cache.getImageLoadObject(imageId)) {
      try {
        cache.putImageSync(imageId, image)
      } catch {
        throw new ImageProblem(message('viewer.window-out-of-memory'), true)
      }
    }
    loaded.add(imageId)
    problems.delete(imageId)
    const sop = parseImageId(imageId)?.sopInstanceUid ?? ''
    const of = bySop.get(sop)
    if (of) of.add(imageId)
    else bySop.set(sop, new Set([imageId]))
  }
  const start = (imageId: string, wish: Wish): Work => {
    const control = new AbortController()
    const promise = decode(imageId, wish, control.signal)
      .then((image) => {
        keep(imageId, image)
        return image
      })
      .catch((error: unknown) => {
        const problem =
          error instanceof ImageProblem
            ? error
            : new ImageProblem(message('viewer.image-not-decoded'))
        if (!problem.isPassing) problems.set(imageId, problem.explanation)
        throw problem
      })
      .finally(() => {
        if (works.get(imageId)?.promise === promise) works.delete(imageId)
      })
    const work: Work = { promise, control, askers: 0, rank: WISHES.indexOf(wish) }
    works.set(imageId, work)
    promise.then(
      () => tell(imageId, 'loaded'),
      () => {
        if (problems.has(imageId)) tell(imageId, 'problem')
      },
    )
    return work
  }

  const closing = new AbortController()
  const frames: Frames = {
    load(imageId, wish, signal) {
      const known = frames.cached(imageId)
      if (known) return Promise.resolve(known)
      const why = problems.get(imageId)
      if (why !== undefined) return Promise.reject(new ImageProblem(why))
      if (signal?.aborted) return Promise.reject(new ImageProblem(LEFT, true))
      const work = works.get(imageId) ?? start(imageId, wish)
      work.askers += 1
      const rank = WISHES.indexOf(wish)
      if (rank < work.rank) {
        work.rank = rank
        fetches.get(pathOf(imageId), wish, work.control.signal).catch(() => undefined)
      }
      if (!signal) return work.promise
      return new Promise((resolve, reject) => {
        const leave = () => {
          work.askers -= 1
          if (work.askers === 0) {
            if (works.get(imageId) === work) works.delete(imageId)
            work.control.abort()
          }
          reject(new ImageProblem(LEFT, true))
        }
        signal.addEventListener('abort', leave, { once: true })
        work.promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
      })
    },
    async stored(sopInstanceUid, frame, pixel) {
      const path = viewPaths.frame(list.viewId, sopInstanceUid, frame)
      return storedFrame(await fetches.get(path, 'near', closing.signal), pixel)
    },
    cached: (imageId) => (cache.isLoaded(imageId) ? cache.getImage(imageId) : undefined),
    problem: (imageId) => problems.get(imageId) ?? null,
    loaded,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closing.abort()
      stopReplacing()
      for (const { control } of works.values()) control.abort()
      listeners.clear()
      eventTarget.removeEventListener(Enums.Events.IMAGE_CACHE_IMAGE_REMOVED, onRemoved)
      imageLoader.unregisterAllImageLoaders()
    },
  }

  const onRemoved = (event: Event) => {
    const { imageId } = (event as CustomEvent<{ imageId: string }>).detail
    bySop.get(parseImageId(imageId)?.sopInstanceUid ?? '')?.delete(imageId)
  }
  eventTarget.addEventListener(Enums.Events.IMAGE_CACHE_IMAGE_REMOVED, onRemoved)
  const stopReplacing = list.onReplaced((sopInstanceUids) => {
    for (const sop of sopInstanceUids) {
      extras.delete(sop)
      const of = bySop.get(sop) ?? new Set<string>()
      for (const imageId of [...of]) {
        if (cache.getImageLoadObject(imageId)) cache.removeImageLoadObject(imageId, { force: true })
        loaded.delete(imageId)
        tell(imageId, 'replaced')
      }
      for (const imageId of problems.keys()) {
        if (parseImageId(imageId)?.sopInstanceUid !== sop) continue
        problems.delete(imageId)
        tell(imageId, 'replaced')
      }
    }
  })
  imageLoader.registerImageLoader('isthmus', (imageId, options) => {
    const control = new AbortController()
    const promise = frames
      .load(imageId, 'near', control.signal)
      .then((image) =>
        ofVolume(
          asType(image, (options?.targetBuffer as { readonly type?: string } | undefined)?.type),
          options,
        ),
      )
    return {
      promise: promise as Promise<Types.IImage & Record<string, unknown>>,
      cancelFn: () => control.abort(),
    }
  })
  return frames
}

/** What the list knows of an image, once its own header has been read. */
function withHeader(
  list: ImageList,
  imageId: string,
  signal: AbortSignal,
): Promise<NonNullable<ReturnType<ImageList['find']>>> {
  const read = () => {
    const found = list.find(imageId)
    return found && found.image.instance.source !== 'manifest' ? found : undefined
  }
  const now = read()
  if (now) return Promise.resolve(now)
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      unsubscribe()
      unlisten()
      signal.removeEventListener('abort', onAbort)
    }
    const look = () => {
      const found = read()
      if (!found) return
      stop()
      resolve(found)
    }
    const onAbort = () => {
      stop()
      reject(new ImageProblem(LEFT, true))
    }
    const timer = setTimeout(() => {
      stop()
      reject(new ImageProblem(message('viewer.header-not-come'), true))
    }, HEADER_PATIENCE)
    const unsubscribe = list.subscribe(look)
    const unlisten = list.onReplaced(look)
    signal.addEventListener('abort', onAbort)
  })
}

/**
 * Cornerstone keeps the slices that are there when a volume is made, and would drop those that come
 * later for other images.
 */
function ofVolume(
  image: Types.IImage,
  options: { readonly additionalDetails?: unknown } | undefined,
): Types.IImage {
  const { volumeId } = (options?.additionalDetails ?? {}) as { readonly volumeId?: string }
  return volumeId !== undefined && cache.getVolumeLoadObject(volumeId)
    ? Object.assign(image, { sharedCacheKey: volumeId })
    : image
}

/** A volume has one type of number for all of its slices. */
function asType(image: Types.IImage, type: string | undefined): Types.IImage {
  const values = image.getPixelData()
  if (type === undefined || values.constructor.name === type || image.color) return image
  const { minPixelValue: least, maxPixelValue: greatest } = image
  const converted =
    type === 'Float32Array'
      ? Float32Array.from(values)
      : type === 'Int16Array' && least >= -32768 && greatest <= 32767
        ? Int16Array.from(values)
        : type === 'Uint16Array' && least >= 0
          ? Uint16Array.from(values)
          : undefined
  if (!converted) throw new ImageProblem(message('viewer.values-do-not-fit'))
  const voxels = image.voxelManager as
    | { setScalarData?: (data: ArrayLike<number>) => void }
    | undefined
  voxels?.setScalarData?.(converted)
  return Object.assign(image, {
    dataType: type,
    sizeInBytes: converted.byteLength,
    getPixelData: () => converted,
  })
}
