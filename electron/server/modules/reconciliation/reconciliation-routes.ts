import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { ReconciliationPort } from '#server/modules/dashboard/ports.ts'
import type { ImageStudies } from '#server/modules/images/image-studies.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardReconciliation } from '#shared/contract/reconciliation.ts'

export interface DashboardReconciliationDeps {
  readonly store: Pick<Context, 'database'>
  readonly imageStudies: ImageStudies
  readonly feed: Pick<Feed, 'noteImages' | 'noteStatus'>
  readonly reconciliation: ReconciliationPort
}

/** Declares the calls that reconcile exams with orders (`shared/contract/reconciliation.ts`). */
export function serveDashboardReconciliation(
  app: HttpApp,
  deps: DashboardReconciliationDeps,
): void {
  const { store, imageStudies, feed, reconciliation } = deps
  const callerOf = windowCaller(store)

  const handlers: HandlersOf<typeof dashboardReconciliation> = {
    read({ query, user }) {
      const caller = callerOf(user)
      return reconciliation.read(query, (studyInstanceUid) =>
        imageStudies.isVisible(caller, studyInstanceUid),
      )
    },
    link({ body: { studyInstanceUid, orderId }, user }) {
      const caller = callerOf(user)
      imageStudies.demandManaging(caller, studyInstanceUid)
      return reconciliation.link(caller, studyInstanceUid, orderId)
    },
    keep({ body: { studyInstanceUid, reason }, user }) {
      const caller = callerOf(user)
      imageStudies.demandManaging(caller, studyInstanceUid)
      return reconciliation.keep(caller, studyInstanceUid, reason)
    },
    notDone: ({ body: { orderId, reason }, user }) =>
      reconciliation.notDone(callerOf(user), orderId, reason),
    undo({ params: { decisionId }, user }) {
      const caller = callerOf(user)
      const images = reconciliation.imagesOf(decisionId)
      if (images !== null) imageStudies.demandManaging(caller, images)
      reconciliation.undo(caller, decisionId)
      return { success: true, message: 'The decision was undone.' }
    },
  }
  serveAll(app, dashboardReconciliation, handlers, {
    afterChange() {
      feed.noteImages()
      feed.noteStatus()
    },
  })
}
