import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { RecoveryKeySetup } from '#server/modules/backups/recovery-key-setup.ts'
import type { Listeners } from '#server/modules/devices/listeners.ts'
import { selfTest } from '#server/modules/diagnostics/self-test.ts'
import { dashboardSetup, type ReadinessFinding } from '#shared/contract/dashboard-setup.ts'
import { setupState } from './setup-state.ts'
import type { TrialSimulators } from './simulators.ts'

/** Serves the first-run wizard and the readiness page. */
export function serveSetup(
  app: HttpApp,
  context: Context,
  backups: Backups,
  recovery: RecoveryKeySetup,
  listeners: Listeners,
  readiness: () => Promise<ReadinessFinding[]>,
  simulators: TrialSimulators,
): void {
  serveAll(
    app,
    dashboardSetup,
    {
      state: async () => setupState(context, listeners.states(), await backups.wizardState()),
      finish({ user }) {
        context.settings.change({ 'setup.isDone': true }, userActor(user.userId))
        return { success: true }
      },
      makeRecoveryKey: ({ user }) => recovery.make(userActor(user.userId)),
      confirmRecoveryKey: ({ body, user }) => recovery.confirm(body.groups, userActor(user.userId)),
      selfTest: () => selfTest(context, listeners.states()),
      async readiness() {
        const findings = await readiness()
        const ready = findings.filter(({ verdict }) => verdict === 'ok').length
        return { ready, all: findings.length, findings }
      },
      simulators: () => simulators.state(),
      startPartnerSimulator: ({ user }) => simulators.startPartner(userActor(user.userId)),
      stopPartnerSimulator: () => simulators.stopPartner(),
      visitAsDevice: ({ body, user }) =>
        simulators.visitAsDevice(body.withImages, userActor(user.userId)),
      backups: () => backups.wizardState(),
      setBackupFolder: ({ body, user }) => backups.useFolder(body.folder, userActor(user.userId)),
      makeBackup({ user }) {
        // The outcome is reported by the wizard state.
        backups.start('by-hand', userActor(user.userId)).catch(() => undefined)
        return backups.wizardState()
      },
    },
    { afterChange: () => context.feed.noteStatus() },
  )
}
