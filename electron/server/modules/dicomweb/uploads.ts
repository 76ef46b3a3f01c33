import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { contentTypeIn } from './accept.ts'
import { DICOM } from './media-types.ts'

/** Parts that are processed at the same time: their commits share one write of the disk. */
const MAX_OPEN_PARTS = 4
/** Header fields of a part; more than any needs. */
const HEADER_LIMITS = { maxHeaderPairs: 50, maxHeaderSize: 8192 }

/** A part of an upload while it is received. */
export interface UploadedPart {
  /** In lower case, without parameters; '' if it has none. Known once content was read. */
  readonly type: () => string
  /** Throws if the upload ends within the part. */
  readonly content: AsyncIterable<Buffer>
}

/**
 * Reads a `multipart/related` body while it is received (RFC 2387). The sender is held up while too
 * much of it waits.
 * @param take processes a part; if it does not read the content to its end, the rest is discarded
 * @returns the number of parts
 * @throws ApiError media-type: it is not multipart, or not of DICOM files; malformed: it does not end
 * as it should; errors of `take`
 */
export async function readParts(
  contentType: string | undefined,
  body: Readable,
  take: (part: UploadedPart, index: number) => Promise<void>,
): Promise<number> {
  const dicer = new Dicer({ boundary: boundaryOf(contentType), ...HEADER_LIMITS })
  const open = new Set<PartStream>()
  const running = new Set<Promise<void>>()
  let parts = 0
  let failure: unknown
  dicer.on('part', (stream: PartStream) => {
    open.add(stream)
    let type = ''
    stream.on('header', (header: Readonly<Record<string, readonly string[]>>) => {
      type = contentTypeIn(header['content-type']?.[0])?.type ?? ''
    })
    // An interrupted part is reported to whoever reads it.
    stream.on('error', () => undefined)
    stream.once('close', () => open.delete(stream))
    const task = take({ type: () => type, content: stream }, parts++)
      .catch((error: unknown) => {
        failure ??= error
      })
      .finally(() => {
        running.delete(task)
        stream.resume()
      })
    running.add(task)
  })
  dicer.on('error', (error: unknown) => {
    failure ??= error
  })
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      // Called once the parts in the chunk have taken their data.
      await new Promise<void>((resolve) => dicer.write(chunk, () => resolve()))
      while (running.size >= MAX_OPEN_PARTS) await Promise.race(running)
    }
    await new Promise<void>((resolve) => dicer.end(() => resolve()))
  } catch (error) {
    for (const stream of open) stream.destroy(new Error('the upload was interrupted'))
    await Promise.all(running)
    throw error
  }
  await Promise.all(running)
  if (failure) throw failure
  return parts
}

type PartStream = Readable & {
  on(event: 'header', listener: (header: object) => void): unknown
}

function boundaryOf(contentType: string | undefined): string {
  const media = contentTypeIn(contentType)
  const type = media?.parameters.get('type')?.toLowerCase() ?? DICOM
  if (media?.type !== 'multipart/related' || type !== DICOM)
    throw new ApiError('media-type', message('dicomweb.upload-type'))
  const boundary = media.parameters.get('boundary') ?? ''
  // RFC 2046 §5.1.1 permits 70 characters; Orthanc sends 73.
  if (boundary === '' || boundary.length > 200)
    throw new ApiError('malformed', message('dicomweb.upload-without-boundary'))
  return boundary
}
