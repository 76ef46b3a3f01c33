import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { reportError } from '#server/platform/log.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import type { Backups } from './backups.ts'
import type { LiveRestore } from './restore-staging.ts'

/**
 * Registers the operations for backups, restore tests and restores; `diagnostics` registers the
 * support bundle.
 */
export function serveBackups(
  app: HttpApp,
  context: Context,
  backups: Backups,
  restoring: LiveRestore,
): void {
  const { diagnostics: _, ...operations } = dashboardBackups
  serveAll(
    app,
    operations,
    {
      state: () => backups.state(),
      make({ user }) {
        // The outcome is part of the state.
        backups.start('by-hand', userActor(user.userId)).catch(() => undefined)
        return backups.state()
      },
      async remove({ params, user }) {
        await backups.remove(params.name, userActor(user.userId))
        return backups.state()
      },
      async rehearse({ user }) {
        const { result } = await backups.startTest(userActor(user.userId))
        result.catch((error: unknown) => reportError(context, error))
        return backups.state()
      },
      previewRestore: ({ body }) => restoring.preview(body),
      restore: ({ body, user }) => restoring.begin(body, userActor(user.userId)),
      restoreState: () => restoring.state,
    },
    { afterChange: () => context.feed.noteStatus() },
  )
}
