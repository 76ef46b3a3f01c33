/** What is looked at before a report is signed (ux-security C.2). */
export const REPORT_CHECKS = [
  'empty-text',
  'empty-impression',
  'unfilled-field',
  'laterality',
  'sex',
  'critical-wording',
  'critical-without-finding',
  'patient-changed',
] as const
export type ReportCheck = (typeof REPORT_CHECKS)[number]
