import type { FastifyRequest } from 'fastify'
import type { HttpApp } from './http-app.ts'

/**
 * Registers a GET path that a browser opens itself, also from another site, and that leads to another
 * address. Its handler must change nothing, because the request proves nothing about its origin.
 */
export function serveRedirect(
  { fastify, declared }: Pick<HttpApp, 'fastify' | 'declared'>,
  path: `/${string}`,
  targetOf: (request: FastifyRequest) => string,
): void {
  declared.push({ method: 'GET', path })
  fastify.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      reply
        .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
        .redirect(targetOf(request), 303),
  })
}
