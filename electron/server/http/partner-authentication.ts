import type { FastifyReply, FastifyRequest } from 'fastify'
import { hostOf } from '#server/platform/connection-budget.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { PartnerAccess } from '#shared/operation.ts'
import type { ApiKeyCaller, Caller, SessionUse } from './callers.ts'
import type { HttpApp } from './http-app.ts'
import type { PartnerInterface } from './partner-interface.ts'
import { TEST_PREFIX } from './sandbox-requests.ts'
import {
  CSRF_HEADER,
  isFromOwnPage,
  lockedError,
  requireConfirmed,
  sessionTokenOf,
} from './session-authentication.ts'
import { admitWorkstation } from './workstation-authentication.ts'

/**
 * Which API keys may call an operation of the partner API. A signed-in user may call all of them
 * except those of `KEY_ONLY_ACCESS` and of `sandbox` (`requireAccess`).
 */
export const PARTNER_ACCESS = {
  partner: () => true,
  viewer: (key) => key.isViewerEnabled,
  people: (key) => key.managesPeople === true,
  'viewer-people': (key) => key.isViewerEnabled && key.managesPeople === true,
  events: (key) => key.eventAccess !== undefined && key.eventAccess !== 'none',
  endpoints: (key) => key.managesEndpoints === true,
  sandbox: (key) => key.isTest === true,
} as const satisfies Record<PartnerAccess, (key: ApiKeyCaller) => boolean>

/** What only an API key may call: it is about the key itself, and the window has its own calls. */
const KEY_ONLY_ACCESS: readonly PartnerAccess[] = ['events', 'endpoints']

/**
 * Authenticates and authorizes the caller, counts a key's rate and sets its headers. @throws
 * ApiError bad-key, too-many, not-permitted, confirm-identity
 */
export function admitCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  app: HttpApp,
  partners: PartnerInterface,
  access: PartnerAccess,
  use: SessionUse,
): Caller {
  const caller = authenticateCaller(request, use, app, partners)
  if (caller.kind === 'api-key') {
    const { isAllowed, headers } = partners.rateLimit.take(caller.apiKeyId)
    reply.headers(headers)
    if (!isAllowed) throw new ApiError('too-many', message('http.key-too-many-calls'))
  }
  requireAccess(caller, access)
  if (caller.kind === 'user' && (access === 'people' || access === 'viewer-people'))
    requireConfirmed(request, app.sessions)
  return caller
}

/**
 * @throws ApiError as `callerOf`; too-many if the host made more requests without a valid key than
 * the rate limit of one key
 */
function authenticateCaller(
  request: FastifyRequest,
  use: SessionUse,
  app: HttpApp,
  partners: PartnerInterface,
): Caller {
  try {
    return callerOf(request, use, app, partners)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'bad-key')) throw error
    const { isAllowed, headers } = partners.badKeyLimit.take(
      hostOf(request.socket.remoteAddress ?? ''),
    )
    if (isAllowed) throw error
    throw new ApiError('too-many', message('http.too-many-without-key'), { headers })
  }
}

/**
 * Authenticates the caller. `Authorization: Bearer` takes precedence; otherwise the session cookie
 * is used, but only for scripts of the gateway's own page on a PC that may open the window.
 * @throws ApiError bad-key, with `WWW-Authenticate: Bearer`; locked, workstation-unknown
 */
function callerOf(
  request: FastifyRequest,
  use: SessionUse,
  app: HttpApp,
  { keys, customerIdsOf }: PartnerInterface,
): Caller {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    // RFC 6750 §3.1: no error code for a request without a bearer token, such as one with Basic.
    if (!/^Bearer +[^ ]/i.test(authorization))
      throw unauthenticatedError(message('http.key-needed'), 'Bearer')
    const key = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
    const caller = key && keys.callerOf(key)
    if (caller) return caller
    if (key?.startsWith(TEST_PREFIX))
      throw unauthenticatedError(message('http.test-key-unknown'), 'Bearer error="invalid_token"')
    throw unauthenticatedError(message('http.key-unknown'), 'Bearer error="invalid_token"')
  }
  const token = sessionTokenOf(request)
  if (token && request.headers[CSRF_HEADER] === '1' && isFromOwnPage(request, app.publicUrl())) {
    admitWorkstation(request, app)
    const user = app.sessions.userOf(token, use)
    if (user === 'locked') throw lockedError()
    if (user) return { kind: 'user', user: { ...user, customerIds: customerIdsOf(user.userId) } }
  }
  throw unauthenticatedError(message('http.key-needed'), 'Bearer')
}

const NO_DICOMWEB_MESSAGES = {
  read: message('http.key-without-dicomweb-read'),
  store: message('http.key-without-dicomweb-store'),
} as const

/**
 * Authenticates the API key of a DICOMweb request and counts its rate (decision 0057). A session of
 * the window is not accepted: the window has its own calls.
 * @throws ApiError not-found if DICOMweb is switched off; bad-key, too-many, not-permitted
 */
export function admitDicomweb(
  request: FastifyRequest,
  reply: FastifyReply,
  app: HttpApp,
  right: 'read' | 'store',
): ApiKeyCaller {
  const { partners } = app
  if (!partners?.isDicomwebEnabled()) throw new ApiError('not-found', message('http.dicomweb-off'))
  const caller = authenticateCaller(request, 'background', app, partners)
  if (caller.kind !== 'api-key') throw unauthenticatedError(message('http.key-needed'), 'Bearer')
  const { isAllowed, headers } = partners.dicomwebLimit.take(caller.apiKeyId)
  reply.headers(headers)
  if (!isAllowed) throw new ApiError('too-many', message('http.key-too-many-calls'))
  if (caller.dicomweb !== right && caller.dicomweb !== 'read-and-store')
    throw new ApiError('not-permitted', NO_DICOMWEB_MESSAGES[right])
  app.noteAuthenticated(request)
  return caller
}

/** The caller of an operation that only API keys may call. */
export function requireKey(caller: Caller): ApiKeyCaller {
  if (caller.kind !== 'api-key') throw new ApiError('not-permitted', message('http.keys-only'))
  return caller
}

/** @throws ApiError not-permitted */
function requireAccess(caller: Caller, access: PartnerAccess): void {
  if (access === 'sandbox' && !(caller.kind === 'api-key' && caller.isTest))
    throw new ApiError('not-permitted', message('http.test-key-needed'))
  if (caller.kind === 'user') {
    if (!caller.user.hasDashboardAccess)
      throw new ApiError('not-permitted', message('http.no-window'))
    if (KEY_ONLY_ACCESS.includes(access)) requireKey(caller)
    return
  }
  if (!PARTNER_ACCESS[access](caller))
    throw new ApiError('not-permitted', missingRightMessage(access, caller))
}

function missingRightMessage(access: PartnerAccess, caller: ApiKeyCaller): Message {
  if (access === 'events') return message('http.key-without-events')
  if (access === 'endpoints') return message('http.key-without-endpoints')
  return message(
    access === 'people' || caller.isViewerEnabled
      ? 'http.key-without-people'
      : 'http.key-without-viewer',
  )
}

const unauthenticatedError = (reason: Message, challenge: string) =>
  new ApiError('bad-key', reason, { headers: { 'www-authenticate': challenge } })
