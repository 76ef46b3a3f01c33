import type { Access } from '#gateway/http/sessions.ts'
import type { dashboard } from '#shared/contract/dashboard.ts'

/**
 * Who may make which call of the window. `manage` is owner and admin; `signed-in` anyone whose account may use the window.
 * Ending downtime is for whoever may start it: a mistake must be undone by the person who sees it.
 */
export const PERMISSIONS = {
  session: 'public',
  signIn: 'public',
  followLink: 'public',
  createOwner: 'public',
  signOut: 'public',

  status: 'signed-in',
  feed: 'signed-in',

  inspections: 'signed-in',
  inspection: 'signed-in',
  askWorklist: 'signed-in',
  closeStep: 'signed-in',
  reopenStep: 'signed-in',
  startDowntime: 'signed-in',
  endDowntime: 'signed-in',

  // Asking the worklist begins with choosing a device.
  devices: 'signed-in',
  addDevice: 'manage',
  updateDevice: 'manage',
  removeDevice: 'manage',
  echoDevice: 'manage',
  lintDevice: 'manage',
  callers: 'manage',
  approveCaller: 'manage',
  dismissCaller: 'manage',

  partner: 'manage',
  setPartner: 'manage',
  testPartner: 'manage',

  certificates: 'manage',
  renewCertificate: 'manage',

  settings: 'manage',
  changeSettings: 'manage',
  audit: 'manage',
  verifyAudit: 'manage',
  acknowledgeAudit: 'manage',
} as const satisfies { readonly [K in keyof typeof dashboard]: Access }

export type Permissions = typeof PERMISSIONS

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const BACKGROUND = ['session', 'status', 'feed'] as const satisfies readonly (keyof typeof dashboard)[]
