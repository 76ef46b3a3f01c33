import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { WebhookError } from './webhook-error.ts'

/** What `readBody` can undo, as sent in accept-encoding. */
export const ACCEPT_ENCODING = 'gzip, br'

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
} as const

/** The body of an answer, and how many bytes of it came over the wire so far. */
export interface BodyReading {
  bytes: number
}

/**
 * Reads a whole body, decompressed. Throws `WebhookError` `oversize` as soon as more than `limit` bytes came, or came out of the
 * decompression; `invalid` for a body that cannot be decompressed.
 * @param reading told the bytes of the wire while they come
 */
export async function readBody(response: Dispatcher.ResponseData, limit: number, reading: BodyReading): Promise<Buffer> {
  const { body, headers } = response
  const tooLarge = () => new WebhookError('oversize', `the answer is larger than ${Math.floor(limit / 1024 / 1024)} MiB`)
  if (Number(headers['content-length']) > limit) throw discard(response, tooLarge())
  const encoding = String(headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase()
  const decoder = encoding in DECODERS ? DECODERS[encoding as keyof typeof DECODERS]() : undefined
  if (!decoder && encoding !== 'identity' && encoding !== '') {
    throw discard(response, new WebhookError('invalid', 'the answer is compressed in a way that was not offered'))
  }

  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      reading.bytes += chunk.length
      if (reading.bytes > limit) throw tooLarge()
      yield chunk
    }
  }
  const chunks: Buffer[] = []
  async function collect(source: AsyncIterable<Buffer>) {
    let size = 0
    for await (const chunk of source) {
      size += chunk.length
      if (size > limit) throw tooLarge()
      chunks.push(chunk)
    }
  }

  try {
    await (decoder ? pipeline(body, counted, decoder, collect) : pipeline(body, counted, collect))
  } catch (cause) {
    if (cause instanceof WebhookError || body.errored || !decoder?.errored) throw cause
    throw new WebhookError('invalid', 'the compressed answer is damaged or cut short', {}, cause)
  }
  return Buffer.concat(chunks)
}

/** Gives up an answer and its connection without waiting for the rest; returns the error for the caller to throw. */
export function discard<E extends Error>({ body }: Dispatcher.ResponseData, error: E): E {
  body.on('error', () => undefined).destroy()
  return error
}
