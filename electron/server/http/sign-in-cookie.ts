import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieName } from './session-authentication.ts'

const SIGN_IN_COOKIE = 'isthmus-sign-in'

/**
 * Ties a sign-in at the identity provider to the browser that began it (RFC 9700 §4.7.1), so that
 * nobody can finish it in the browser of another person.
 */
export interface SignInCookie {
  readonly token: string | undefined
  set(token: string): void
}

export const signInTokenOf = ({ cookies, socket }: FastifyRequest): string | undefined =>
  cookies[cookieName(socket, SIGN_IN_COOKIE)]

/** It ends with the browser; the sign-in itself expires after some minutes. */
export function signInCookie(request: FastifyRequest, reply: FastifyReply): SignInCookie {
  const isSecure =
    request.protocol === 'https' || (request.headers.origin?.startsWith('https:') ?? false)
  return {
    token: signInTokenOf(request),
    set: (token) =>
      void reply.setCookie(cookieName(request.socket, SIGN_IN_COOKIE), token, {
        ...{ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure },
      }),
  }
}

/** The origin of the page that sent the request, which `requireOwnPage` has accepted. */
export function originOf({ headers, protocol, host }: FastifyRequest): string {
  return headers.origin ?? `${protocol}://${host}`
}
