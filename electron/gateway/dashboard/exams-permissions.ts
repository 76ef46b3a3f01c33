import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import type { dashboardToday } from '#shared/contract/dashboard-today.ts'
import type { dashboardReconciliation } from '#shared/contract/reconciliation.ts'

/** Who may see every patient looks at the exams of the day, as at queries; asking the partner for them changes nothing. */
export const EXAMS_PERMISSIONS = {
  exams: 'every-patient',
  refresh: 'every-patient',
  explain: 'every-patient',
} as const satisfies { readonly [K in keyof typeof dashboardExams]: Access }

/** Orders are of every patient; who may decide is the rules' to say: it takes the right to manage studies. */
export const RECONCILIATION_PERMISSIONS = {
  read: 'every-patient',
  link: 'every-patient',
  keep: 'every-patient',
  notDone: 'every-patient',
  undo: 'every-patient',
} as const satisfies { readonly [K in keyof typeof dashboardReconciliation]: Access }

export const TODAY_PERMISSIONS = { today: 'signed-in' } as const satisfies { readonly [K in keyof typeof dashboardToday]: Access }
