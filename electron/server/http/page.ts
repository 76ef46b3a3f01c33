import { createReadStream, type Dirent, existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { createBrotliDecompress } from 'node:zlib'
import { isUtf8MimeType, mime, send } from '@fastify/send'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { HttpApp } from './http-app.ts'
import type { Headers, SecurityHeaders } from './security-headers.ts'

/** In the same folder, but served with its own headers (`serveViewerPage`). */
export const VIEWER_PAGE = 'viewer.html'
/** Of the build; the names of files in it contain a hash. */
const ASSETS_FOLDER = 'assets'
/** The documentation site (decision 0080). */
const HELP_FOLDER = 'help'

/**
 * Serves the built window: `index.html` at `/` and the documentation site at `/help`, which are
 * always revalidated, and files under `assets/`, whose names contain a hash, with a lifetime of one
 * year. Scripts get the content security policy of the viewer, which applies if the script runs as
 * a worker: those of the viewer decode with WebAssembly (CSP 3, 4.1).
 */
export function servePage(
  fastify: FastifyInstance,
  folder: string,
  { viewer }: Pick<SecurityHeaders, 'viewer'>,
): void {
  if (!existsSync(join(folder, 'index.html'))) {
    fastify.get('/', (_request, reply) =>
      reply
        .code(503)
        .header('cache-control', 'no-store')
        .type(HTML_MEDIA_TYPE)
        .send(NOT_BUILT_PAGE),
    )
    return
  }
  const files = new Set([
    ...filesIn(folder),
    ...filesIn(folder, ASSETS_FOLDER),
    ...filesBelow(folder, HELP_FOLDER),
  ])
  const hasFile = (name: string) =>
    !isCompressed(name) && (files.has(name) || files.has(`${name}.br`))
  const sendFile = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    if (!hasFile(name)) throw nothingHereError()
    const hasCompressed = files.has(`${name}.br`)
    const isHashed = name.startsWith(`${ASSETS_FOLDER}/`)
    reply.headers({
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    })
    if (name.endsWith('.js'))
      reply.header('content-security-policy', viewer['content-security-policy'])
    const isBrotli = hasCompressed && acceptsBrotli(request)
    // The archive of the service has no original beside a compressed file.
    if (!isBrotli && !files.has(name)) {
      const stream = createReadStream(join(folder, `${name}.br`)).pipe(createBrotliDecompress())
      return reply.type(typeOf(name)).send(stream)
    }
    const path = encodeURI(isBrotli ? `/${name}.br` : `/${name}`)
    const sent = await send(request.raw, path, { root: folder, cacheControl: false })
    if (sent.type !== 'file') throw nothingHereError()
    reply.code(sent.statusCode).headers(sent.headers)
    if (isBrotli) reply.headers({ 'content-type': typeOf(name), 'content-encoding': 'br' })
    return reply.send(sent.stream)
  }
  fastify.get('/', (request, reply) => sendFile('index.html', request, reply))
  for (const name of filesIn(folder))
    if (!isCompressed(name) && name !== VIEWER_PAGE)
      fastify.get(`/${name}`, (request, reply) => sendFile(name, request, reply))
  // One route for all, because registering a thousand would make up a tenth of the start.
  fastify.get<{ Params: { name: string } }>(`/${ASSETS_FOLDER}/:name`, (request, reply) =>
    sendFile(`${ASSETS_FOLDER}/${request.params.name}`, request, reply),
  )
  const sendHelpPage = (name: string, request: FastifyRequest, reply: FastifyReply) =>
    hasFile(name)
      ? sendFile(name, request, reply)
      : reply.code(404).header('cache-control', 'no-store').type(HTML_MEDIA_TYPE).send(NO_HELP_PAGE)
  fastify.get(`/${HELP_FOLDER}`, (request, reply) =>
    sendHelpPage(`${HELP_FOLDER}/index.html`, request, reply),
  )
  fastify.get<{ Params: { '*': string } }>(`/${HELP_FOLDER}/*`, (request, reply) =>
    sendHelpPage(`${HELP_FOLDER}/${request.params['*'] || 'index.html'}`, request, reply),
  )
}

const filesIn = (folder: string, of = ''): string[] =>
  readFolder(join(folder, of)).flatMap((entry) =>
    entry.isFile() ? [posix.join(of, entry.name)] : [],
  )

const filesBelow = (folder: string, of: string): string[] =>
  readFolder(join(folder, of)).flatMap((entry) => {
    const name = posix.join(of, entry.name)
    return entry.isDirectory() ? filesBelow(folder, name) : [name]
  })

const readFolder = (folder: string): Dirent[] =>
  existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []

/** The build adds compressed files beside the originals. */
const isCompressed = (name: string): boolean => name.endsWith('.br')

/**
 * Browsers accept this encoding on loopback and over TLS. A client that lists it with a weight is
 * none of them, and gets the original.
 */
const acceptsBrotli = ({ headers }: FastifyRequest): boolean =>
  (headers['accept-encoding'] ?? '').split(',').some((coding) => coding.trim() === 'br')

const typeOf = (name: string): string => {
  const type = mime.getType(name) ?? 'application/octet-stream'
  return isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
}

const nothingHereError = () => new ApiError('not-found', message('http.nothing-here'))

export const HTML_MEDIA_TYPE = 'text/html; charset=utf-8'

const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>` +
  `<body style="font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem"><h1 style="font-size:1.4rem">${title}</h1><p>${text}</p></body></html>`

export const NOT_BUILT_PAGE = page(
  'The window is not built yet',
  'The gateway is running, and devices and partners are served. To get its window, run <code>npm run build</code> and start the gateway again.',
)

const NO_HELP_PAGE = page(
  'This page does not exist',
  'The documentation has no page at this address. <a href="/help/">Open the documentation</a>.',
)

export const NOT_FOUND_PAGE = page(
  'Nothing is here',
  'This address is not a page of the gateway. <a href="/">Open the window</a>.',
)

/**
 * Paths of the viewer page. The second and third are the targets of links, with a token in the
 * query. The server does not read the token, so fetching a link without opening it, as mail
 * scanners do, does not use it up.
 */
const VIEWER_PATHS = ['/viewer', '/study/:studyId', '/token/landing', `/${VIEWER_PAGE}`] as const

/**
 * Serves the viewer page at each of its paths. If it is missing, a page that says so is served
 * instead.
 */
export function serveViewerPage(
  { fastify, declared }: Pick<HttpApp, 'fastify' | 'declared'>,
  folder: string,
  security: Headers,
): void {
  const file = join(folder, VIEWER_PAGE)
  for (const path of VIEWER_PATHS) {
    declared.push({ method: 'GET', path }, { method: 'HEAD', path })
    fastify.get(path, async (_request, reply) => {
      // The URL is confidential, so it must not reach caches, linked sites or search engines.
      reply
        .headers({
          ...security,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex',
        })
        .type(HTML_MEDIA_TYPE)
      const page = await readFile(file).catch(() => undefined)
      return page === undefined ? reply.code(503).send(NOT_BUILT_PAGE) : reply.send(page)
    })
  }
}
