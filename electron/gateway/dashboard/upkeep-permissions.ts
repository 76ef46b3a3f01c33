import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardUpkeep } from '#shared/contract/dashboard-upkeep.ts'

/** Who may make which of these calls: what is in a back-up is everything. That a restore takes an owner is the domain's to say. */
export const UPKEEP_PERMISSIONS = {
  state: 'manage',
  make: 'manage',
  remove: 'manage-confirmed',
  rehearse: 'manage',
  previewRestore: 'manage',
  // It takes the owner's password with the call.
  restore: 'manage',
  restoreState: 'manage',
  diagnostics: 'manage',
} as const satisfies { readonly [K in keyof typeof dashboardUpkeep]: Access }

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const UPKEEP_BACKGROUND = ['state', 'restoreState'] as const satisfies readonly (keyof typeof dashboardUpkeep)[]
