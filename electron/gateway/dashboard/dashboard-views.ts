import type { ViewSessions } from '#gateway/domain/view-sessions.ts'
import { type HttpApp, serve } from '#gateway/http/operations.ts'
import { dashboardViews } from '#shared/contract/viewing.ts'
import { type CustomersOf, windowCaller } from './caller.ts'

export interface DashboardViewsDeps {
  readonly views: Pick<ViewSessions, 'byUser' | 'shown'>
  readonly customersOf: CustomersOf
  /** The window's session of a token. */
  readonly sessionOf?: (token: string) => { readonly sessionId: string } | undefined
}

/** Declares the window's way into the viewer: the page it opens then goes by the cookie of the view. */
export function serveDashboardViews(app: HttpApp, { views, customersOf, sessionOf }: DashboardViewsDeps): void {
  const callerOf = windowCaller(customersOf)
  serve(app, dashboardViews.open, ({ body, user, viewCookie, session }) => {
    const { view, token } = views.byUser(callerOf(user), body, session.token && sessionOf?.(session.token)?.sessionId)
    viewCookie.set(view.viewId, token)
    return views.shown(view)
  })
}
