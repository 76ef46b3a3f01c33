import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { dashboardTiers } from '#shared/contract/tiers.ts'
import type { Tiers } from './tiers.ts'

/** Registers the window's operations for tiers (`shared/contract/tiers.ts`). */
export function serveTiers(app: HttpApp, context: Context, tiers: Tiers): void {
  const handlers: HandlersOf<typeof dashboardTiers> = {
    list: () => ({ tiers: tiers.list() }),
    add: ({ body, user }) => tiers.add(body, userActor(user.userId)),
    update: ({ params, body, user }) => tiers.update(params.tierId, body, userActor(user.userId)),
    async remove({ params, user }) {
      await tiers.remove(params.tierId, userActor(user.userId))
      return { success: true }
    },
    test: ({ params }) => tiers.test(params.tierId),
    migrate: ({ params, user }) => tiers.migrate(params.tierId, userActor(user.userId)),
    changeMigration: ({ params, body, user }) =>
      tiers.changeMigration(params.tierId, body.action, userActor(user.userId)),
    verify: ({ params, body }) => tiers.verify(params.tierId, body.isQuick),
    stopVerification: ({ params }) => tiers.stopVerification(params.tierId),
  }
  serveAll(app, dashboardTiers, handlers, { afterChange: () => context.feed.noteStatus() })
}
