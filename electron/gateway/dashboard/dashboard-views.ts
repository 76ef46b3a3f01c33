import type { ViewSessions } from '#gateway/domain/view-sessions.ts'
import { type HttpApp, serve } from '#gateway/http/operations.ts'
import { dashboardViews } from '#shared/contract/viewing.ts'
import { type CustomersOf, windowCaller } from './caller.ts'

export interface DashboardViewsDeps {
  readonly views: Pick<ViewSessions, 'byUser' | 'shown'>
  readonly customersOf: CustomersOf
}

/** Declares the window's way into the viewer: the page it opens then goes by the cookie of the view. */
export function serveDashboardViews(app: HttpApp, { views, customersOf }: DashboardViewsDeps): void {
  const callerOf = windowCaller(customersOf)
  serve(app, dashboardViews.open, { access: 'signed-in' }, ({ body, user, viewCookie }) => {
    const { view, token } = views.byUser(callerOf(user), body)
    viewCookie.set(view.viewId, token)
    return views.shown(view)
  })
}
