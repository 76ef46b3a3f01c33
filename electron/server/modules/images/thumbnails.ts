import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import { ThumbnailRenderer, ThumbnailsBusy } from '#server/dicom/thumbnails/thumbnail-renderer.ts'
import { type Caller, demand } from '#server/modules/users/caller.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { seesImages } from './image-studies.ts'
import { findInstance } from './instance-queries.ts'
import { findLargestSeries, listPicturedImages, type PicturedFile } from './thumbnail-queries.ts'

/** Bytes of pictures that are kept; each has some ten thousand. */
const MOST_BYTES = 16 << 20
/** What remembering takes for a file that has no picture. */
const NO_PICTURE_BYTES = 200
/** Changes with how thumbnails are rendered, so that browsers ask for the new ones. */
const VERSION = 1

/** A picture of an instance; `png` is null where the instance has none that can be shown. */
export interface Thumbnail {
  readonly etag: string
  readonly png: Uint8Array | null
}

type Renderer = Pick<ThumbnailRenderer, 'render'> & AsyncDisposable

/**
 * Small pictures of series, studies and quarantined images for the lists of the window. They are
 * rendered when they are asked for, in a thread of their own, and kept in memory.
 */
export class Thumbnails implements AsyncDisposable {
  readonly #context: Context
  readonly #renderer: Renderer
  /** By the file of the instance, whose content never changes. */
  readonly #kept = new LRUCache<string, { readonly png: Uint8Array | null }>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ png }) => png?.length ?? NO_PICTURE_BYTES,
  })
  readonly #rendering = new Map<string, Promise<Uint8Array | null>>()

  constructor(context: Context, renderer: Renderer = new ThumbnailRenderer()) {
    this.#context = context
    this.#renderer = renderer
  }

  /**
   * The image in the middle of the series, or of the study's largest series; its first or last one
   * where that has no picture.
   * @throws ApiError not-permitted; not-found: the study is not the caller's to see; busy
   */
  async ofStudy(
    caller: Caller,
    studyInstanceUid: string,
    seriesInstanceUid?: string,
  ): Promise<Thumbnail> {
    const { database } = this.#context
    demand(caller, 'readStudies')
    if (!seesImages(this.#context, caller, studyInstanceUid))
      throw new ApiError('not-found', message('images.no-study'))
    const series = seriesInstanceUid ?? findLargestSeries(database, studyInstanceUid)
    let found: Thumbnail = { etag: `"none-${VERSION}"`, png: null }
    for (const file of series ? listPicturedImages(database, studyInstanceUid, series) : []) {
      found = await this.#of(file)
      if (found.png) break
    }
    return found
  }

  /**
   * One image, in quarantine or not.
   * @throws ApiError not-permitted; not-found: it is not here, or not the caller's to see; busy
   */
  async ofInstance(caller: Caller, instanceId: number): Promise<Thumbnail> {
    demand(caller, 'readStudies')
    const instance = findInstance(this.#context.database, instanceId)
    if (!instance || !seesImages(this.#context, caller, instance.studyInstanceUid))
      throw new ApiError('not-found', message('images.image-not-set-aside'))
    return this.#of(instance)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#renderer[Symbol.asyncDispose]()
  }

  async #of({ file, crc32 }: PicturedFile): Promise<Thumbnail> {
    const known = this.#kept.get(file)
    const png = known ? known.png : await (this.#rendering.get(file) ?? this.#render(file))
    return { etag: `"${crc32.toString(16)}-${VERSION}"`, png }
  }

  async #render(file: string): Promise<Uint8Array | null> {
    const rendering = this.#renderer.render(this.#context.imageFiles.pathOf(file))
    this.#rendering.set(file, rendering)
    try {
      const png = await rendering
      this.#kept.set(file, { png })
      return png
    } catch (error) {
      if (error instanceof ThumbnailsBusy)
        throw new ApiError('unavailable', message('images.thumbnails-busy'))
      // The file is gone or cannot be read, which other parts of the gateway report.
      if ((error as NodeJS.ErrnoException).code !== undefined) return null
      throw error
    } finally {
      this.#rendering.delete(file)
    }
  }
}
