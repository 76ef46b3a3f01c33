import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { HttpApp } from './http-app.ts'
import { cookieName, isEncrypted, oldCookieName } from './session-authentication.ts'

const WORKSTATION_COOKIE = 'isthmus-workstation'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/** The workstation of a request, which its handler may read and change. */
export interface WorkstationCookie {
  /**
   * Whether the request came from this PC or through the loopback listener, so that no approval is
   * required.
   */
  readonly isOnGatewayPc: boolean
  readonly token: string | undefined
  set(token: string): void
}

/** Whether the request came over TLS from another PC. A proxy on this PC counts as this PC. */
function isFromElsewhere({ socket }: Pick<FastifyRequest, 'socket'>): boolean {
  const { remoteAddress, localAddress } = socket
  return (
    isEncrypted(socket) &&
    remoteAddress !== localAddress &&
    !LOOPBACK_ADDRESSES.includes(remoteAddress ?? '')
  )
}
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1', '::ffff:127.0.0.1']

const tokenOf = ({ cookies, socket }: FastifyRequest): string | undefined =>
  cookies[cookieName(socket, WORKSTATION_COOKIE)] ??
  cookies[oldCookieName(socket, WORKSTATION_COOKIE)]

/**
 * The id of the approved workstation that sent the request; null for this PC. @throws ApiError
 * workstation-unknown
 */
export function admitWorkstation(request: FastifyRequest, app: HttpApp): string | null {
  if (!isFromElsewhere(request)) return null
  const token = tokenOf(request)
  const workstationId = token ? app.approvedWorkstation(token) : undefined
  if (workstationId !== undefined) return workstationId
  throw new ApiError('workstation-unknown', message('http.workstation-unknown'))
}

export function workstationCookie(request: FastifyRequest, reply: FastifyReply): WorkstationCookie {
  const attributes = {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: true,
    maxAge: YEAR_SECONDS,
  } as const
  return {
    isOnGatewayPc: !isFromElsewhere(request),
    token: tokenOf(request),
    set: (token) =>
      void reply.setCookie(cookieName(request.socket, WORKSTATION_COOKIE), token, attributes),
  }
}
