import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { windowList } from '#server/http/pagination.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { listAssignees } from './assignees.ts'
import * as savedViews from './saved-views.ts'
import { countStudies, listStudies, readStudy } from './service.ts'

/** Serves the window's lists of studies (`shared/contract/dashboard-studies.ts`). */
export function serveStudyLists(
  app: HttpApp,
  context: Context,
  eventLog: Pick<EventLog, 'list'>,
): void {
  const callerOf = windowCaller(context)
  const list = windowList(context.database.seal)
  serveAll(app, dashboardStudies, {
    list({ query, user }) {
      const { cursor: _, limit: __, ...asked } = query
      return list('studies', dashboardStudies.list, { query }, (page) =>
        listStudies(context, callerOf(user), { ...asked, ...page }),
      )
    },
    counts: ({ query, user }) => countStudies(context, callerOf(user), query),
    read: ({ params, user }) => readStudy(context, eventLog, callerOf(user), params.studyId),
    assignees: ({ query, user }) => ({
      assignees: listAssignees(context, callerOf(user), query),
    }),
    savedViews: async ({ query, user }) => ({
      savedViews: await savedViews.listSavedViews(context, callerOf(user), query.list),
    }),
    saveView: ({ body, user }) => savedViews.addSavedView(context, callerOf(user), body),
    changeView: ({ params, body, user }) =>
      savedViews.changeSavedView(context, callerOf(user), params.savedViewId, body),
    removeView({ params, user }) {
      savedViews.removeSavedView(context, callerOf(user), params.savedViewId)
      return { success: true }
    },
  })
}
