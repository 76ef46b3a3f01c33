import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardReports } from '#shared/contract/reports.ts'

/** Who may make which of these calls; who may write and sign is the domain's to say, by flags, assignment and customers (row 52). */
export const REPORTS_PERMISSIONS = {
  read: 'signed-in',
  byUid: 'signed-in',
  askContext: 'signed-in',
  begin: 'signed-in',
  save: 'signed-in',
  hold: 'signed-in',
  revisions: 'signed-in',
  revision: 'signed-in',
  check: 'signed-in',
  sign: 'signed-in',
  overrideIdentity: 'confirmed',
  withdrawOverride: 'signed-in',
  startAddendum: 'signed-in',
  cancelAddendum: 'signed-in',
  pdfLink: 'signed-in',
  send: 'signed-in',
  criticals: 'signed-in',
  communicate: 'signed-in',
  templates: 'signed-in',
  addTemplate: 'signed-in',
  changeTemplate: 'signed-in',
  removeTemplate: 'signed-in',
  assign: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardReports]: Access }

/** Calls that an open window repeats by itself: they do not keep a session awake. */
export const REPORTS_BACKGROUND = ['read', 'hold', 'criticals'] as const satisfies readonly (keyof typeof dashboardReports)[]
