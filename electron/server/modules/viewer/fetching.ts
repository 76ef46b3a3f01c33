import { access, open } from 'node:fs/promises'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import type { Streamed } from '#server/webhooks/download.ts'
import type { CacheHold, CachePart, KnownFile, ViewCache } from './cache.ts'
import { type GrowingFile, growingFile } from './open-files.ts'
import type { ViewScope } from './scope.ts'

/** Bytes between two looks at the disk's room. */
const LOOK_EVERY = 64 << 20

export interface FileToFetch {
  readonly fileKey: string
  readonly studyInstanceUid: string
  readonly url: string
  readonly hosts: readonly string[]
}

export interface Fetching {
  readonly signal: AbortSignal
  /**
   * At its first bytes and whenever there are more of them. Not of a deflated file. @throws what
   * ends the fetching
   */
  readonly grown: (file: GrowingFile) => void
  /** See `ViewCache`. */
  readonly evicted: () => void
}

/**
 * Fetches a file into the cache, or takes the copy of an earlier view that its host says is still
 * the same (RFC 9110 §13.1).
 * @throws WebhookError, NoRoom, ViewedFileFault, what `grown` throws, what the disk says, the
 *   signal's reason
 */
export async function fetched(
  { downloads, cache }: ViewScope,
  { fileKey, studyInstanceUid, url, hosts }: FileToFetch,
  fetching: Fetching,
): Promise<CacheHold> {
  await cache.ready
  const { signal, evicted } = fetching
  const stream = (headers: Readonly<Record<string, string>>) =>
    downloads.stream(url, { hosts, signal, maxBytes: cache.mostBytes(), headers })
  const before = cache.known(fileKey)
  let streamed = await stream(before ? conditions(before) : {})
  if (before && streamed.httpStatus === 304) {
    streamed.body.destroy()
    const hold = cache.hold(before, evicted)
    const isThere = hold !== undefined && (await access(hold.path).then(...IS_THERE))
    if (isThere) return hold
    hold?.release()
    streamed = await stream({})
  }
  const { etag = null, lastModified = null } = streamed
  const known = { fileKey, studyInstanceUid, etag, lastModified }
  return await kept(cache, streamed, known, fetching)
}

const IS_THERE = [() => true, () => false] as const

function conditions({ etag, lastModified }: KnownFile): Record<string, string> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}

async function kept(
  cache: ViewCache,
  { body, length }: Streamed,
  known: KnownFile,
  { signal, grown, evicted }: Fetching,
): Promise<CacheHold> {
  let part: CachePart | undefined
  try {
    cache.demandRoom(length ?? 0)
    part = await cache.begin()
    const file = growingFile(part.handle)
    let looked = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      await file.write(chunk)
      if (file.length - looked > LOOK_EVERY) {
        looked = file.length
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
    return await cache.keep(part, file.length, known, evicted)
  } catch (error) {
    body.destroy()
    if (part) await cache.discard(part)
    throw error
  }
}

/** It may have been made anew under the same name. */
async function reopened({ path, handle }: CachePart): Promise<CachePart> {
  await handle.close()
  return { path, handle: await open(path, 'r+') }
}

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
    part = await reopened(part)
    const { size } = await part.handle.stat()
    cache.demandRoom(size)
    return await cache.keep(part, size, known, evicted)
  } catch (error) {
    await cache.discard(part)
    throw error
  }
}
