import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardActivity } from '#shared/contract/dashboard-activity.ts'

/** Who may make which of these calls: like the live feed, they name no patient. */
export const ACTIVITY_PERMISSIONS = {
  associations: 'signed-in',
  association: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardActivity]: Access }

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const ACTIVITY_BACKGROUND = ['associations', 'association'] as const satisfies readonly (keyof typeof dashboardActivity)[]
