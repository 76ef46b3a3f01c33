import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { HttpApp } from './http-app.ts'
import type { Headers, SecurityHeaders } from './security-headers.ts'

/** In the same folder, but served with its own headers (`serveViewerPage`). */
export const VIEWER_PAGE = 'viewer.html'

/**
 * Serves the built window: `index.html` at `/`, which is always revalidated, and files under
 * `assets/`, whose names contain a hash, with a lifetime of one year. Scripts get the content
 * security policy of the viewer, which applies if the script runs as a worker: those of the viewer
 * decode with WebAssembly (CSP 3, 4.1).
 */
export async function servePage(
  fastify: FastifyInstance,
  folder: string,
  { viewer }: Pick<SecurityHeaders, 'viewer'>,
): Promise<void> {
  const ofScripts = viewer['content-security-policy']
  if (!existsSync(join(folder, 'index.html'))) {
    fastify.get('/', (_request, reply) =>
      reply.code(503).header('cache-control', 'no-store').type(HTML).send(NOT_BUILT_PAGE),
    )
    return
  }
  await fastify.register(files, {
    root: folder,
    // Each file becomes a separate route, so an unknown path gets the standard 404.
    wildcard: false,
    // The build adds compressed files beside the originals. Browsers accept that encoding on
    // loopback and over TLS; other clients get the original.
    preCompressed: true,
    globIgnore: [VIEWER_PAGE, '**/*.br'],
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(folder, 'assets') + sep)
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (/\.js(\.br)?$/.test(path)) reply.header('content-security-policy', ofScripts)
    },
  })
}

export const HTML = 'text/html; charset=utf-8'

const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>` +
  `<body style="font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem"><h1 style="font-size:1.4rem">${title}</h1><p>${text}</p></body></html>`

export const NOT_BUILT_PAGE = page(
  'The window is not built yet',
  'The gateway is running, and devices and partners are served. To get its window, run <code>npm run build</code> and start the gateway again.',
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
const PATHS = ['/viewer', '/study/:studyId', '/token/landing', `/${VIEWER_PAGE}`] as const

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
  for (const path of PATHS) {
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
        .type(HTML)
      const page = await readFile(file).catch(() => undefined)
      return page === undefined ? reply.code(503).send(NOT_BUILT_PAGE) : reply.send(page)
    })
  }
}
