import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { windowList } from '#server/modules/dashboard/window-list.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { ReportLocks } from '#server/modules/reports/report-locks.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import * as savedViews from './saved-views.ts'
import { countStudies, listStudies, readStudy } from './service.ts'

/** The window's lists of studies (`shared/contract/dashboard-studies.ts`). */
export function serveStudyLists(
  app: HttpApp,
  context: Context,
  settings: Pick<Settings, 'get'>,
  locks: Pick<ReportLocks, 'of'>,
  eventLog: Pick<EventLog, 'list'>,
): void {
  const callerOf = windowCaller(context)
  const list = windowList(context.seal)
  serveAll(app, dashboardStudies, {
    list({ query, user }) {
      const { cursor: _, limit: __, ...asked } = query
      return list('studies', dashboardStudies.list, { query }, (page) =>
        listStudies(context, settings, locks, callerOf(user), { ...asked, ...page }),
      )
    },
    counts: ({ query, user }) => countStudies(context, settings, callerOf(user), query),
    read: ({ params, user }) => readStudy(context, locks, eventLog, callerOf(user), params.studyId),
    savedViews: async ({ query, user }) => ({
      savedViews: await savedViews.listSavedViews(context, settings, callerOf(user), query.list),
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
