import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { OpenView, SessionUse, ViewAuthenticator } from './callers.ts'
import { SANDBOX_PATH } from './sandbox-requests.ts'

/** The cookie of a view, which gives access to neither `/v1` nor `/dashboard`. */
export const VIEW_COOKIE = 'isthmus-view'

/** Sets and clears the cookie of a view. */
export interface ViewCookie {
  set(viewId: string, token: string): void
  clear(viewId: string): void
}

/**
 * The view named by the request, authenticated by its cookie. @throws ApiError not-signed-in;
 * refused, locked as `ViewAuthenticator.viewOf`
 */
export function admitView(
  request: FastifyRequest,
  views: ViewAuthenticator | undefined,
  use: SessionUse = 'person',
): OpenView {
  const { viewId } = request.params as { readonly viewId?: unknown }
  const token = request.cookies[VIEW_COOKIE]
  const view = typeof viewId === 'string' && token ? views?.viewOf(viewId, token, use) : undefined
  if (!view) {
    throw new ApiError('not-signed-in', message('http.view-ended'), {
      headers: { 'www-authenticate': 'Session realm="isthmus view"' },
    })
  }
  return view
}

/**
 * Its path is that of the view, so that each window has its own cookie and no other request sends
 * it.
 */
export function viewCookie(request: FastifyRequest, reply: FastifyReply): ViewCookie {
  const isSecure =
    request.protocol === 'https' || (request.headers.origin?.startsWith('https:') ?? false)
  const pathPrefix = request.originalUrl.startsWith(`${SANDBOX_PATH}/`) ? SANDBOX_PATH : ''
  const attributes = (viewId: string) =>
    ({
      httpOnly: true,
      sameSite: 'strict',
      path: `${pathPrefix}/viewer/${viewId}`,
      secure: isSecure,
    }) as const
  return {
    set: (viewId, token) => void reply.setCookie(VIEW_COOKIE, token, attributes(viewId)),
    clear: (viewId) => void reply.clearCookie(VIEW_COOKIE, attributes(viewId)),
  }
}
