import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { SecurityHeaders } from './security-headers.ts'

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
