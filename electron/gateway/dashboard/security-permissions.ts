import type { HandlersOf } from '#gateway/http/operations.ts'
import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardSecurity } from '#shared/contract/dashboard-security.ts'

/**
 * Who may make which of these calls. A locked window may be locked again and unlocked: these two look at the session themselves. The page asks
 * where it is shown before anybody has signed in.
 */
export const SECURITY_PERMISSIONS = {
  lock: 'public',
  unlock: 'public',

  confirm: 'signed-in',

  account: 'signed-in',
  changeAccount: 'signed-in',
  changePassword: 'signed-in',
  beginSecondFactor: 'signed-in',
  confirmSecondFactor: 'signed-in',
  endSecondFactor: 'signed-in',
  resetSecondFactor: 'manage-confirmed',

  // One's own; who manages the gateway everybody's.
  sessions: 'signed-in',
  endSession: 'signed-in',

  thisWorkstation: 'public',
  askForWorkstation: 'public',
  lanAccess: 'manage',
  setLanAccess: 'manage-confirmed',
  approveWorkstation: 'manage-confirmed',
  removeWorkstation: 'manage-confirmed',
} as const satisfies { readonly [K in keyof typeof dashboardSecurity]: Access }

export type SecurityHandlers = HandlersOf<typeof dashboardSecurity, typeof SECURITY_PERMISSIONS>

/** Calls that an open window repeats by itself. */
export const SECURITY_BACKGROUND = [
  'lock',
  'unlock',
  'thisWorkstation',
  'lanAccess',
  'sessions',
] as const satisfies readonly (keyof SecurityHandlers)[]

/** What a PC that nobody has approved may call. */
export const FROM_ANY_WORKSTATION = ['thisWorkstation', 'askForWorkstation'] as const satisfies readonly (keyof SecurityHandlers)[]
