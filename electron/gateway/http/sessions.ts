import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { isOurOrigin } from './host-names.ts'

export const SESSION_COOKIE = 'isthmus-session'
export const CSRF_HEADER = 'x-isthmus-csrf'

/** A person's call keeps a session from going idle; a look in the background (a stream, a poll) does not. */
export type SessionUse = 'person' | 'background'

/** Port: who a session token belongs to. */
export interface Sessions {
  /** The user of a live session; undefined for a token that is unknown, ended or expired. */
  userOf(token: string, use: SessionUse): SignedInUser | undefined
}

/** Who may make a call: anyone, anyone signed in, or who manages the gateway (owner and admin). */
export const ACCESS = {
  public: () => true,
  'signed-in': (user) => user.hasDashboardAccess,
  manage: (user) => user.hasDashboardAccess && (user.level === 'owner' || user.level === 'admin'),
} as const satisfies Record<string, (user: SignedInUser) => boolean>
export type Access = keyof typeof ACCESS

/** The user a handler sees: always there, except in public calls. */
export type UserFor<A extends Access> = A extends 'public' ? SignedInUser | undefined : SignedInUser

/** The session of one call, as its handler may see and change it. */
export interface SessionCookie {
  /** The domain's token, as the browser sent it. */
  readonly token: string | undefined
  set(token: string): void
  clear(): void
}

/** The user allowed to make this call. Throws `not-signed-in` and `not-permitted`. */
export function admit(request: FastifyRequest, access: Access, sessions: Sessions, use: SessionUse): SignedInUser | undefined {
  const token = request.cookies[SESSION_COOKIE]
  const user = token ? sessions.userOf(token, use) : undefined
  if (access === 'public') return user
  if (!user) {
    throw new ApiError('not-signed-in', 'Sign in to do this.', { headers: { 'www-authenticate': 'Session realm="isthmus"' } })
  }
  if (!ACCESS[access](user)) {
    throw new ApiError(
      'not-permitted',
      access === 'manage' ? 'Only an owner or an administrator may do this.' : 'This account may not use the window.',
    )
  }
  return user
}

/**
 * Refuses what another site's page could have sent with our cookie (interface-choices §6 row 55): any call from a foreign origin, and a
 * change without the header that only our own script can set or without proof of its origin. Throws `not-permitted`.
 */
export function requireOwnPage(request: FastifyRequest, publicUrl: string | null): void {
  if (isFromForeignPage(request, publicUrl)) throw new ApiError('not-permitted', 'This call came from a page of another origin.')
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (request.headers[CSRF_HEADER] !== '1') throw new ApiError('not-permitted', `A change needs the header ${CSRF_HEADER}: 1.`)
  if (!isFromOwnPage(request, publicUrl)) {
    throw new ApiError('not-permitted', 'A change needs Sec-Fetch-Site: same-origin or the Origin of this gateway.')
  }
}

/** Whether the browser says that a page of ours sent this; without a word of a browser it is not. */
export function isFromOwnPage(request: FastifyRequest, publicUrl: string | null): boolean {
  if (isFromForeignPage(request, publicUrl)) return false
  return request.headers.origin !== undefined || request.headers['sec-fetch-site'] === 'same-origin'
}

function isFromForeignPage({ headers }: FastifyRequest, publicUrl: string | null): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  return (origin !== undefined && !isOurOrigin(origin, host, publicUrl)) || site === 'cross-site' || site === 'same-site'
}

/** The cookie lasts as long as the browser's session; how long the token lasts is the domain's to say. */
export function sessionCookie(request: FastifyRequest, reply: FastifyReply): SessionCookie {
  // Behind a proxy that speaks TLS the origin says https; without TLS a Secure cookie would never come back.
  const secure = request.protocol === 'https' || (request.headers.origin?.startsWith('https:') ?? false)
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/', secure } as const
  return {
    token: request.cookies[SESSION_COOKIE],
    set: (token) => void reply.setCookie(SESSION_COOKIE, token, attributes),
    clear: () => void reply.clearCookie(SESSION_COOKIE, attributes),
  }
}
