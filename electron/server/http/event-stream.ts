import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { WindowAccess } from '#shared/operation.ts'
import type { HttpApp } from './http-app.ts'
import { admit, requireOwnPage } from './session-authentication.ts'
import { admitWorkstation } from './workstation-authentication.ts'

/** A server-sent event (HTML Standard §9.2). `data` is sent as JSON. */
export interface StreamEvent {
  readonly event: string
  readonly data: unknown
  /** Sent back by the browser as Last-Event-ID when it reconnects. */
  readonly id?: string
}

export interface EventStreamOptions {
  readonly access: WindowAccess
  /** Milliseconds between `beat` events; the session is checked again at each. */
  readonly heartbeatMs?: number
  /**
   * Maximum number of bytes buffered for one client. A client that exceeds it is disconnected and
   * reconnects.
   */
  readonly maxBufferBytes?: number
  /** Maximum number of open streams on this path. */
  readonly maxStreams?: number
}

/**
 * Registers a path that streams events until the client disconnects, its session ends or the server
 * closes. `open` receives the id of the last event the client has seen (undefined initially) and
 * returns a function that ends the subscription.
 */
export function serveEvents(
  app: HttpApp,
  path: `/${string}`,
  {
    access,
    heartbeatMs = 15_000,
    maxBufferBytes: bufferBytes = 256 * 1024,
    maxStreams: clients = 100,
  }: EventStreamOptions,
  open: (send: (event: StreamEvent) => void, lastEventId: string | undefined) => () => void,
): void {
  app.declared.push({ method: 'GET', path })
  let openStreamCount = 0
  const checkAccess = (request: FastifyRequest) => {
    admitWorkstation(request, app)
    admit(request, access, app.sessions, 'background')
  }
  app.fastify.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    onRequest: async (request) => {
      requireOwnPage(request, app.publicUrl())
      checkAccess(request)
      if (openStreamCount >= clients)
        throw new ApiError('too-many', message('http.too-many-windows'), {
          headers: { 'retry-after': '10' },
        })
    },
    handler: (request, reply) => {
      reply.hijack()
      const response = reply.raw
      response.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      const write = boundedWriter(response, bufferBytes)
      write('retry: 2000\n\n')

      const lastEventId = request.headers['last-event-id']
      const unsubscribe = open(
        (event) => write(formatEvent(event)),
        typeof lastEventId === 'string' ? lastEventId : undefined,
      )
      const end = () => void response.end()
      const check = () => {
        try {
          checkAccess(request)
          return true
        } catch {
          end()
          return false
        }
      }
      const heartbeat = setInterval(() => check() && write(formatEvent(HEARTBEAT)), heartbeatMs)
      const forget = app.sessions.onClosed?.(check)
      openStreamCount += 1
      app.openStreams.add(end)
      response.on('close', () => {
        clearInterval(heartbeat)
        forget?.()
        unsubscribe()
        openStreamCount -= 1
        app.openStreams.delete(end)
      })
    },
  })
}

function boundedWriter(response: ServerResponse, bufferBytes: number): (text: string) => void {
  return (text) => {
    if (response.destroyed || response.writableEnded) return
    response.write(text)
    if (response.writableLength > bufferBytes) response.destroy()
  }
}

/**
 * An event rather than a comment, so that the page can distinguish an idle gateway from a dead
 * connection.
 */
const HEARTBEAT: StreamEvent = { event: 'beat', data: {} }

// JSON contains no raw line breaks, so it fits into one data line.
const formatEvent = ({ event, data, id }: StreamEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
