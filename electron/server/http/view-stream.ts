import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { OpenView } from './callers.ts'
import { documentHeaders, serveFile } from './file-route.ts'
import type { HttpApp } from './http-app.ts'
import { admitView } from './view-authentication.ts'

export interface LineStreamOptions {
  /** Milliseconds between empty lines; the view is checked again at each. */
  readonly heartbeatMs?: number
  /** Maximum number of open streams: on this path, and of one view. */
  readonly maxStreams?: number
  readonly maxStreamsPerView?: number
}

/**
 * Registers a path of the viewer that streams lines of JSON (`application/x-ndjson`) as fast as the
 * client reads them. The signal is aborted when the client disconnects, the view ends or the server
 * closes. Empty lines are heartbeats. An error before the first line is sent as a problem; after
 * that the connection is closed.
 */
export function serveViewLines(
  app: HttpApp,
  path: `/${string}`,
  open: (view: OpenView, signal: AbortSignal) => AsyncIterable<unknown>,
  {
    heartbeatMs = 15_000,
    maxStreams: streams = 100,
    maxStreamsPerView: ofView = 10,
  }: LineStreamOptions = {},
): void {
  let openStreamCount = 0
  const openStreamsByView = new Map<string, number>()
  serveFile(app, path, { access: 'view' }, async ({ view }, reply, request) => {
    const { viewId } = view
    const openStreamsOfView = openStreamsByView.get(viewId) ?? 0
    if (openStreamCount >= streams || openStreamsOfView >= ofView)
      throw new ApiError('too-many', message('http.too-many-studies'), {
        headers: { 'retry-after': '10' },
      })
    using ending = abortControllerFor(app, reply)
    const { raw } = reply
    const write = (text: string) => {
      if (!raw.headersSent) beginStream(reply)
      return raw.write(text)
    }
    const check = (): boolean => {
      const isOpen = isViewOpen(app, request)
      if (!isOpen) ending.end()
      return isOpen
    }
    const heartbeat = setInterval(
      () => check() && !raw.writableNeedDrain && write('\n'),
      heartbeatMs,
    )
    const forget = app.sessions.onClosed?.(check)
    openStreamCount += 1
    openStreamsByView.set(viewId, openStreamsOfView + 1)
    try {
      for await (const line of open(view, ending.signal)) {
        if (!write(`${JSON.stringify(line)}\n`)) await once(raw, 'drain', { signal: ending.signal })
      }
    } catch (error) {
      if (!ending.signal.aborted) {
        if (!raw.headersSent) throw error
        app.noteFault(request, error)
        return void raw.destroy()
      }
    } finally {
      clearInterval(heartbeat)
      forget?.()
      openStreamCount -= 1
      const openCount = (openStreamsByView.get(viewId) ?? 1) - 1
      if (openCount > 0) openStreamsByView.set(viewId, openCount)
      else openStreamsByView.delete(viewId)
    }
    if (!raw.headersSent) beginStream(reply)
    raw.end()
  })
}

function beginStream(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
}

/** Also aborted when the client disconnects and when the server closes. */
function abortControllerFor(
  app: HttpApp,
  { raw }: FastifyReply,
): Disposable & { readonly signal: AbortSignal; end(): void } {
  const ending = new AbortController()
  const end = () => ending.abort()
  raw.once('close', end)
  app.openStreams.add(end)
  return { signal: ending.signal, end, [Symbol.dispose]: () => void app.openStreams.delete(end) }
}

function isViewOpen({ views }: HttpApp, request: FastifyRequest): boolean {
  try {
    return admitView(request, views, 'background') !== undefined
  } catch {
    return false
  }
}

/** Bytes that are read while they are sent. */
export interface ByteStream {
  readonly length: number
  /**
   * Writes all bytes, in pieces. The memory of a piece may be used again when `write` has resolved.
   * If it throws, the connection is closed, so that the page does not take a part for the whole.
   */
  send(write: (piece: Buffer) => Promise<void>, signal: AbortSignal): Promise<void>
}

/** Bytes for the viewer page. */
export interface ViewBytes {
  /** Defaults to 200. */
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | Readable | ByteStream
}

/**
 * Registers a path of the viewer that responds with bytes. The signal is aborted when the client
 * disconnects or the server closes.
 */
export function serveViewBytes<P extends z.ZodType>(
  app: HttpApp,
  path: `/${string}`,
  params: P,
  open: (call: {
    readonly params: z.output<P>
    readonly view: OpenView
    /** The Range header. */
    readonly range: string | undefined
    readonly signal: AbortSignal
  }) => Promise<ViewBytes>,
): void {
  serveFile(app, path, { access: 'view', params }, async (call, reply, request) => {
    const ending = abortControllerFor(app, reply)
    const { signal } = ending
    reply.raw.once('close', () => ending[Symbol.dispose]())
    try {
      const {
        status = 200,
        headers,
        body,
      } = await open({
        ...call,
        range: request.headers.range,
        signal,
      })
      reply.code(status).headers({
        'cache-control': 'private, no-store',
        ...headers,
        'x-content-type-options': 'nosniff',
      })
      if (!('send' in body)) return reply.send(body)
      await sendStream(reply, body, signal)
    } catch (error) {
      if (!reply.raw.headersSent && !signal.aborted) throw error
      // The socket is destroyed before the signal is aborted.
      if (!signal.aborted && !reply.raw.destroyed && !reply.raw.socket?.destroyed)
        app.noteFault(request, error)
      reply.hijack().raw.destroy()
    }
  })
}

async function sendStream(reply: FastifyReply, body: ByteStream, signal: AbortSignal) {
  const { raw } = reply.hijack()
  raw.strictContentLength = true
  raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-length': body.length,
  })
  await body.send((piece) => writePiece(raw, piece, signal), signal)
  raw.end()
}

/** Resolves when the operating system has taken all bytes. */
function writePiece(raw: ServerResponse, piece: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    raw.write(piece, (error) => {
      signal.removeEventListener('abort', abort)
      if (error) reject(error)
      else resolve()
    })
  })
}

/**
 * A frame as stored in its file. @throws ApiError refused if the file's transfer syntax is not a
 * valid UID
 */
export function frameBytes(body: ViewBytes['body'], transferSyntaxUid: string): ViewBytes {
  if (!/^[\d.]{1,64}$/.test(transferSyntaxUid))
    throw new ApiError('refused', message('http.no-transfer-syntax'))
  return {
    headers: { 'content-type': `application/octet-stream; transfer-syntax=${transferSyntaxUid}` },
    body,
  }
}

/** A media file that a partner provided with the images. */
export interface MediaFile {
  readonly status: number
  /**
   * `content-length`, `content-range`, `accept-ranges` and similar headers of the origin server.
   */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
  readonly mimeType: string
  readonly fileName: string
}

/** Media types that a browser can display or play without running scripts. */
const INLINE_TYPES = /^(application\/pdf|image\/(png|jpeg|gif|webp|bmp)|(video|audio)\/[\w.+-]+)$/
const FORWARDED_HEADERS = [
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
]

/** Displayed inline in the viewer page if that is safe, otherwise as a download. */
export function mediaBytes({ status, headers, body, mimeType, fileName }: MediaFile): ViewBytes {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
  const forwarded = Object.entries(headers).filter(([name]) =>
    FORWARDED_HEADERS.includes(name.toLowerCase()),
  )
  const { 'content-security-policy': policy, ...shown } = documentHeaders(
    { fileName, mediaType: type },
    INLINE_TYPES.test(type) ? [type] : [],
  )
  return {
    status,
    headers: {
      ...Object.fromEntries(forwarded),
      ...shown,
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': `${policy}; frame-ancestors 'self'`,
    },
    body,
  }
}
