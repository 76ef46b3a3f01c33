import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import type { dashboardCorrections } from '#shared/contract/corrections.ts'

/** Who may make which of these calls; the right to manage studies is asked for in each (decision 0031). */
export const CORRECTIONS_PERMISSIONS = {
  identities: 'signed-in',
  targets: 'signed-in',
  preview: 'signed-in',
  apply: 'signed-in',
  list: 'signed-in',
  undo: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardCorrections]: Access }

/** Calls that an open window repeats by itself with each event: they do not keep a session awake. */
export const CORRECTIONS_BACKGROUND = ['list'] as const satisfies readonly (keyof typeof dashboardCorrections)[]

/** Notices are for who manages studies or writes reports: the domain asks for it. */
export const CORRECTION_NOTICES_PERMISSIONS = {
  list: 'signed-in',
  confirm: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardCorrectionNotices]: Access }
