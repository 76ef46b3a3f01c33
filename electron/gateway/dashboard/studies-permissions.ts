import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardStudies } from '#shared/contract/dashboard-studies.ts'

/** Who may make which of these calls; which studies a person sees is the domain's to say, by customers (row 52). */
export const STUDIES_PERMISSIONS = {
  list: 'signed-in',
  counts: 'signed-in',
  read: 'signed-in',
  savedViews: 'signed-in',
  saveView: 'signed-in',
  changeView: 'signed-in',
  removeView: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardStudies]: Access }

/** Calls that an open window repeats by itself with each piece of news: they do not keep a session awake. */
export const STUDIES_BACKGROUND = ['list', 'counts', 'read', 'savedViews'] as const satisfies readonly (keyof typeof dashboardStudies)[]
