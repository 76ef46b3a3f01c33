import type { SavedViews } from '#gateway/domain/saved-views.ts'
import type { StudyLists } from '#gateway/domain/study-lists.ts'
import { type HandlersOf, type HttpApp, serveAll } from '#gateway/http/operations.ts'
import type { Store } from '#gateway/store/store.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { type CustomersOf, windowCaller } from './caller.ts'
import { windowList } from './window-list.ts'

export interface DashboardStudiesDeps {
  readonly store: Pick<Store, 'seal'>
  readonly lists: StudyLists
  readonly savedViews: SavedViews
  readonly customersOf: CustomersOf
}

/** Declares the window's lists of studies (`shared/contract/dashboard-studies.ts`). */
export function serveDashboardStudies(app: HttpApp, { store, lists, savedViews, customersOf }: DashboardStudiesDeps): void {
  const callerOf = windowCaller(customersOf)
  const list = windowList(store.seal)

  const handlers: HandlersOf<typeof dashboardStudies> = {
    list({ query, user }) {
      const { cursor: _, limit: __, ...asked } = query
      return list('studies', dashboardStudies.list, { query }, (page) => lists.list(callerOf(user), { ...asked, ...page }))
    },
    counts: ({ query, user }) => lists.counts(callerOf(user), query),
    read: ({ params, user }) => lists.read(callerOf(user), params.studyId),
    savedViews: async ({ query, user }) => ({ savedViews: await savedViews.list(callerOf(user), query.list) }),
    saveView: ({ body, user }) => savedViews.add(callerOf(user), body),
    changeView: ({ params, body, user }) => savedViews.change(callerOf(user), params.savedViewId, body),
    removeView({ params, user }) {
      savedViews.remove(callerOf(user), params.savedViewId)
      return { success: true }
    },
  }
  serveAll(app, dashboardStudies, handlers)
}
