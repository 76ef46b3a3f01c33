import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { canSeeImages, requireCanManageImages } from '#server/modules/images/image-studies.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import type { Schedule } from '#server/modules/worklist/schedule.ts'
import { dashboardReconciliation } from '#shared/contract/reconciliation.ts'
import { message } from '#shared/messages/message.ts'
import {
  keepExam,
  linkExam,
  markNotDone,
  type OrderChange,
  requireDecision,
  undoDecision,
} from './decisions.ts'
import { readReconciliation } from './reconciliation.ts'

/** Serves the window's calls that reconcile exams with orders. */
export function serveReconciliation(
  app: HttpApp,
  context: Context,
  schedule: Schedule,
  orderChanged: (studyInstanceUid: string, change: OrderChange) => void,
): void {
  const callerOf = windowCaller(context)
  const handlers: HandlersOf<typeof dashboardReconciliation> = {
    read({ query, user }) {
      const caller = callerOf(user)
      return readReconciliation(context, schedule, query, (studyInstanceUid) =>
        canSeeImages(context, caller, studyInstanceUid),
      )
    },
    link({ body: { studyInstanceUid, orderId }, user }) {
      const caller = callerOf(user)
      requireCanManageImages(context, caller, studyInstanceUid)
      return linkExam(context, schedule, caller, studyInstanceUid, orderId, orderChanged)
    },
    keep({ body: { studyInstanceUid, reason }, user }) {
      const caller = callerOf(user)
      requireCanManageImages(context, caller, studyInstanceUid)
      return keepExam(context, caller, studyInstanceUid, reason, orderChanged)
    },
    notDone: ({ body: { orderId, reason }, user }) =>
      markNotDone(context, schedule, callerOf(user), orderId, reason),
    undo({ params: { decisionId }, user }) {
      const caller = callerOf(user)
      const { imageStudyUid } = requireDecision(context, decisionId)
      if (imageStudyUid !== null) requireCanManageImages(context, caller, imageStudyUid)
      undoDecision(context, caller, decisionId, orderChanged)
      return { success: true, message: message('reconciliation.undone') }
    },
  }
  serveAll(app, dashboardReconciliation, handlers, {
    afterChange() {
      context.feed.noteImages()
      context.feed.noteStatus()
    },
  })
}
