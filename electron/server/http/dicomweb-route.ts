import { Readable } from 'node:stream'
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { ApiKeyCaller } from './callers.ts'
import type { HttpApp } from './http-app.ts'
import { noteRead } from './operations.ts'
import { admitDicomweb } from './partner-authentication.ts'

/** The path below which all resources of DICOMweb are. */
export const DICOMWEB_PREFIX = '/dicom-web'

/** A DICOMweb request as passed to its handler, with its caller authorized. */
export interface DicomwebCall {
  /** UIDs and numbers of the path; `*` is its rest. */
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  readonly accept: string | undefined
  readonly contentType: string | undefined
  /** The body of a POST, which is received while it is read. */
  readonly body: Readable
  readonly caller: ApiKeyCaller
  readonly requestId: string
  /** IP address; IPv4-mapped IPv6 addresses as IPv4. */
  readonly remoteAddress: string
  /** The URL of the service as the caller sees it, without a trailing slash. */
  readonly baseUrl: string
  /** Aborted when the caller closes the connection before it has the whole response. */
  readonly signal: AbortSignal
}

export interface DicomwebAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly body: Buffer | string | Readable | undefined
  /** Called when the response is over, sent or not, and the body is no longer used. */
  readonly release?: () => void
}

export interface DicomwebRoute {
  readonly method: 'GET' | 'POST'
  /** Below `DICOMWEB_PREFIX`, such as `/studies/:studyInstanceUid`. */
  readonly path: `/${string}`
  readonly right: 'read' | 'store'
  readonly answer: (call: DicomwebCall) => DicomwebAnswer | Promise<DicomwebAnswer>
}

/** Milliseconds that a connection may be silent: an instance may have to be converted first. */
const MAX_SILENCE_MS = 360_000

export interface DicomwebOptions {
  /** Origins whose pages may send requests (CORS). */
  readonly origins: () => readonly string[]
  /** Requests that are answered at the same time. */
  readonly maxParallel: () => number
}

/**
 * Registers the resources of DICOMweb (PS3.18). They are not operations of the contract: requests
 * and responses are streams of files. Refusals are sent as problems, as everywhere.
 */
export function serveDicomwebRoutes(
  app: HttpApp,
  routes: readonly DicomwebRoute[],
  rules: DicomwebOptions,
): void {
  let running = 0
  for (const { method, path } of routes)
    app.declared.push({ method, path: `${DICOMWEB_PREFIX}${path.replace('*', ':rest')}` })
  app.fastify.register(
    async (scope) => {
      await allowOrigins(scope, rules.origins)
      // Bodies of uploads are streamed; their handler checks the type.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
      for (const { method, path, right, answer } of routes) {
        const callers = new WeakMap<object, ApiKeyCaller>()
        scope.route({
          method,
          url: path,
          exposeHeadRoute: false,
          // Before the body is read, so that nothing is received of callers who may not store.
          onRequest: (request, reply, done) => {
            reply.header('cache-control', 'no-store')
            try {
              callers.set(request, admitDicomweb(request, reply, app, right))
              if (running >= rules.maxParallel()) throw busy()
            } catch (error) {
              return done(error as Error)
            }
            running++
            reply.raw.once('close', () => running--)
            if (method === 'POST') allowLongUpload(app, request, reply)
            done()
          },
          handler: async (request, reply) => {
            const caller = callers.get(request) as ApiKeyCaller
            const call = callOf(app, request, reply, caller)
            try {
              const given = await answer(call)
              noteRead(app, { method, path: `${DICOMWEB_PREFIX}${path}` }, call, caller)
              return send(app, request, reply, given)
            } catch (error) {
              // Nobody waits for an answer, and that the caller hung up is no fault of ours.
              if (call.signal.aborted) return reply.hijack()
              throw error
            }
          },
        })
      }
    },
    { prefix: DICOMWEB_PREFIX },
  )
}

async function allowOrigins(scope: FastifyInstance, origins: () => readonly string[]) {
  await scope.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && origins().includes(origin)),
    methods: ['GET', 'POST'],
    exposedHeaders: ['warning', 'x-request-id'],
    maxAge: 600,
  })
}

/** Receiving a request may take long here; the connection is still closed when it is silent. */
function allowLongUpload(app: HttpApp, request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw
  app.longUploads.add(socket)
  reply.raw.once('close', () => app.longUploads.delete(socket))
}

function callOf(
  app: HttpApp,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: ApiKeyCaller,
): DicomwebCall {
  const disconnected = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || disconnected.abort())
  const { socket } = request.raw
  socket.setTimeout(MAX_SILENCE_MS)
  const { accept, 'content-type': contentType } = request.headers
  return {
    params: request.params as DicomwebCall['params'],
    query: new URLSearchParams(request.url.split('?')[1] ?? ''),
    ...{ accept, contentType, caller },
    body: request.body instanceof Readable ? request.body : Readable.from([]),
    requestId: request.id,
    remoteAddress: (socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    baseUrl: `${baseUrlOf(app, request)}${DICOMWEB_PREFIX}`,
    signal: disconnected.signal,
  }
}

/**
 * The address that the caller used. A proxy in front of the gateway is only known by the public
 * address of the settings.
 */
function baseUrlOf(app: HttpApp, { headers, protocol }: FastifyRequest): string {
  const { host = '' } = headers
  const publicUrl = app.publicUrl()
  if (publicUrl !== null && new URL(publicUrl).host === host) return publicUrl.replace(/\/$/, '')
  return `${protocol}://${host}`
}

function send(
  app: HttpApp,
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, headers = {}, contentType, body, release }: DicomwebAnswer,
): FastifyReply {
  if (release) reply.raw.once('close', release)
  reply.code(status).headers(headers)
  if (contentType !== undefined) reply.header('content-type', contentType)
  if (body instanceof Readable)
    // The status has been sent, so all that is left is to close the connection, as Fastify does.
    body.once('error', (error) => {
      if (!isPrematureClose(error)) app.noteFault(request, error)
    })
  return reply.send(body)
}

/** The caller hung up. */
const isPrematureClose = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'

/** Too many requests at a time, or nobody free to render. */
export const busy = () =>
  new ApiError('too-many', message('dicomweb.too-many-requests'), {
    headers: { 'retry-after': '1' },
  })
