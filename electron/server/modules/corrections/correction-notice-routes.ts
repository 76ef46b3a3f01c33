import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { windowList } from '#server/modules/dashboard/window-list.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import type { CorrectionNotices } from './correction-notices.ts'

export interface DashboardCorrectionNoticesDeps {
  readonly store: Pick<Context, 'seal' | 'database'>
  readonly correctionNotices: CorrectionNotices
  readonly feed: Feed
}

/**
 * Declares the window's calls about who has to be informed of corrections
 * (`shared/contract/correction-notices.ts`).
 */
export function serveDashboardCorrectionNotices(
  app: HttpApp,
  { store, correctionNotices, feed }: DashboardCorrectionNoticesDeps,
): void {
  const callerOf = windowCaller(store)
  const list = windowList(store.seal)
  const handlers: HandlersOf<typeof dashboardCorrectionNotices> = {
    list: ({ query, user }) =>
      list('notices', dashboardCorrectionNotices.list, { query }, (page) =>
        correctionNotices.list(callerOf(user), { show: query.show, ...page }),
      ),
    confirm: ({ params, body, user }) =>
      correctionNotices.confirm(callerOf(user), params.noticeId, body.note),
  }
  serveAll(app, dashboardCorrectionNotices, handlers, {
    afterChange: () => feed.noteStatus(),
  })
}
