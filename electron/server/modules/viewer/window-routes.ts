import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve } from '#server/http/operations.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardViews } from '#shared/contract/viewing.ts'
import { shownView, type ViewSessions } from './sessions.ts'

export interface DashboardViewsDeps {
  readonly store: Context
  readonly views: Pick<ViewSessions, 'byUser'>
  /** The window's session of a token. */
  readonly sessionOf?: (token: string) => { readonly sessionId: string } | undefined
}

/**
 * Declares the window's way into the viewer: the page it opens then goes by the cookie of the view.
 */
export function serveDashboardViews(
  app: HttpApp,
  { store, views, sessionOf }: DashboardViewsDeps,
): void {
  const callerOf = windowCaller(store)
  serve(app, dashboardViews.open, ({ body, user, viewCookie, session }) => {
    const { view, token } = views.byUser(
      callerOf(user),
      body,
      session.token && sessionOf?.(session.token)?.sessionId,
    )
    viewCookie.set(view.viewId, token)
    return shownView(store, view)
  })
}
