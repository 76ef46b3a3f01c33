import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'

/** A part of a multipart response: its header fields and its content in pieces. */
export interface Part {
  readonly headers: Readonly<Record<string, string>>
  readonly content: Buffer | AsyncIterable<Buffer>
}

/** A `multipart/related` body (RFC 2387) with the media type of the response. */
export interface MultipartBody {
  readonly contentType: string
  readonly body: Buffer | Readable
}

/** @param type the media type of the parts */
export function multipart(type: string, parts: AsyncIterable<Part>): MultipartBody {
  const boundary = newBoundary()
  const body = Readable.from(piecesOf(parts, boundary), { objectMode: false })
  return { contentType: contentTypeOf(type, boundary), body }
}

/** A body with one part that is in memory: its length is known, and nothing has to be streamed. */
export function singlePartBody(
  type: string,
  headers: Part['headers'],
  content: Buffer,
): MultipartBody {
  const { place, ...answer } = allocateSinglePart(type, headers, content.length, Buffer.allocUnsafe)
  content.copy(place)
  return answer
}

/**
 * A body with one part whose content is still to be written to `place`, where it is in the body.
 * @param take returns a buffer of a length
 */
export function allocateSinglePart(
  type: string,
  headers: Part['headers'],
  length: number,
  take: (length: number) => Buffer,
): { readonly contentType: string; readonly body: Buffer; readonly place: Buffer } {
  const boundary = newBoundary()
  const [start, end] = [startOf(headers, boundary), closingDelimiterOf(boundary)]
  const body = take(start.length + length + end.length)
  start.copy(body)
  end.copy(body, start.length + length)
  const contentBuffer = body.subarray(start.length, start.length + length)
  return { contentType: contentTypeOf(type, boundary), body, place: contentBuffer }
}

async function* piecesOf(parts: AsyncIterable<Part>, boundary: string) {
  let isFirst = true
  for await (const { headers, content } of parts) {
    const start = startOf(headers, boundary)
    yield isFirst ? start : Buffer.concat([CRLF, start])
    isFirst = false
    if (Buffer.isBuffer(content)) yield content
    else yield* content
  }
  yield closingDelimiterOf(boundary)
}

const CRLF = Buffer.from('\r\n')

function startOf(headers: Part['headers'], boundary: string): Buffer {
  let text = `--${boundary}\r\n`
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`
  return Buffer.from(`${text}\r\n`, 'latin1')
}

const closingDelimiterOf = (boundary: string): Buffer =>
  Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1')

/** It is not part of any content: its probability is that of guessing a UUID. */
const newBoundary = (): string => randomUUID()

const contentTypeOf = (type: string, boundary: string): string =>
  `multipart/related; type="${type}"; boundary=${boundary}`
