import type { Access } from '#gateway/http/sessions.ts'
import type { dashboard } from '#shared/contract/dashboard.ts'

/**
 * Who may make which call of the window. `manage` is owner and admin; `signed-in` anyone whose account may use the window;
 * `every-patient` anyone who is not limited to the studies of some customers. A change that takes `manage` takes a recent
 * proof of who is there too, `manage-confirmed`, unless it is a test or only tidies up (decision 0033).
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

  inspections: 'every-patient',
  inspection: 'every-patient',
  askWorklist: 'every-patient',
  closeStep: 'every-patient',
  reopenStep: 'every-patient',
  startDowntime: 'signed-in',
  endDowntime: 'signed-in',

  // Asking the worklist begins with choosing a device.
  devices: 'signed-in',
  addDevice: 'manage-confirmed',
  updateDevice: 'manage-confirmed',
  removeDevice: 'manage-confirmed',
  echoDevice: 'manage',
  lintDevice: 'manage',
  callers: 'manage',
  approveCaller: 'manage-confirmed',
  dismissCaller: 'manage',

  partner: 'manage',
  setPartner: 'manage-confirmed',
  testPartner: 'manage',

  certificates: 'manage',
  renewCertificate: 'manage-confirmed',

  settings: 'manage',
  changeSettings: 'manage-confirmed',
  audit: 'manage',
  verifyAudit: 'manage',
  acknowledgeAudit: 'manage-confirmed',
} as const satisfies { readonly [K in keyof typeof dashboard]: Access }

export type Permissions = typeof PERMISSIONS

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const BACKGROUND = ['session', 'status', 'feed'] as const satisfies readonly (keyof typeof dashboard)[]
