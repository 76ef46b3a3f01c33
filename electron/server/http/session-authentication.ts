import type { Socket } from 'node:net'
import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { WindowAccess } from '#shared/operation.ts'
import type { Sessions, SessionUse } from './callers.ts'
import { isOurOrigin } from './host-names.ts'

const SESSION_COOKIE = 'isthmus-session'
export const CSRF_HEADER = 'x-isthmus-csrf'

const isSignedIn = (user: SignedInUser) => user.hasDashboardAccess
const manages = (user: SignedInUser) =>
  user.hasDashboardAccess && (user.level === 'owner' || user.level === 'admin')

/** Which users may make a call of the window, by their account alone; `admit` checks the rest. */
export const ACCESS = {
  public: () => true,
  'signed-in': isSignedIn,
  'every-patient': isSignedIn,
  confirmed: isSignedIn,
  manage: manages,
  'manage-confirmed': manages,
} as const satisfies Record<WindowAccess, (user: SignedInUser) => boolean>

const MANAGING: ReadonlySet<WindowAccess> = new Set(['manage', 'manage-confirmed'])
const CONFIRMED: ReadonlySet<WindowAccess> = new Set(['confirmed', 'manage-confirmed'])

/** The session of one call, as its handler may see and change it. */
export interface SessionCookie {
  /** The token of the session, as the browser sent it. */
  readonly token: string | undefined
  /** It came by the name that cookies had before they were named after the port. */
  readonly hasOldName: boolean
  /** Where a session that begins by this call is. */
  readonly place: { readonly browser: string; readonly address: string }
  set(token: string): void
  clear(): void
}

/**
 * The user allowed to make this call. @throws ApiError not-signed-in, locked, not-permitted,
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
  if (found === 'locked') throw locked()
  if (!user) {
    throw new ApiError('not-signed-in', message('http.sign-in'), {
      headers: { 'www-authenticate': 'Session realm="isthmus"' },
    })
  }
  if (!ACCESS[access](user)) {
    throw new ApiError(
      'not-permitted',
      message(MANAGING.has(access) ? 'http.managers-only' : 'http.no-window'),
    )
  }
  if (access === 'every-patient' && sessions.isLimited(user))
    throw new ApiError('not-permitted', message('http.own-customers-only'))
  if (CONFIRMED.has(access)) requireConfirmed(request, sessions)
  return user
}

/**
 * Refuses a call of a window whose person proved who they are too long ago. @throws ApiError
 * confirm-identity
 */
export function requireConfirmed(request: FastifyRequest, sessions: Sessions): void {
  const token = sessionTokenOf(request)
  if (token !== undefined && sessions.isConfirmed(token)) return
  throw new ApiError('confirm-identity', message('http.confirm-identity'))
}

/**
 * Refuses what another site's page could have sent with our cookie: any
 * call from a foreign origin, and a change without the header that only our own script can set
 * or without proof of its origin. Throws `not-permitted`.
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
 * Whether the browser says that a page of ours sent this; without such a header it did not.
 */
export function isFromOwnPage(request: FastifyRequest, publicUrl: string | null): boolean {
  if (isFromForeignPage(request, publicUrl)) return false
  return request.headers.origin !== undefined || request.headers['sec-fetch-site'] === 'same-origin'
}

function isFromForeignPage({ headers }: FastifyRequest, publicUrl: string | null): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  return (
    (origin !== undefined && !isOurOrigin(origin, host, publicUrl)) ||
    site === 'cross-site' ||
    site === 'same-site'
  )
}

/** The window's session goes on, and opens nothing until its person unlocks it. */
export const locked = () =>
  new ApiError('locked', message('http.locked'), {
    headers: { 'www-authenticate': 'Session realm="isthmus"' },
  })

export const isEncrypted = (socket: object): boolean =>
  'encrypted' in socket && socket.encrypted === true

/**
 * The name of a cookie of the listener that was called. A browser sends the cookies of a host to
 * each of its ports (RFC 6265 §8.5): named after the port, those of two gateways on one PC do not
 * replace each other. `__Host-` is the browser's promise that it was set by TLS and by this very
 * host (RFC 6265bis §4.1.3.2); the plain listener could not set it.
 */
export const cookieName = (socket: Socket, name: string): string =>
  `${oldCookieName(socket, name)}-${socket.localPort ?? 0}`
/** As it was named before: what a browser was given then is still taken. */
export const oldCookieName = (socket: Socket, name: string): string =>
  isEncrypted(socket) ? `__Host-${name}` : name

/** The token that the browser sent, by the cookie of the listener that was called. */
export const sessionTokenOf = ({ cookies, socket }: FastifyRequest): string | undefined =>
  cookies[cookieName(socket, SESSION_COOKIE)] ?? cookies[oldCookieName(socket, SESSION_COOKIE)]

/**
 * The cookie lasts as long as the browser's session; how long the token lasts is decided
 * by the session.
 */
export function sessionCookie(request: FastifyRequest, reply: FastifyReply): SessionCookie {
  // Behind a proxy that speaks TLS the origin says https; without TLS a Secure cookie would never
  // come back.
  const secure =
    request.protocol === 'https' || (request.headers.origin?.startsWith('https:') ?? false)
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/', secure } as const
  const name = cookieName(request.socket, SESSION_COOKIE)
  return {
    token: sessionTokenOf(request),
    hasOldName: request.cookies[name] === undefined,
    place: { browser: browserName(request.headers['user-agent']), address: request.ip },
    set: (token) => void reply.setCookie(name, token, attributes),
    clear: () => void reply.clearCookie(name, attributes),
  }
}

/**
 * In the order they are looked for: every browser says that it is several of those that came before
 * it.
 */
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
 * What a User-Agent header says, in short, such as `Chrome on Windows`; empty where it says nothing
 * that is known.
 */
export function browserName(userAgent: string | undefined): string {
  const find = (names: readonly (readonly [sign: string, name: string])[]) =>
    names.find(([sign]) => userAgent?.includes(sign))?.[1]
  return [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined).join(' on ')
}
