import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import { fastify as createFastify } from 'fastify'

/** Headers as sent, by lower-case name. */
export type Headers = Readonly<Record<string, string>>

export interface SecurityHeaders {
  /** Sent with every response except the viewer page. */
  readonly window: Headers
  /**
   * Sent with the viewer page: only it may run WebAssembly, and the window embeds it in a frame.
   */
  readonly viewer: Headers
}

/**
 * Computes Helmet's headers once. They are the same for every response, and computing them took
 * longer than most responses.
 */
export async function securityHeaders(): Promise<SecurityHeaders> {
  return {
    window: {
      ...(await headersOf(WINDOW_POLICY)),
      'permissions-policy': permissionsPolicy('(self)'),
    },
    viewer: { ...(await headersOf(VIEWER_POLICY)), 'permissions-policy': permissionsPolicy('()') },
  }
}

/**
 * What a page may ask the browser for (W3C Permissions Policy): the window the microphone, for the
 * dictation of reports, the viewer not even that.
 */
const permissionsPolicy = (microphone: '(self)' | '()') =>
  `microphone=${microphone}, camera=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=()`

async function headersOf(policy: FastifyHelmetOptions): Promise<Headers> {
  const probe = createFastify()
  await probe.register(helmet, policy)
  probe.get('/', (_request, reply) => reply.send())
  const { headers } = await probe.inject('/')
  await probe.close()
  const ownHeaders = new Set(['content-length', 'date', 'connection'])
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ownHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  )
}

// Mantine adds the page's styles by script.
const CSP_DIRECTIVES = {
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  'script-src-attr': ["'none'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'font-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'frame-src': ["'self'"],
  'worker-src': ["'self'", 'blob:'],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
} as const

// HSTS and upgrade-insecure-requests would make a listener without TLS unreachable.
const WINDOW_POLICY = {
  hsts: false,
  xFrameOptions: { action: 'deny' },
  contentSecurityPolicy: { useDefaults: false, directives: CSP_DIRECTIVES },
} as const

const VIEWER_POLICY = {
  ...WINDOW_POLICY,
  xFrameOptions: { action: 'sameorigin' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      ...CSP_DIRECTIVES,
      // Pixel data decoders use WebAssembly.
      'script-src': ["'self'", "'wasm-unsafe-eval'"],
      'media-src': ["'self'"],
      'frame-ancestors': ["'self'"],
    },
  },
} as const
