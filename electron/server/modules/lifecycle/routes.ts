import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { canSeeImages } from '#server/modules/images/image-studies.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardErasures } from '#shared/contract/erasure.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { Erasures } from './erasures.ts'
import type { Lifecycle } from './lifecycle.ts'
import { addRule, changeRule, removeRule, setRuleEnabled } from './rules.ts'
import { liftLegalHold, placeLegalHold, studyLifecycle } from './study-lifecycle.ts'

/** Registers the window's operations for the lifecycle of images (`shared/contract/lifecycle.ts`,
 * `erasure.ts`). */
export function serveLifecycle(
  app: HttpApp,
  context: Context,
  lifecycle: Lifecycle,
  erasures: Erasures,
): void {
  const callerOf = windowCaller(context)

  const handlers: HandlersOf<typeof dashboardLifecycle> = {
    overview: () => lifecycle.overview(),
    add: ({ body, user }) => addRule(context, body, userActor(user.userId)),
    update: ({ params, body, user }) =>
      changeRule(context, params.ruleId, body, userActor(user.userId)),
    remove({ params, user }) {
      removeRule(context, params.ruleId, userActor(user.userId))
      return { success: true }
    },
    preview: ({ params }) => lifecycle.preview(params.ruleId),
    switch: ({ params, body, user }) =>
      setRuleEnabled(context, params.ruleId, body, userActor(user.userId)),
    async run({ user }) {
      const { studies } = await lifecycle.runNow(userActor(user.userId))
      return { success: true, message: message('lifecycle.removed', { studies }) }
    },
    study({ params, user }) {
      if (!canSeeImages(context, callerOf(user), params.studyInstanceUid))
        throw new ApiError('not-found', message('studies.none-such'))
      return studyLifecycle(context, params.studyInstanceUid)
    },
    placeHold: ({ params, body, user }) =>
      placeLegalHold(context, params.studyInstanceUid, body.reason, user.userId),
    liftHold: ({ params, body, user }) =>
      liftLegalHold(context, params.studyInstanceUid, body.reason, user.userId),
  }
  serveAll(app, dashboardLifecycle, handlers)

  const erasureHandlers: HandlersOf<typeof dashboardErasures> = {
    preview: ({ body }) => erasures.preview(body.studyInstanceUid, body.scope),
    erase: ({ body, user }) => erasures.erase(body, user.userId),
    list: () => ({ erasures: erasures.list() }),
    read: ({ params }) => erasures.read(params.erasureId),
  }
  serveAll(app, dashboardErasures, erasureHandlers)
}
