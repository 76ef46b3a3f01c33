import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HttpApp } from './http-app.ts'
import { HTML, NOT_BUILT_PAGE, VIEWER_PAGE } from './page.ts'
import type { Headers } from './security-headers.ts'

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
