import helmet from '@fastify/helmet'
import { fastify as createFastify } from 'fastify'

/** Helmet's headers for our policy, worked out once: they are the same on every answer, and working them out anew cost more than most answers. */
export async function securityHeaders(): Promise<Readonly<Record<string, string>>> {
  const probe = createFastify()
  await probe.register(helmet, POLICY)
  probe.get('/', (_request, reply) => reply.send())
  const { headers } = await probe.inject('/')
  await probe.close()
  const own = new Set(['content-length', 'date', 'connection'])
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (own.has(name) ? [] : [[name, String(value)]])))
}

// HSTS and upgrade-insecure-requests would lock out a listener without TLS. The page's styles are written by its script (Mantine).
const POLICY = {
  hsts: false,
  xFrameOptions: { action: 'deny' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'script-src': ["'self'"],
      'script-src-attr': ["'none'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:', 'blob:'],
      'font-src': ["'self'", 'data:'],
      'connect-src': ["'self'"],
      'worker-src': ["'self'", 'blob:'],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    },
  },
} as const
