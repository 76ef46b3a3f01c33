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
import type { HttpApp } from '#server/http/http-app.ts'
import {
  type AdmittedConnections,
  MOST_CONNECTIONS,
  openAdmittedConnections,
} from '#server/platform/connection-budget.ts'
import { ApiError } from '#shared/errors.ts'
import { limitConnections } from './connections.ts'
import { type ExpectedHosts, openExpectedHosts } from './expected-hosts.ts'
import { hostCheck } from './host-names.ts'
import type { Partners, Sessions } from './http-app.ts'
import { readJsonBodies } from './json-body.ts'
import { HTML, NOT_FOUND_PAGE, servePage } from './page.ts'
import { faultForLog, PROBLEM, pathOf, problemOf, rawProblem } from './problem.ts'
import { securityHeaders } from './security-headers.ts'
import type { Views } from './view-authentication.ts'
import { serveViewerPage } from './viewer-page.ts'

/**
 * Where faults of ours are noted: a request's id, its route and the place; nothing of what it
 * carried.
 */
export interface HttpLog {
  error(fields: Readonly<Record<string, string | number>>, message: string): void
}

export interface HttpServerOptions {
  /** Address or name to bind to; `0.0.0.0` and `::` are all addresses. */
  readonly host: string
  /** TCP port; 0 takes a free one. */
  readonly port: number
  readonly log: HttpLog
  /** A UUID for each request's id (`x-request-id`). */
  readonly uuid: () => string
  /** `http.allowedHosts`, read at each request. */
  readonly allowedHosts: () => readonly string[]
  /** `http.publicUrl`, read at each request. */
  readonly publicUrl: () => string | null
  /** Folder of the built renderer; may be missing. */
  readonly pageFolder: string
  readonly sessions: Sessions
  /** The interface for partners; without it only the window's calls can be declared. */
  readonly partners?: Partners
  /** Sessions of the viewer; without them its calls can be declared and nobody may make them. */
  readonly views?: Views
  /** Other PCs that may open the window, by TLS; without them none may. */
  readonly approvedWorkstation?: HttpApp['approvedWorkstation']
  /** Key and certificate, PEM: the listener speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** An operation answered: `HttpApp.noteAnswer`. */
  readonly noteAnswer?: HttpApp['noteAnswer']
  /** Declares the slices' operations. */
  readonly register: (app: HttpApp) => void
  /** Most bytes of a body. */
  readonly bodyBytes?: number
  /** Where callers that proved who they are are noted. */
  readonly expectedHosts?: ExpectedHosts
  /**
   * Connections of this and other listeners; by default a budget of its own, in which this PC and
   * who proved who it is come first.
   */
  readonly admitted?: AdmittedConnections
  /** Milliseconds that calls under way get to finish when the server closes. */
  readonly drainMs?: number
}

export interface HttpServer extends AsyncDisposable {
  /** Base URL by which this PC reaches it. */
  readonly url: string
  readonly address: string
  readonly port: number
  /** Of a TLS listener, for connections to come. */
  setCertificate(tls: { readonly key: string; readonly cert: string }): void
}

/**
 * Opens the way in by HTTP. Rejects with the system's error (`EADDRINUSE`…) where the port cannot
 * be had. Closing ends event streams and lets calls finish.
 */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const {
    host,
    port,
    uuid,
    publicUrl,
    tls,
    drainMs = 5000,
    expectedHosts = openExpectedHosts(),
  } = options
  const settings: FastifyServerOptions = {
    logger: false,
    genReqId: uuid,
    requestIdHeader: false,
    // Addresses of a proxy's headers are what anyone can write.
    trustProxy: false,
    bodyLimit: options.bodyBytes ?? 1024 * 1024,
    // Reading a request, a silent connection, a kept one. An answer may take the partner's whole
    // budget (at most 60 s).
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) =>
      speak(
        hasTwoHosts(request) ? twoHosts() : isForeign(request) ? wrongHost() : error,
        request,
        reply,
      ),
    clientErrorHandler: (error, socket) => {
      const status =
        error.code === 'HPE_HEADER_OVERFLOW'
          ? 431
          : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? 408
            : 400
      // Nothing can be said where a TLS handshake failed; elsewhere the client gets a second to
      // read it.
      const isOfHttp = /^(HPE_|ERR_HTTP_)/.test(error.code ?? '')
      if (!isOfHttp || !socket.writable) return void socket.destroy()
      socket.end(rawProblem(status))
      setTimeout(() => socket.destroy(), LAST_WORD_MS).unref()
    },
  }
  const fastify = tls ? overTls(settings, tls) : createFastify(settings)
  const { sessions, partners, views, approvedWorkstation } = options
  const noteFault = (request: FastifyRequest, error: unknown) =>
    note(error, request, 500, options.log)
  const { noteAnswer } = options
  const app: HttpApp = {
    ...{
      fastify,
      sessions,
      partners,
      views,
      approvedWorkstation,
      publicUrl,
      noteAnswer,
      noteFault,
    },
    ...{ declared: [], openStreams: new Set() },
    noteExpected: ({ socket }) => expectedHosts.note(socket.remoteAddress ?? ''),
  }
  const isOurHost = hostCheck()
  const isForeign = (request: FastifyRequest) =>
    !isOurHost(request.headers.host, {
      boundHost: host,
      localAddress: request.socket.localAddress,
      publicUrl: publicUrl(),
      allowedHosts: options.allowedHosts(),
    })
  const speak = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    speakProblem(error, request, reply, options.log)

  const security = await securityHeaders()
  await fastify.register(cookie)
  readJsonBodies(fastify)
  fastify.setErrorHandler(speak)
  // With `done`: a promise would cost every call a turn.
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(security.window).header('x-request-id', request.id)
    if (hasTwoHosts(request)) done(twoHosts())
    else if (isForeign(request)) done(wrongHost())
    else if (request.is404) done(nothingHere(app, request))
    else done()
  })
  const {
    admitted = openAdmittedConnections({ most: MOST_CONNECTIONS, isExpected: expectedHosts.has }),
  } = options
  const connections = limitConnections(fastify.server, {
    ...{ admitted, handshakeMs: tls && HANDSHAKE_MS },
  })
  await servePage(fastify, options.pageFolder, security)
  serveViewerPage(app, options.pageFolder, security.viewer)
  options.register(app)
  fastify.addHook('preClose', async () => {
    for (const end of app.openStreams) end()
  })

  try {
    await fastify.listen({ host, port })
  } catch (error) {
    await fastify.close()
    throw error
  }
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    // Also those of which HTTP knows nothing yet, such as unfinished TLS handshakes.
    const soon = setTimeout(() => connections.destroySilent(), Math.min(LAST_WORD_MS, drainMs))
    const cutOff = setTimeout(() => connections.destroyAll(), drainMs)
    await fastify.close()
    clearTimeout(soon)
    clearTimeout(cutOff)
  }

  const bound = fastify.server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://${nameFor(bound)}:${bound.port}`,
    address: bound.address,
    port: bound.port,
    setCertificate: (next) =>
      (fastify.server as unknown as SecureServer).setSecureContext({ ...next, ...TLS_RULES }),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}

const TLS_RULES = { minVersion: 'TLSv1.2' } as const
const HANDSHAKE_MS = 10_000
/** What a client gets to read the answer to something that was no HTTP. */
const LAST_WORD_MS = 1000

/** Requests and replies are the same over TLS, and nothing here looks at the server's own type. */
function overTls(
  settings: FastifyServerOptions,
  tls: { readonly key: string; readonly cert: string },
): FastifyInstance {
  const https = { ...tls, ...TLS_RULES, handshakeTimeout: HANDSHAKE_MS } as const
  return createFastify({ ...settings, https } as FastifyServerOptions)
}

function speakProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: HttpLog,
): FastifyReply {
  const problem = problemOf(error, { instance: pathOf(request), requestId: request.id })
  if (problem.status >= 500) note(error, request, problem.status, log)
  reply
    .code(problem.status)
    .headers({ ...problem.headers, 'cache-control': 'no-store', 'x-request-id': request.id })
  const isForAPerson =
    problem.body.code === 'not-found' &&
    request.is404 &&
    (request.headers.accept ?? '').includes('text/html')
  if (isForAPerson) return reply.type(HTML).send(NOT_FOUND_PAGE)
  return reply.type(PROBLEM).send(JSON.stringify(problem.body))
}

function note(error: unknown, request: FastifyRequest, status: number, log: HttpLog): void {
  const route = `${request.method} ${request.routeOptions.url ?? ''}`
  log.error({ requestId: request.id, route, status, ...faultForLog(error) }, 'a call failed')
}

/** RFC 9112 §3.2: Node keeps the first, a proxy in front of it may have gone by the other. */
function hasTwoHosts({ raw: { rawHeaders } }: FastifyRequest): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

const twoHosts = () => new ApiError('malformed', 'The request has more than one Host header.')

const wrongHost = () =>
  new ApiError(
    'wrong-host',
    'The gateway does not answer under this host name; an administrator can add it (http.allowedHosts).',
  )

function nothingHere(app: HttpApp, request: FastifyRequest): ApiError {
  const path = pathOf(request)
  const methods = new Set(
    app.declared.filter((call) => patternOf(call.path).test(path)).map((call) => call.method),
  )
  if (methods.size === 0) return new ApiError('not-found', 'There is nothing at this path.')
  return new ApiError('method-not-allowed', `This path does not take ${request.method}.`, {
    headers: { allow: [...methods].sort().join(', ') },
  })
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}$`)

function nameFor({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}
