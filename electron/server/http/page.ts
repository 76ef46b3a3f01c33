import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { HttpApp } from './http-app.ts'
import type { Headers, SecurityHeaders } from './security-headers.ts'

/** Below the same folder, with rules of its own (`viewer-page.ts`). */
export const VIEWER_PAGE = 'viewer.html'

/**
 * Serves the built window: `index.html` at `/`, never cached blindly; files under `assets/`, whose
 * names carry a hash, for a year. A script has the policy of the viewer: it counts where the script
 * is a worker's, and those of the viewer decode with WebAssembly (CSP 3, 4.1).
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
    // Each file becomes a route of its own, so an unknown path is nobody's and gets our 404.
    wildcard: false,
    // The build puts a compressed one beside it. Browsers ask for that on loopback and over TLS,
    // which is how they come; others get the file.
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
 * Where the page of the viewer is. The second and the third are where links lead, their token in
 * the query: nothing here reads it, so that whoever looks at a link without opening it, such as a
 * mail scanner, does not use it up.
 */
const PATHS = ['/viewer', '/study/:studyId', '/token/landing', `/${VIEWER_PAGE}`] as const

/**
 * Serves the page of the viewer, the same at each of its addresses. It may be missing: then a page
 * that says so.
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
      // What the address holds is for nobody else: not for a cache, for the site behind a link, nor
      // for a search engine.
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
