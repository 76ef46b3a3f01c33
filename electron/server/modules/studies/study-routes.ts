import type { Context } from '#server/context.ts'
import { type HandlersOf, type HttpApp, serveAll } from '#server/http/operations.ts'
import { windowCaller } from '#server/modules/customers/service.ts'
import { windowList } from '#server/modules/dashboard/window-list.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import type { SavedViews } from './saved-views.ts'
import type { StudyLists } from './study-lists.ts'

export interface DashboardStudiesDeps {
  readonly store: Pick<Context, 'seal' | 'database'>
  readonly lists: StudyLists
  readonly savedViews: SavedViews
}

/** Declares the window's lists of studies (`shared/contract/dashboard-studies.ts`). */
export function serveDashboardStudies(
  app: HttpApp,
  { store, lists, savedViews }: DashboardStudiesDeps,
): void {
  const callerOf = windowCaller(store)
  const list = windowList(store.seal)

  const handlers: HandlersOf<typeof dashboardStudies> = {
    list({ query, user }) {
      const { cursor: _, limit: __, ...asked } = query
      return list('studies', dashboardStudies.list, { query }, (page) =>
        lists.list(callerOf(user), { ...asked, ...page }),
      )
    },
    counts: ({ query, user }) => lists.counts(callerOf(user), query),
    read: ({ params, user }) => lists.read(callerOf(user), params.studyId),
    savedViews: async ({ query, user }) => ({
      savedViews: await savedViews.list(callerOf(user), query.list),
    }),
    saveView: ({ body, user }) => savedViews.add(callerOf(user), body),
    changeView: ({ params, body, user }) =>
      savedViews.change(callerOf(user), params.savedViewId, body),
    removeView({ params, user }) {
      savedViews.remove(callerOf(user), params.savedViewId)
      return { success: true }
    },
  }
  serveAll(app, dashboardStudies, handlers)
}
