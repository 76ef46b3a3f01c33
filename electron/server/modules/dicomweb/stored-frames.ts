import { closeSync, openSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { readFull } from '#server/database/part-file.ts'
import { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'
import { locateFrame } from '#server/modules/viewer/image-file.ts'
import type { OpenFiles } from '#server/modules/viewer/open-files.ts'
import { allocateSinglePart, type MultipartBody, type Part } from './multipart.ts'

/** A frame that is one piece of its file, and is sent as it is there. */
export interface StoredFrame {
  readonly path: string
  readonly at: number
  readonly length: number
}

/** Located frames that are remembered: a few megabytes. */
const MAX_LOCATED_FRAMES = 20_000
/** Of a CT or MR image; larger frames have a buffer of their own. */
const SLICE_BYTES = 1 << 20
const MAX_KEPT_SLICES = 16

/**
 * Reads frames of files that never change. Where a frame is is remembered, so that a further request
 * for it reads no header, and buffers are used again, because half a megabyte for each request would
 * keep the garbage collector busy.
 */
export class StoredFrames {
  readonly #files: OpenFiles
  readonly #locatedFrames = new LRUCache<string, StoredFrame>({ max: MAX_LOCATED_FRAMES })
  readonly #slices = new SlicePool(SLICE_BYTES, MAX_KEPT_SLICES)

  constructor(files: OpenFiles) {
    this.#files = files
  }

  /**
   * Undefined if the frame is in several pieces or is not sent as it is stored.
   * @throws ApiError not-found, refused: see `ImageFile.frame`
   */
  async locate(
    { path }: { readonly path: string },
    number: number,
  ): Promise<StoredFrame | undefined> {
    const key = `${path} ${number}`
    const known = this.#locatedFrames.get(key)
    if (known) return known
    const bytes = await this.#files.use(path, async ({ viewed }) => locateFrame(viewed, number))
    const [span, ...others] = bytes?.spans ?? []
    if (!span || others.length > 0 || bytes?.swapsPairs || bytes?.bitRange) return undefined
    const frame = { path, at: span.at, length: span.length }
    this.#locatedFrames.set(key, frame)
    return frame
  }

  /** The frame as the only part of a body. `release` is called when the body has been sent. */
  async onePart(
    { path, at, length }: StoredFrame,
    type: string,
    headers: Part['headers'],
  ): Promise<MultipartBody & { readonly release: () => void }> {
    const takeSlice = (size: number) => this.#slices.take(size)
    const { place, ...answer } = allocateSinglePart(type, headers, length, takeSlice)
    // The threads of the pool are worth their way for the bytes, not for opening and closing.
    const descriptor = openSync(path, 'r')
    try {
      if ((await readFull(place, descriptor, at)).length < length)
        throw new Error('The file ended before the bytes that it had.')
      return { ...answer, release: () => this.#slices.give(answer.body) }
    } finally {
      closeSync(descriptor)
    }
  }
}
