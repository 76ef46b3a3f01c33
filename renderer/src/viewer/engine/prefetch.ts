import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import type { FetchPriority } from './fetches.ts'
import type { Frames } from './frames.ts'

/** Images that are sure to be wanted if the scroll goes on. */
const NEAR_IMAGES = 6
const MAX_CONCURRENT = 4
/** Half of the memory is for what is shown and may be shown soon. */
const PREFETCH_SHARE = 0.5

/**
 * The order in which the images of a stack are wanted ahead of the scroll: the next ones in its
 * direction, a few behind, then outward.
 * @param most as many at most; the rest of a long stack comes when the scroll does
 */
export function prefetchOrder(
  count: number,
  index: number,
  direction: 1 | -1,
  most: number,
): number[] {
  const order: number[] = []
  const add = (at: number) => {
    if (at >= 0 && at < count && order.length < most) order.push(at)
  }
  let ahead = 1
  let behind = 1
  while ((ahead < count || behind < count) && order.length < most) {
    // Three ahead for each one behind.
    for (let n = 0; n < 3 && ahead < count; n += 1) add(index + direction * ahead++)
    if (behind < count) add(index - direction * behind++)
  }
  return order
}

/** Memory of a decoded image, about. @param pixel null while its header is not known */
function bytesOf(pixel: ImagePixel | null): number {
  if (!pixel) return 512 * 512 * 2
  const each =
    pixel.samplesPerPixel > 1 || pixel.photometricInterpretation === 'PALETTE COLOR'
      ? 3
      : pixel.bitsAllocated > 8
        ? 2
        : 1
  return pixel.rows * pixel.columns * (pixel.bitsAllocated > 16 ? 4 : each)
}

/**
 * How many images like this one a pane may hold ahead. @param memory bytes of all images; `panes`
 * share them
 */
export const prefetchCapacity = (pixel: ImagePixel | null, memory: number, panes: number): number =>
  Math.max(2, Math.floor((memory * PREFETCH_SHARE) / Math.max(1, panes) / bytesOf(pixel)))

/** Loads a stack ahead of the scroll, a few images at a time. */
export interface Prefetch {
  /** The scroll is at `index` of `imageIds` now, and has come from `direction`. */
  follow(imageIds: readonly string[], index: number, direction: 1 | -1): void
  stop(): void
}

/** @param most how many images may be held in memory for this pane */
export function openPrefetch(
  frames: Pick<Frames, 'load' | 'cached' | 'problem'>,
  most: () => number,
): Prefetch {
  const running = new Map<string, AbortController>()
  let queue: { readonly imageId: string; readonly wish: FetchPriority }[] = []

  const pump = () => {
    while (running.size < MAX_CONCURRENT) {
      const next = queue.shift()
      if (!next) return
      const { imageId, wish } = next
      if (running.has(imageId) || frames.cached(imageId) || frames.problem(imageId)) continue
      const control = new AbortController()
      running.set(imageId, control)
      frames
        .load(imageId, wish, control.signal)
        .catch((error: unknown) => {
          if (!(error instanceof ImageProblem)) throw error
        })
        .finally(() => {
          if (running.get(imageId) === control) running.delete(imageId)
          pump()
        })
    }
  }
  return {
    follow(imageIds, index, direction) {
      const order = prefetchOrder(imageIds.length, index, direction, most()).map(
        (at) => imageIds[at] as string,
      )
      // What is on its way and still near comes to its end: to break it off would be to fetch it
      // twice.
      const soon = new Set([...order.slice(0, NEAR_IMAGES * 4), imageIds[index]])
      for (const [imageId, control] of [...running]) {
        if (soon.has(imageId)) continue
        running.delete(imageId)
        control.abort()
      }
      queue = order.map((imageId, place) => ({
        imageId,
        wish: place < NEAR_IMAGES ? 'near' : 'prefetch',
      }))
      pump()
    },
    stop() {
      queue = []
      const left = [...running.values()]
      running.clear()
      for (const control of left) control.abort()
    },
  }
}
