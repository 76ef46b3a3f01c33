import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import {
  ThumbnailRenderer,
  ThumbnailsBusyError,
} from '#server/dicom/thumbnails/thumbnail-renderer.ts'
import { type Caller, requirePermission } from '#server/modules/users/caller.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { canSeeImages } from './image-studies.ts'
import { findInstance } from './instance-queries.ts'
import { localPathOf } from './local-files.ts'
import {
  findLargestSeries,
  listThumbnailSources,
  type ThumbnailSource,
} from './thumbnail-queries.ts'

/** Size of the cache in bytes. A thumbnail has about 10 kB. */
const MAX_CACHE_BYTES = 16 << 20
/** Size of a cache entry for a file without a thumbnail. */
const EMPTY_ENTRY_BYTES = 200
/** Part of the ETag; increased when rendering changes, so that browsers load thumbnails again. */
const VERSION = 1

/** A thumbnail; `png` is null if the instance has no image that can be rendered. */
export interface Thumbnail {
  readonly etag: string
  readonly png: Uint8Array | null
}

type Renderer = Pick<ThumbnailRenderer, 'render'> & AsyncDisposable

/**
 * Thumbnails of series, studies and quarantined images for the lists of the window. They are
 * rendered on request in a worker thread and cached in memory.
 */
export class Thumbnails implements AsyncDisposable {
  readonly #context: Context
  readonly #renderer: Renderer
  /** By file name of the instance; the content of these files never changes. */
  readonly #cache = new LRUCache<string, { readonly png: Uint8Array | null }>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ png }) => png?.length ?? EMPTY_ENTRY_BYTES,
  })
  readonly #rendering = new Map<string, Promise<Uint8Array | null>>()

  constructor(context: Context, renderer: Renderer = new ThumbnailRenderer()) {
    this.#context = context
    this.#renderer = renderer
  }

  /**
   * The thumbnail of the middle image of the series, by default of the study's largest series. If
   * that image cannot be rendered, the first or the last one is used.
   * @throws ApiError not-permitted, not-found (or not visible to the caller), unavailable
   */
  async ofStudy(
    caller: Caller,
    studyInstanceUid: string,
    seriesInstanceUid?: string,
  ): Promise<Thumbnail> {
    const { database } = this.#context
    requirePermission(caller, 'readStudies')
    if (!canSeeImages(this.#context, caller, studyInstanceUid))
      throw new ApiError('not-found', message('images.no-study'))
    const series = seriesInstanceUid ?? findLargestSeries(database, studyInstanceUid)
    let thumbnail: Thumbnail = { etag: `"none-${VERSION}"`, png: null }
    for (const file of series ? listThumbnailSources(database, studyInstanceUid, series) : []) {
      thumbnail = await this.#of(file)
      if (thumbnail.png) break
    }
    return thumbnail
  }

  /**
   * The thumbnail of one image, quarantined or not.
   * @throws ApiError not-permitted, not-found (or not visible to the caller), unavailable
   */
  async ofInstance(caller: Caller, instanceId: number): Promise<Thumbnail> {
    requirePermission(caller, 'readStudies')
    const instance = findInstance(this.#context.database, instanceId)
    if (!instance || !canSeeImages(this.#context, caller, instance.studyInstanceUid))
      throw new ApiError('not-found', message('images.image-not-set-aside'))
    return this.#of(instance)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#renderer[Symbol.asyncDispose]()
  }

  async #of(source: ThumbnailSource): Promise<Thumbnail> {
    const { file, crc32 } = source
    const cached = this.#cache.get(file)
    const png = cached ? cached.png : await (this.#rendering.get(file) ?? this.#render(source))
    return { etag: `"${crc32.toString(16)}-${VERSION}"`, png }
  }

  async #render(source: ThumbnailSource): Promise<Uint8Array | null> {
    const { file } = source
    const rendering = localPathOf(this.#context, source).then((path) => this.#renderer.render(path))
    this.#rendering.set(file, rendering)
    try {
      const png = await rendering
      this.#cache.set(file, { png })
      return png
    } catch (error) {
      if (error instanceof ThumbnailsBusyError)
        throw new ApiError('unavailable', message('images.thumbnails-busy'))
      // The file is missing or unreadable, which other parts of the gateway report.
      if ((error as NodeJS.ErrnoException).code !== undefined) return null
      throw error
    } finally {
      this.#rendering.delete(file)
    }
  }
}
