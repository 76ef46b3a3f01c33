import type { Types } from '@cornerstonejs/core'
import type { ImagePixel, InstanceExtras } from '#shared/contract/viewed-images.ts'
import { viewing } from '#shared/contract/viewing.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import { ImageProblem, LEFT } from '#shared/pixels/image-problem.ts'
import type { StoredPixels } from '#shared/pixels/stored.ts'
import { viewPaths } from '#shared/view-paths.ts'
import type { Call } from '../../api/client.ts'
import type { Fetches, FetchPriority } from './fetches.ts'
import { decodeStoredFrame, imageOf } from './image.ts'
import type { ImageList } from './images.ts'
import type { ListedImage } from './listed.ts'
import { framePathOf } from './series.ts'

/** How long a header may come after its pixels: the list tells of it in its own time. */
const HEADER_TIMEOUT_MS = 30_000
/** Of instances whose frames are being decoded: a decoded image has its own with it. */
const MAX_EXTRAS = 24

/** Fetches frames of a view and decodes them. */
export class FrameDecoder {
  readonly #list: ImageList
  readonly #fetches: Fetches
  readonly #call: Call
  readonly #extras = new Map<string, Promise<InstanceExtras>>()

  constructor(list: ImageList, fetches: Fetches, call: Call) {
    this.#list = list
    this.#fetches = fetches
    this.#call = call
  }

  /** @throws ImageProblem */
  async image(imageId: string, wish: FetchPriority, signal: AbortSignal): Promise<Types.IImage> {
    const fetched = await this.#fetches.get(framePathOf(this.#list.viewId, imageId), wish, signal)
    for (;;) {
      const { image, series } = await withHeader(this.#list, imageId, signal)
      const extras = image.instance.hasExtras
        ? await this.#extrasOf(image.sopInstanceUid, signal)
        : undefined
      const decoded = await imageOf(image, series.modality, fetched, extras)
      if (signal.aborted) throw new ImageProblem(LEFT, true)
      // Its header was said to be another while it was decoded.
      if (this.#list.find(imageId)?.image.instance !== image.instance) continue
      return decoded
    }
  }

  /** Stored values of a frame. @throws ImageProblem */
  async stored(
    sopInstanceUid: string,
    frame: number,
    pixel: ImagePixel,
    signal: AbortSignal,
  ): Promise<StoredPixels> {
    const path = viewPaths.frame(this.#list.viewId, sopInstanceUid, frame)
    return decodeStoredFrame(await this.#fetches.get(path, 'near', signal), pixel)
  }

  /** An image that is still being fetched is wanted more urgently. */
  raise(imageId: string, wish: FetchPriority): void {
    this.#fetches.raise(framePathOf(this.#list.viewId, imageId), wish)
  }

  /** The instance is another now. */
  forget(sopInstanceUid: string): void {
    this.#extras.delete(sopInstanceUid)
  }

  #extrasOf(sopInstanceUid: string, signal: AbortSignal): Promise<InstanceExtras> {
    const known = this.#extras.get(sopInstanceUid)
    if (known) return known
    const params = { viewId: this.#list.viewId, sopInstanceUid }
    const asked = this.#call(viewing.extras, { params }, signal).catch((error: unknown) => {
      this.#extras.delete(sopInstanceUid)
      throw new ImageProblem(
        error instanceof Error && !signal.aborted ? verbatim(error.message) : LEFT,
        true,
      )
    })
    this.#extras.set(sopInstanceUid, asked)
    for (const oldest of this.#extras.keys()) {
      if (this.#extras.size <= MAX_EXTRAS) break
      this.#extras.delete(oldest)
    }
    return asked
  }
}

/** What the list knows of an image, once its own header has been read. */
function withHeader(list: ImageList, imageId: string, signal: AbortSignal): Promise<ListedImage> {
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
    const checkFound = () => {
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
    }, HEADER_TIMEOUT_MS)
    const unsubscribe = list.subscribe(checkFound)
    const unlisten = list.onReplaced(checkFound)
    signal.addEventListener('abort', onAbort)
  })
}
