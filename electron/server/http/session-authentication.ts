import type { Socket } from 'node:net'
import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { WindowAccess } from '#shared/operation.ts'
import type { Sessions, SessionUse } from './callers.ts'
import { isOwnOrigin } from './host-names.ts'

const SESSION_COOKIE = 'isthmus-session'
export const CSRF_HEADER = 'x-isthmus-csrf'

const isSignedIn = (user: SignedInUser) => user.hasDashboardAccess
const isManager = (user: SignedInUser) =>
  user.hasDashboardAccess && (user.level === 'owner' || user.level === 'admin')

/** Which accounts may call an operation of the window; `admit` checks everything else. */
export const ACCESS = {
  public: () => true,
  'signed-in': isSignedIn,
  'every-patient': isSignedIn,
  confirmed: isSignedIn,
  manage: isManager,
  'manage-confirmed': isManager,
} as const satisfies Record<WindowAccess, (user: SignedInUser) => boolean>

const MANAGING_ACCESS: ReadonlySet<WindowAccess> = new Set(['manage', 'manage-confirmed'])
const CONFIRMED_ACCESS: ReadonlySet<WindowAccess> = new Set(['confirmed', 'manage-confirmed'])

/** The session of a request, which its handler may read and change. */
export interface SessionCookie {
  /** The session token sent by the browser. */
  readonly token: string | undefined
  /** Whether the token came in a cookie named as before ports became part of the name. */
  readonly hasOldName: boolean
  /** The browser and address recorded for a session that starts with this request. */
  readonly sessionOrigin: { readonly browser: string; readonly address: string }
  set(token: string): void
  clear(): void
}

/**
 * The authorized user of the request. @throws ApiError not-signed-in, locked, not-permitted,
 * confirm-identity
 */
export function admit(
  request: FastifyRequest,
  access: WindowAccess,
  sessions: Sessions,
  use: SessionUse,
): SignedInUser | undefined {
  const token = sessionTokenOf(request)
  const found = token ? sessions.userOf(token, use) : undefined
  const user = found === 'locked' ? undefined : found
  if (access === 'public') return user
  if (found === 'locked') throw lockedError()
  if (!user) {
    throw new ApiError('not-signed-in', message('http.sign-in'), {
      headers: { 'www-authenticate': 'Session realm="isthmus"' },
    })
  }
  if (!ACCESS[access](user)) {
    throw new ApiError(
      'not-permitted',
      message(MANAGING_ACCESS.has(access) ? 'http.managers-only' : 'http.no-window'),
    )
  }
  if (access === 'every-patient' && sessions.isLimited(user))
    throw new ApiError('not-permitted', message('http.own-customers-only'))
  if (CONFIRMED_ACCESS.has(access)) requireConfirmed(request, sessions)
  return user
}

/** Requires a recent confirmation of identity. @throws ApiError confirm-identity */
export function requireConfirmed(request: FastifyRequest, sessions: Sessions): void {
  const token = sessionTokenOf(request)
  if (token !== undefined && sessions.isConfirmed(token)) return
  throw new ApiError('confirm-identity', message('http.confirm-identity'))
}

/**
 * Rejects requests that another site's page could have sent with the session cookie: any request
 * from a foreign origin, and any change without the header that only the gateway's own script can
 * set or without proof of origin. @throws ApiError not-permitted
 */
export function requireOwnPage(request: FastifyRequest, publicUrl: string | null): void {
  if (isFromForeignPage(request, publicUrl))
    throw new ApiError('not-permitted', message('http.foreign-page'))
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (request.headers[CSRF_HEADER] !== '1')
    throw new ApiError('not-permitted', message('http.header-needed', { header: CSRF_HEADER }))
  if (!isFromOwnPage(request, publicUrl)) {
    throw new ApiError('not-permitted', message('http.origin-needed'))
  }
}

/**
 * Whether the browser states that a page of the gateway sent the request; false without such a
 * header.
 */
export function isFromOwnPage(request: FastifyRequest, publicUrl: string | null): boolean {
  if (isFromForeignPage(request, publicUrl)) return false
  return request.headers.origin !== undefined || request.headers['sec-fetch-site'] === 'same-origin'
}

function isFromForeignPage({ headers }: FastifyRequest, publicUrl: string | null): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  return (
    (origin !== undefined && !isOwnOrigin(origin, host, publicUrl)) ||
    site === 'cross-site' ||
    site === 'same-site'
  )
}

/**
 * The error while a session is locked. The session remains valid but gives no access until its user
 * unlocks it.
 */
export const lockedError = () =>
  new ApiError('locked', message('http.locked'), {
    headers: { 'www-authenticate': 'Session realm="isthmus"' },
  })

export const isEncrypted = (socket: object): boolean =>
  'encrypted' in socket && socket.encrypted === true

/**
 * The name of a cookie for the listener that received the request. Browsers send cookies to all
 * ports of a host (RFC 6265 §8.5), so the name includes the port to keep two gateways on one PC
 * apart. `__Host-` guarantees that the cookie was set over TLS by this host (RFC 6265bis §4.1.3.2);
 * a plain listener cannot set it.
 */
export const cookieName = (socket: Socket, name: string): string =>
  `${oldCookieName(socket, name)}-${socket.localPort ?? 0}`
/** The name in earlier versions, whose cookies are still accepted. */
export const oldCookieName = (socket: Socket, name: string): string =>
  isEncrypted(socket) ? `__Host-${name}` : name

/** The session token for the listener that received the request. */
export const sessionTokenOf = ({ cookies, socket }: FastifyRequest): string | undefined =>
  cookies[cookieName(socket, SESSION_COOKIE)] ?? cookies[oldCookieName(socket, SESSION_COOKIE)]

/**
 * The cookie lasts until the browser is closed; the lifetime of the token is determined by the
 * session.
 */
export function sessionCookie(request: FastifyRequest, reply: FastifyReply): SessionCookie {
  // Behind a proxy that uses TLS the origin is https. Without TLS a Secure cookie would not be sent
  // back.
  const isSecure =
    request.protocol === 'https' || (request.headers.origin?.startsWith('https:') ?? false)
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure } as const
  const name = cookieName(request.socket, SESSION_COOKIE)
  return {
    token: sessionTokenOf(request),
    hasOldName: request.cookies[name] === undefined,
    sessionOrigin: { browser: browserName(request.headers['user-agent']), address: request.ip },
    set: (token) => void reply.setCookie(name, token, attributes),
    clear: () => void reply.clearCookie(name, attributes),
  }
}

/** In search order, because every browser also claims to be several of its predecessors. */
const BROWSERS = [
  ['Electron/', 'Isthmus'],
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/**
 * A short description of a User-Agent header, such as `Chrome on Windows`; empty if it is not
 * recognized.
 */
export function browserName(userAgent: string | undefined): string {
  const nameIn = (names: readonly (readonly [sign: string, name: string])[]) =>
    names.find(([sign]) => userAgent?.includes(sign))?.[1]
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined).join(' on ')
}
