import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardEvents } from '#shared/contract/events.ts'

/** Who may make which of these calls: what was sent names patients, and where it goes is an administrator's to say. */
export const EVENTS_PERMISSIONS = {
  list: 'manage',
  read: 'manage',
  replay: 'manage',
  drop: 'manage',
  dryRun: 'manage',
  test: 'manage',
  meter: 'manage',

  endpoints: 'manage',
  addEndpoint: 'manage-confirmed',
  changeEndpoint: 'manage-confirmed',
  removeEndpoint: 'manage-confirmed',
  rotateSecret: 'manage-confirmed',
} as const satisfies { readonly [K in keyof typeof dashboardEvents]: Access }

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const EVENTS_BACKGROUND = ['list', 'read', 'meter', 'endpoints'] as const satisfies readonly (keyof typeof dashboardEvents)[]
