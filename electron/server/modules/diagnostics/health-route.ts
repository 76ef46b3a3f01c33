import type { HttpApp } from '#server/http/http-app.ts'
import { isEncrypted } from '#server/http/session-authentication.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { Metrics } from './metrics.ts'

/**
 * The result of a health check. `detail` is empty if the check passes; it contains no patient data
 * or secrets.
 */
export interface HealthCheck {
  readonly name: string
  readonly isOk: boolean
  readonly detail: string
}

/**
 * Registers `GET /healthz`, which returns 200 while the event loop is running, and `GET /readyz`,
 * which returns 200 if every check passes, else 503, with all checks. Both are available to
 * everyone on every listener. `GET /metrics` is only available to programs on this PC, on the plain
 * listener.
 */
export function serveHealth(
  app: HttpApp,
  checksNow: () => readonly HealthCheck[],
  metrics: Pick<Metrics, 'text'>,
): void {
  const paths = ['/healthz', '/readyz', '/metrics']
  for (const path of paths) app.declared.push({ method: 'GET', path }, { method: 'HEAD', path })

  app.fastify.get('/healthz', (_request, reply) =>
    reply.header('cache-control', 'no-store').type(TEXT_CONTENT_TYPE).send('ok\n'),
  )

  app.fastify.get('/readyz', (_request, reply) => {
    const checks = checksNow()
    const isReady = checks.every(({ isOk }) => isOk)
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        ready: isReady,
        checks: checks.map(({ name, isOk, detail }) => ({ name, ok: isOk, detail })),
      })
  })

  app.fastify.get('/metrics', async (request, reply) => {
    const { socket, headers } = request
    // A request that a proxy on this PC forwards does not originate from this PC.
    const isFromThisPc =
      !isEncrypted(socket) &&
      socket.remoteAddress === socket.localAddress &&
      !FORWARDED_HEADERS.some((name) => name in headers)
    if (!isFromThisPc) throw new ApiError('not-found', message('http.nothing-here'))
    const { contentType, text } = await metrics.text()
    return reply.header('cache-control', 'no-store').type(contentType).send(text)
  })
}

const TEXT_CONTENT_TYPE = 'text/plain; charset=utf-8'
const FORWARDED_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip']
