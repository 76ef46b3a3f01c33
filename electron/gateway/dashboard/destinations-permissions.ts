import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardDestinations } from '#shared/contract/destinations.ts'

/** Who may make which of these calls. Sending a study begins with choosing a destination; whether a member may send is the domain's to say. */
export const DESTINATIONS_PERMISSIONS = {
  list: 'signed-in',
  add: 'manage-confirmed',
  update: 'manage-confirmed',
  remove: 'manage-confirmed',
  echo: 'manage',

  studies: 'signed-in',
  instances: 'signed-in',
  send: 'signed-in',
  retry: 'signed-in',
  drop: 'signed-in',

  findPriors: 'signed-in',
  pull: 'signed-in',
  pulls: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardDestinations]: Access }

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const DESTINATIONS_BACKGROUND = [
  'list',
  'studies',
  'instances',
  'pulls',
] as const satisfies readonly (keyof typeof dashboardDestinations)[]
