import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import { fastify as createFastify } from 'fastify'

/** Headers as they are sent, by their names in lower case. */
export type Headers = Readonly<Record<string, string>>

export interface SecurityHeaders {
  /** On every answer. */
  readonly window: Headers
  /**
   * In their place on the page of the viewer: it alone runs WebAssembly, and the window shows it in
   * a frame.
   */
  readonly viewer: Headers
}

/**
 * Helmet's headers for our policies, worked out once: they are the same on every answer, and
 * working them out anew cost more than most answers.
 */
export async function securityHeaders(): Promise<SecurityHeaders> {
  return {
    window: { ...(await headersOf(WINDOW)), 'permissions-policy': permissionsPolicy('(self)') },
    viewer: { ...(await headersOf(VIEWER)), 'permissions-policy': permissionsPolicy('()') },
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
  const own = new Set(['content-length', 'date', 'connection'])
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      own.has(name) ? [] : [[name, String(value)]],
    ),
  )
}

// The page's styles are written by its script (Mantine).
const DIRECTIVES = {
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

// HSTS and upgrade-insecure-requests would lock out a listener without TLS.
const WINDOW = {
  hsts: false,
  xFrameOptions: { action: 'deny' },
  contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES },
} as const

const VIEWER = {
  ...WINDOW,
  xFrameOptions: { action: 'sameorigin' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      ...DIRECTIVES,
      // The decoders of pixel data are WebAssembly.
      'script-src': ["'self'", "'wasm-unsafe-eval'"],
      'media-src': ["'self'"],
      'frame-ancestors': ["'self'"],
    },
  },
} as const
