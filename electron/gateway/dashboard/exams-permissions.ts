import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import type { dashboardToday } from '#shared/contract/dashboard-today.ts'

/** Everybody at the window looks at the exams of the day, as at queries; asking the partner for them changes nothing. */
export const EXAMS_PERMISSIONS = {
  exams: 'signed-in',
  refresh: 'signed-in',
  explain: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardExams]: Access }

export const TODAY_PERMISSIONS = { today: 'signed-in' } as const satisfies { readonly [K in keyof typeof dashboardToday]: Access }
