import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { Recovery } from '#server/modules/backups/recovery-key-setup.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { dashboardSetup, type SetupState } from '#shared/contract/dashboard-setup.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { Settings } from './settings.ts'

type Calls = typeof dashboardSetup

/** What the wizard needs beyond the domain; `setup-part.ts` fills it. */
export interface SetupPorts {
  readonly state: () => Promise<SetupState>
  readonly selfTest: () => Promise<ReplyOf<Calls['selfTest']>>
  readonly readiness: () => Promise<ReplyOf<Calls['readiness']>['findings']>
}

export interface DashboardSetupDeps {
  readonly settings: Pick<Settings, 'change'>
  readonly recovery: Recovery
  readonly backups: Pick<Backups, 'wizardState' | 'useFolder' | 'begin'>
  readonly feed: Pick<Feed, 'noteStatus'>
  readonly ports: SetupPorts
}

/**
 * Declares the calls of the first-run wizard and of the readiness page
 * (`shared/contract/dashboard-setup.ts`).
 */
export function serveDashboardSetup(
  app: HttpApp,
  { settings, recovery, backups, feed, ports }: DashboardSetupDeps,
): void {
  const handlers: HandlersOf<Calls> = {
    state: () => ports.state(),
    finish({ user }) {
      settings.change({ 'setup.isDone': true }, userActor(user.userId))
      return { success: true }
    },
    makeRecoveryKey: ({ user }) => recovery.make(userActor(user.userId)),
    confirmRecoveryKey: ({ body, user }) => recovery.confirm(body.groups, userActor(user.userId)),
    selfTest: () => ports.selfTest(),
    async readiness() {
      const findings = await ports.readiness()
      return {
        ready: findings.filter(({ verdict }) => verdict === 'ok').length,
        all: findings.length,
        findings,
      }
    },
    backups: () => backups.wizardState(),
    setBackupFolder: ({ body, user }) => backups.useFolder(body.folder, userActor(user.userId)),
    makeBackup({ user }) {
      backups.begin('by-hand', userActor(user.userId))
      return backups.wizardState()
    },
  }
  serveAll(app, dashboardSetup, handlers, { afterChange: () => feed.noteStatus() })
}
