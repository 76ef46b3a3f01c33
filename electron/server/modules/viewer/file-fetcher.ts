import { access, open } from 'node:fs/promises'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import type { Downloads, StreamedDownload } from '#server/webhooks/download.ts'
import { GrowingFile } from './open-files.ts'
import type { CacheLease, CachePart, KnownFile, ViewCache } from './view-cache.ts'

/** Bytes written between two checks of the free disk space. */
const CHECK_EVERY_BYTES = 64 << 20

/** Downloads files of partners into the cache. */
export class FileFetcher {
  readonly cache: ViewCache
  readonly downloads: Pick<Downloads, 'stream'>
  /** Delays in milliseconds before the retries of a file. */
  readonly pausesMs: readonly number[]
  /**
   * Milliseconds after which files are loaded at full speed even if no image has been requested.
   */
  readonly startMs: number

  constructor(
    downloads: Pick<Downloads, 'stream'>,
    cache: ViewCache,
    pausesMs: readonly number[],
    startMs: number,
  ) {
    this.downloads = downloads
    this.cache = cache
    this.pausesMs = pausesMs
    this.startMs = startMs
  }

  /**
   * Downloads a file, or uses the copy of an earlier view if its host confirms that it is unchanged
   * (RFC 9110 §13.1).
   * @param grown called when the first and further bytes are available, unless the file is
   *   deflated; an error that it throws ends the download
   * @param evicted see `ViewCache.hold`
   * @throws WebhookError, NotEnoughSpaceError, ViewedFileFault, errors of `grown` and of the disk, the abort
   *   reason of the signal
   */
  async fetch(
    of: Pick<KnownFile, 'fileKey' | 'studyInstanceUid'>,
    url: string,
    hosts: readonly string[],
    signal: AbortSignal,
    grown: (file: GrowingFile) => void,
    evicted: () => void,
  ): Promise<CacheLease> {
    const { cache, downloads } = this
    await cache.ready
    const stream = (headers: Readonly<Record<string, string>>) =>
      downloads.stream(url, { hosts, signal, maxBytes: cache.maxFileBytes(), headers })
    const before = cache.known(of.fileKey)
    let streamed = await stream(before ? conditionsOf(before) : {})
    if (before && streamed.httpStatus === 304) {
      streamed.body.destroy()
      const hold = cache.hold(before, evicted)
      if (hold && (await fileExists(hold.path))) return hold
      hold?.release()
      streamed = await stream({})
    }
    const { etag = null, lastModified = null } = streamed
    return await this.#download(streamed, { ...of, etag, lastModified }, signal, grown, evicted)
  }

  async #download(
    { body, length }: StreamedDownload,
    known: KnownFile,
    signal: AbortSignal,
    grown: (file: GrowingFile) => void,
    evicted: () => void,
  ): Promise<CacheLease> {
    const { cache } = this
    let part: CachePart | undefined
    try {
      cache.requireRoom(length ?? 0)
      part = await cache.begin()
      const file = new GrowingFile(part.handle)
      let checkedBytes = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        await file.write(chunk)
        if (file.source.length - checkedBytes > CHECK_EVERY_BYTES) {
          checkedBytes = file.source.length
          cache.requireRoom(CHECK_EVERY_BYTES)
        }
        if (file.isDeflated() === false) grown(file)
      }
      file.end()
      if (file.isDeflated()) {
        const hold = await createInflatedCopy(cache, part.path, known, evicted)
        await cache.discard(part)
        return hold
      }
      grown(file)
      signal.throwIfAborted()
      return await cache.keep(part, file.source.length, known, evicted)
    } catch (error) {
      body.destroy()
      if (part) await cache.discard(part)
      throw error
    }
  }
}

const fileExists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const conditionsOf = ({ etag, lastModified }: KnownFile) => ({
  ...(etag !== null && { 'if-none-match': etag }),
  ...(lastModified !== null && { 'if-modified-since': lastModified }),
})

/**
 * Inflates a deflated file, such as one of the archive, into the cache.
 * @throws ViewedFileFault, NotEnoughSpaceError, errors of the disk
 */
export async function createInflatedCopy(
  cache: ViewCache,
  path: string,
  known: KnownFile,
  evicted: () => void,
): Promise<CacheLease> {
  await cache.ready
  let part = await cache.begin()
  try {
    await inflatedFile(path, part.path, { bytes: cache.maxInflatedBytes() })
    // Reopened, because the file may have been replaced by another one with the same name.
    await part.handle.close()
    part = { path: part.path, handle: await open(part.path, 'r+') }
    const { size } = await part.handle.stat()
    cache.requireRoom(size)
    return await cache.keep(part, size, known, evicted)
  } catch (error) {
    await cache.discard(part)
    throw error
  }
}
