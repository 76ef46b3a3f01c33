import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardSetup } from '#shared/contract/dashboard-setup.ts'

/** Who may make which of these calls: the recovery key opens everything, and a folder of the PC is written to. */
export const SETUP_PERMISSIONS = {
  state: 'manage',
  finish: 'manage',
  makeRecoveryKey: 'manage-confirmed',
  confirmRecoveryKey: 'manage-confirmed',
  selfTest: 'manage',
  readiness: 'manage',
  backups: 'manage',
  setBackupFolder: 'manage-confirmed',
  makeBackup: 'manage',
} as const satisfies { readonly [K in keyof typeof dashboardSetup]: Access }

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const SETUP_BACKGROUND = ['state', 'backups', 'readiness'] as const satisfies readonly (keyof typeof dashboardSetup)[]
