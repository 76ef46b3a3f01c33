import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server as SecureServer } from 'node:tls'
import cookie from '@fastify/cookie'
import {
  fastify as createFastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { AdmittedConnections } from '#server/platform/connection-budget.ts'
import { CONTRACT_VERSION, CONTRACT_VERSION_HEADER } from '#shared/contract-version.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { limitConnections } from './connections.ts'
import { cachedHostCheck, type HostNames } from './host-names.ts'
import { HttpApp, type HttpLog } from './http-app.ts'
import { HTML_MEDIA_TYPE, NOT_FOUND_PAGE, servePage, serveViewerPage } from './page.ts'
import { isForWindow, PROBLEM_MEDIA_TYPE, pathOf, problemOf, rawProblem } from './problem.ts'
import { isForSandbox } from './sandbox-requests.ts'
import { securityHeaders } from './security-headers.ts'

/** Key and certificate, PEM. */
export interface TlsFiles {
  readonly key: string
  readonly cert: string
}

/** The address of a listener. */
export interface ListenerAddress {
  /** Address or name to bind to; `0.0.0.0` and `::` mean all addresses. */
  readonly host: string
  /** TCP port; 0 selects a free one. */
  readonly port: number
  /** Set if the listener uses TLS. */
  readonly tls?: TlsFiles
  /**
   * Whether it does not listen: another server passes it requests that it has checked the host of.
   */
  readonly isInternal?: boolean
}

export interface HttpServer extends AsyncDisposable {
  /** Base URL for requests from this PC. */
  readonly url: string
  readonly address: string
  readonly port: number
  /** Answers a request that another server received. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  /** Sets the certificate of a TLS listener for new connections. */
  setCertificate(tls: TlsFiles): void
}

const TLS_OPTIONS = { minVersion: 'TLSv1.2' } as const
const HANDSHAKE_TIMEOUT_MS = 10_000
/** Time a client has to read the response to an invalid request. */
const FINAL_RESPONSE_MS = 1000
const MAX_BODY_BYTES = 1024 * 1024
/** Time that requests in progress have to finish when the server closes. */
const DRAIN_MS = 5000

/**
 * Opens an HTTP or HTTPS server. Rejects with the system error (`EADDRINUSE`…) if the port is
 * unavailable. Closing ends event streams and lets requests finish.
 * @param hosts the host names it accepts, read at each request
 * @param pageFolder folder of the built window; may be missing
 * @param admitted connections of this and other listeners
 * @param register registers operations and installs authenticators
 */
export async function openHttpServer(
  place: ListenerAddress,
  hosts: () => HostNames,
  log: HttpLog,
  pageFolder: string,
  register: (app: HttpApp) => void,
  admitted: AdmittedConnections = new AdmittedConnections(),
  {
    bodyBytes = MAX_BODY_BYTES,
    drainMs = DRAIN_MS,
  }: { readonly bodyBytes?: number; readonly drainMs?: number } = {},
): Promise<HttpServer> {
  const { host, port, tls, isInternal = false } = place
  const isAllowedHost = cachedHostCheck()
  const hostError = (request: FastifyRequest): ApiError | undefined => {
    if (isInternal) return undefined
    if (hasDuplicateHost(request)) return duplicateHostError()
    const { localAddress } = request.socket
    const rule = { boundHost: host, localAddress, ...hosts() }
    return isAllowedHost(request.headers.host, rule) ? undefined : wrongHostError()
  }
  const longUploads = new WeakSet<object>()
  const fastify = createFastify({
    ...serverOptions(bodyBytes, longUploads),
    ...(tls && { https: { ...tls, ...TLS_OPTIONS, handshakeTimeout: HANDSHAKE_TIMEOUT_MS } }),
    frameworkErrors: (error, request, reply) =>
      sendProblem(app, hostError(request) ?? error, request, reply),
  } as FastifyServerOptions)
  const app = new HttpApp(fastify, () => hosts().publicUrl, log, admitted, longUploads)

  const security = await securityHeaders()
  await fastify.register(cookie)
  readJsonBodies(fastify)
  fastify.setErrorHandler((error, request, reply) => sendProblem(app, error, request, reply))
  // Uses `done`, because a promise would delay every request by a tick of the event loop.
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(security.window).header('x-request-id', request.id)
    if (isForWindow(request)) reply.header(CONTRACT_VERSION_HEADER, CONTRACT_VERSION)
    const refusal = hostError(request)
    if (!refusal && app.sandbox && isForSandbox(request.raw))
      if (app.sandbox(request.raw, reply.raw)) return void reply.hijack()
    done(refusal ?? (request.is404 ? notFoundError(app, request) : undefined))
  })
  const connections = limitConnections(fastify.server, admitted, tls && HANDSHAKE_TIMEOUT_MS)
  servePage(fastify, pageFolder, security)
  serveViewerPage(app, pageFolder, security.viewer)
  register(app)
  fastify.addHook('preClose', async () => {
    for (const end of app.openStreams) end()
  })

  try {
    if (isInternal) await fastify.ready()
    else await fastify.listen({ host, port })
  } catch (error) {
    await fastify.close()
    throw error
  }
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    // Includes connections unknown to the HTTP server, such as unfinished TLS handshakes.
    const earlyTimer = setTimeout(
      () => connections.destroySilent(),
      Math.min(FINAL_RESPONSE_MS, drainMs),
    )
    const cutOffTimer = setTimeout(() => connections.destroyAll(), drainMs)
    await fastify.close()
    clearTimeout(earlyTimer)
    clearTimeout(cutOffTimer)
  }

  const boundAddress = fastify.server.address() as AddressInfo | null
  return {
    url: boundAddress
      ? `${tls ? 'https' : 'http'}://${urlHost(boundAddress)}:${boundAddress.port}`
      : '',
    address: boundAddress?.address ?? '',
    port: boundAddress?.port ?? 0,
    answer: (request, response) => fastify.routing(request, response),
    setCertificate: (next) =>
      (fastify.server as unknown as SecureServer).setSecureContext({ ...next, ...TLS_OPTIONS }),
    [Symbol.asyncDispose]: () => {
      closing ??= close()
      return closing
    },
  }
}

const rejectJsonSchema = () => {
  throw new Error('Bodies and replies are described by the contract, not by JSON Schema')
}

const serverOptions = (bodyLimit: number, longUploads: WeakSet<object>): FastifyServerOptions => ({
  logger: false,
  genReqId: () => randomUUID(),
  requestIdHeader: false,
  // Anyone can set the address headers of a proxy.
  trustProxy: false,
  bodyLimit,
  // Limits for receiving a request, for a silent connection and for an idle one. A response may
  // take as long as the partner's time limit (at most 60 s).
  requestTimeout: 30_000,
  connectionTimeout: 120_000,
  keepAliveTimeout: 72_000,
  forceCloseConnections: 'idle',
  // Otherwise Fastify loads its two compilers of JSON Schema at each start.
  schemaController: {
    compilersFactory: {
      buildValidator: () => rejectJsonSchema,
      buildSerializer: () => rejectJsonSchema,
    },
  },
  clientErrorHandler: (error, socket) => {
    // Node reports the time limit once and then leaves the connection to this handler.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && longUploads.has(socket)) return
    const status =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? 431
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? 408
          : 400
    // Nothing can be sent after a failed TLS handshake.
    const isHttpError = /^(HPE_|ERR_HTTP_)/.test(error.code ?? '')
    if (!isHttpError || !socket.writable) return void socket.destroy()
    socket.end(rawProblem(status))
    setTimeout(() => socket.destroy(), FINAL_RESPONSE_MS).unref()
  },
})

function sendProblem(
  app: HttpApp,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, headers, body } = problemOf(error, request)
  if (status >= 500) app.noteFault(request, error, status)
  reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store', 'x-request-id': request.id })
  const acceptsHtml =
    body.code === 'not-found' &&
    request.is404 &&
    (request.headers.accept ?? '').includes('text/html')
  if (acceptsHtml) return reply.type(HTML_MEDIA_TYPE).send(NOT_FOUND_PAGE)
  return reply.type(PROBLEM_MEDIA_TYPE).send(JSON.stringify(body))
}

/** RFC 9112 §3.2: Node uses the first Host header, but a proxy in front may have used another. */
function hasDuplicateHost({ raw: { rawHeaders } }: FastifyRequest): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

const duplicateHostError = () => new ApiError('malformed', message('http.two-hosts'))

const wrongHostError = () => new ApiError('wrong-host', message('http.wrong-host'))

/** Operations of published clients that this gateway does not have, and what to use instead. */
const UNSUPPORTED_OPERATIONS = [
  ['/v1/scribe/clinicalReferences', message('http.no-clinical-references')],
  ['/v1/scribe/studies/external', message('http.no-external-studies')],
] as const

function notFoundError(app: HttpApp, request: FastifyRequest): ApiError {
  const path = pathOf(request)
  const methods = new Set(
    app.declared.filter((call) => patternOf(call.path).test(path)).map((call) => call.method),
  )
  const notOffered = UNSUPPORTED_OPERATIONS.find(
    ([prefix]) => path === prefix || path.startsWith(`${prefix}/`),
  )
  if (notOffered) return new ApiError('not-found', notOffered[1])
  if (methods.size === 0) return new ApiError('not-found', message('http.nothing-here'))
  return new ApiError(
    'method-not-allowed',
    message('http.method-not-allowed', { method: request.method }),
    {
      headers: { allow: [...methods].sort().join(', ') },
    },
  )
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}$`)

function urlHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}

/**
 * Bodies are JSON in UTF-8 (RFC 8259 §8.1) or absent. An empty body is accepted with any
 * Content-Type; another type is refused with 415; invalid UTF-8 and keys that would set a prototype
 * are refused with 400.
 */
function readJsonBodies(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes: Buffer, done) => {
      if (bytes.length === 0) return done(null, undefined)
      const text = utf8(bytes)
      if (text === undefined) return done(new ApiError('malformed', message('http.body-not-utf8')))
      return parseJson(request, text, (error, body) =>
        error ? done(new ApiError('malformed', unreadable(text))) : done(null, body),
      )
    },
  )
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined)
    return done(new ApiError('not-json', message('http.body-other-type')))
  })
}

/** Why a text was refused as JSON: it is none, or has a key that would set a prototype. */
function unreadable(text: string): Message {
  try {
    JSON.parse(text)
    return message('http.body-prototype-key')
  } catch {
    return message('http.body-not-json')
  }
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
