import type { Store } from '#server/database/store.ts'
import { type HandlersOf, type HttpApp, serveAll } from '#server/http/operations.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { windowList } from '#server/modules/dashboard/window-list.ts'
import { type CustomersOf, windowCaller } from '#server/modules/users/window-caller.ts'
import { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import type { CorrectionNotices } from './correction-notices.ts'

export interface DashboardCorrectionNoticesDeps {
  readonly store: Pick<Store, 'seal'>
  readonly correctionNotices: CorrectionNotices
  readonly customersOf: CustomersOf
  readonly feed: Feed
}

/**
 * Declares the window's calls about who has to be informed of corrections
 * (`shared/contract/correction-notices.ts`).
 */
export function serveDashboardCorrectionNotices(
  app: HttpApp,
  { store, correctionNotices, customersOf, feed }: DashboardCorrectionNoticesDeps,
): void {
  const callerOf = windowCaller(customersOf)
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
