import { Readable } from 'node:stream'
import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import {
  type EncapsulatedContent,
  spansWithin,
} from '#server/dicom/pixel-data/encapsulated-content.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type ImageFile, withApiErrors } from './image-file.ts'

const CHUNK_BYTES = 1 << 20

/** Bytes of a file in a response, with the headers of a range request. */
export interface StreamedContent {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
  readonly mimeType: string
}

/**
 * Streams a part of the complete file of an instance.
 * @param locate finds the part
 * @param range the `Range` header
 * @throws ApiError refused: the file is faulty or has no such part; the abort reason of `signal`
 */
export async function streamContent(
  image: ImageFile,
  locate: (source: ByteSource) => EncapsulatedContent,
  range: string | undefined,
  signal: AbortSignal,
): Promise<StreamedContent> {
  const { spans, mimeType } = await image.use(signal, async ({ source }) =>
    withApiErrors(() => locate(source)),
  )
  const size = spans.reduce((sum, { length }) => sum + length, 0)
  if (size === 0) throw new ApiError('refused', message('viewer.no-document'))
  const part = rangeOf(range, size)
  const { from, length }: ByteRange = part ?? { from: 0, length: size }
  async function* chunks() {
    for (const span of spansWithin(spans, from, length)) {
      for (let read = 0; read < span.length; read += CHUNK_BYTES) {
        const bytes = Math.min(CHUNK_BYTES, span.length - read)
        yield await image.use(signal, ({ source }) => source.fetch(span.at + read, bytes))
      }
    }
  }
  return {
    ...{ mimeType, status: part ? 206 : 200 },
    body: Readable.from(chunks(), { objectMode: false }),
    headers: {
      ...{ 'content-length': String(length), 'accept-ranges': 'bytes' },
      ...(part && { 'content-range': `bytes ${from}-${from + length - 1}/${size}` }),
    },
  }
}

interface ByteRange {
  readonly from: number
  readonly length: number
}

/**
 * Parses a single byte range (RFC 9110 §14.1.2). Undefined if there is no range, there are several,
 * or it is not satisfiable; the complete content is returned then (§14.2).
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last))
  return from <= to ? { from, length: to - from + 1 } : undefined
}
