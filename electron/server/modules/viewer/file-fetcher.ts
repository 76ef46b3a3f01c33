import { access, open } from 'node:fs/promises'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import type { Downloads, Streamed } from '#server/webhooks/download.ts'
import { GrowingFile } from './open-files.ts'
import type { CacheHold, CachePart, KnownFile, ViewCache } from './view-cache.ts'

/** Bytes between two looks at the disk's room. */
const LOOK_EVERY = 64 << 20

/** Fetches files of partners into the cache. */
export class FileFetcher {
  readonly cache: ViewCache
  readonly downloads: Pick<Downloads, 'stream'>
  /** Milliseconds before the first and the second new try of a file. */
  readonly pausesMs: readonly number[]
  /** Milliseconds after which files come at full speed though no image was asked for. */
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
   * Fetches a file, or takes the copy of an earlier view that its host says is still the same
   * (RFC 9110 §13.1).
   * @param grown called at its first bytes and whenever there are more of them, unless it is
   *   deflated; what it throws ends the fetching
   * @param evicted see `ViewCache.hold`
   * @throws WebhookError, NoRoom, ViewedFileFault, what `grown` throws, what the disk says, the
   *   signal's reason
   */
  async fetch(
    of: Pick<KnownFile, 'fileKey' | 'studyInstanceUid'>,
    url: string,
    hosts: readonly string[],
    signal: AbortSignal,
    grown: (file: GrowingFile) => void,
    evicted: () => void,
  ): Promise<CacheHold> {
    const { cache, downloads } = this
    await cache.ready
    const stream = (headers: Readonly<Record<string, string>>) =>
      downloads.stream(url, { hosts, signal, maxBytes: cache.mostBytes(), headers })
    const before = cache.known(of.fileKey)
    let streamed = await stream(before ? conditionsOf(before) : {})
    if (before && streamed.httpStatus === 304) {
      streamed.body.destroy()
      const hold = cache.hold(before, evicted)
      if (hold && (await isThere(hold.path))) return hold
      hold?.release()
      streamed = await stream({})
    }
    const { etag = null, lastModified = null } = streamed
    return await this.#keep(streamed, { ...of, etag, lastModified }, signal, grown, evicted)
  }

  async #keep(
    { body, length }: Streamed,
    known: KnownFile,
    signal: AbortSignal,
    grown: (file: GrowingFile) => void,
    evicted: () => void,
  ): Promise<CacheHold> {
    const { cache } = this
    let part: CachePart | undefined
    try {
      cache.demandRoom(length ?? 0)
      part = await cache.begin()
      const file = new GrowingFile(part.handle)
      let looked = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        await file.write(chunk)
        if (file.source.length - looked > LOOK_EVERY) {
          looked = file.source.length
          cache.demandRoom(LOOK_EVERY)
        }
        if (file.isDeflated() === false) grown(file)
      }
      file.end()
      if (file.isDeflated()) {
        const hold = await inflatedCopy(cache, part.path, known, evicted)
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

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const conditionsOf = ({ etag, lastModified }: KnownFile) => ({
  ...(etag !== null && { 'if-none-match': etag }),
  ...(lastModified !== null && { 'if-modified-since': lastModified }),
})

/**
 * A deflated file, such as one of the archive, inflated into the cache. @throws ViewedFileFault,
 * NoRoom, what the disk says
 */
export async function inflatedCopy(
  cache: ViewCache,
  path: string,
  known: KnownFile,
  evicted: () => void,
): Promise<CacheHold> {
  await cache.ready
  let part = await cache.begin()
  try {
    await inflatedFile(path, part.path, { bytes: cache.mostInflatedBytes() })
    // The file may have been replaced by another one of the same name.
    await part.handle.close()
    part = { path: part.path, handle: await open(part.path, 'r+') }
    const { size } = await part.handle.stat()
    cache.demandRoom(size)
    return await cache.keep(part, size, known, evicted)
  } catch (error) {
    await cache.discard(part)
    throw error
  }
}
