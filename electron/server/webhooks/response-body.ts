import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { freeBuffer } from '#server/platform/free-buffer.ts'
import { message } from '#shared/messages/message.ts'
import { WebhookError } from './webhook-error.ts'

/** The encodings that `readBody` supports, as sent in accept-encoding. */
export const ACCEPT_ENCODING = 'gzip, br'

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
} as const

/** Counts the transferred bytes of a body while it is read. */
export interface BodyReading {
  bytes: number
}

/**
 * Reads and decompresses a complete body. @throws WebhookError `oversize` as soon as more than
 * `limit` bytes have been received or decompressed; `invalid` if the body cannot be decompressed
 * @param reading updated with the number of transferred bytes
 * @param grows awaited before this many bytes are allocated
 */
export async function readBody(
  response: Dispatcher.ResponseData,
  limit: number,
  reading: BodyReading,
  grows: (bytes: number) => Promise<void> | undefined,
): Promise<Buffer> {
  const { body, headers } = response
  const tooLargeError = () =>
    new WebhookError(
      'oversize',
      message('webhooks.answer-too-large', { mib: Math.floor(limit / 1024 / 1024) }),
    )
  const declaredLength = Number(headers['content-length'])
  if (declaredLength > limit) throw discardBody(response, tooLargeError())
  const encoding = String(headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase()
  const decoder = Object.hasOwn(DECODERS, encoding)
    ? DECODERS[encoding as keyof typeof DECODERS]()
    : undefined
  if (!decoder && encoding !== 'identity' && encoding !== '') {
    throw discardBody(
      response,
      new WebhookError('invalid', message('webhooks.encoding-not-offered')),
    )
  }

  const count = (chunk: Buffer) => {
    reading.bytes += chunk.length
    if (reading.bytes > limit) throw tooLargeError()
  }
  async function* withByteCount(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      count(chunk)
      yield chunk
    }
  }
  // A body of known length is read directly into its final buffer instead of being copied.
  let buffer = Buffer.allocUnsafeSlow(!decoder && declaredLength > 0 ? declaredLength : 16 << 10)
  let size = 0
  async function append(chunk: Buffer) {
    const end = size + chunk.length
    if (end > limit) throw tooLargeError()
    await grows(end)
    if (end > buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(end, buffer.length * 2)))
      buffer.copy(grown, 0, 0, size)
      freeBuffer(buffer)
      buffer = grown
    }
    chunk.copy(buffer, size)
    size = end
  }
  // Not an async iterator, which would join the waiting chunks in a new buffer.
  const collector = new Writable({
    async write(chunk: Buffer, _, done) {
      try {
        if (!decoder) count(chunk)
        await append(chunk)
        // The HTTP parser is finished with the network buffer, and only this chunk is in it.
        if (!decoder) freeBuffer(chunk)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })

  try {
    await (decoder ? pipeline(body, withByteCount, decoder, collector) : pipeline(body, collector))
  } catch (cause) {
    if (cause instanceof WebhookError || body.errored || !decoder?.errored) throw cause
    throw new WebhookError('invalid', message('webhooks.compression-damaged'), {}, cause)
  }
  if (size === buffer.length) return buffer
  const exact = Buffer.from(buffer.subarray(0, size))
  freeBuffer(buffer)
  return exact
}

/** Maximum number of bytes stored of an answer. */
export const MAX_STORED_BYTES = 64 << 10
/** The text of a refusal usually arrives immediately or not at all. */
const REFUSAL_TIMEOUT_MS = 500

/**
 * The beginning of the body of a refusal, as far as it arrives promptly; null if there is none or
 * it is compressed.
 */
export async function readRefusal(
  response: Dispatcher.ResponseData,
  reading: BodyReading,
): Promise<Buffer | null> {
  const { body, headers } = response
  const chunks: Buffer[] = []
  let size = 0
  const stop = setTimeout(() => discardBody(response, new Error('late')), REFUSAL_TIMEOUT_MS)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      reading.bytes += chunk.length
      size += chunk.length
      chunks.push(chunk)
      if (size > MAX_STORED_BYTES) break
    }
  } catch {
    // What has arrived by then is used.
  } finally {
    clearTimeout(stop)
  }
  const isPlain = headers['content-encoding'] === undefined
  return isPlain && size > 0 ? Buffer.concat(chunks).subarray(0, MAX_STORED_BYTES) : null
}

/**
 * Closes an answer and its connection without reading the rest. Returns the error for the caller to
 * throw.
 */
export function discardBody<E extends Error>({ body }: Dispatcher.ResponseData, error: E): E {
  body.on('error', () => undefined).destroy()
  return error
}
