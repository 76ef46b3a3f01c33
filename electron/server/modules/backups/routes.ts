import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { type DiagnosticsFile, dashboardUpkeep } from '#shared/contract/dashboard-upkeep.ts'
import type { Backups } from './backups.ts'
import type { Restoring } from './restore-staging.ts'

export interface DashboardUpkeepDeps {
  readonly backups: Pick<Backups, 'state' | 'begin' | 'remove' | 'beginRehearsal'>
  readonly restoring: Pick<Restoring, 'preview' | 'begin' | 'state'>
  readonly feed: Pick<Feed, 'noteStatus'>
  /** What the bundle for support holds; `setup-part.ts` fills it. */
  readonly diagnostics: () => Promise<DiagnosticsFile[]>
}

/**
 * Declares the window's calls about back-ups, their trial and their return
 * (`shared/contract/dashboard-upkeep.ts`).
 */
export function serveDashboardUpkeep(
  app: HttpApp,
  { backups, restoring, feed, diagnostics }: DashboardUpkeepDeps,
): void {
  const handlers: HandlersOf<typeof dashboardUpkeep> = {
    state: () => backups.state(),
    make({ user }) {
      backups.begin('by-hand', userActor(user.userId))
      return backups.state()
    },
    async remove({ params, user }) {
      await backups.remove(params.name, userActor(user.userId))
      return backups.state()
    },
    async rehearse({ user }) {
      await backups.beginRehearsal(userActor(user.userId))
      return backups.state()
    },
    previewRestore: ({ body }) => restoring.preview(body),
    restore: ({ body, user }) => restoring.begin(body, userActor(user.userId)),
    restoreState: () => restoring.state(),
    diagnostics: async () => ({ files: await diagnostics() }),
  }
  serveAll(app, dashboardUpkeep, handlers, { afterChange: () => feed.noteStatus() })
}
