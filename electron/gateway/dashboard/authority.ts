import type { Access } from '#gateway/http/sessions.ts'
import { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import { dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardActivity } from '#shared/contract/dashboard-activity.ts'
import { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardUpkeep } from '#shared/contract/dashboard-upkeep.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReconciliation } from '#shared/contract/reconciliation.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import type { Operation } from '#shared/operation.ts'
import { ACTIVITY_PERMISSIONS } from './activity-permissions.ts'
import { CORRECTION_NOTICES_PERMISSIONS, CORRECTIONS_PERMISSIONS } from './corrections-permissions.ts'
import { DESTINATIONS_PERMISSIONS } from './destinations-permissions.ts'
import { EVENTS_PERMISSIONS } from './events-permissions.ts'
import { EXAMS_PERMISSIONS, RECONCILIATION_PERMISSIONS, TODAY_PERMISSIONS } from './exams-permissions.ts'
import { IMAGES_PERMISSIONS } from './images-permissions.ts'
import { PEOPLE_PERMISSIONS } from './people-permissions.ts'
import { PERMISSIONS } from './permissions.ts'
import { REPORTS_PERMISSIONS } from './reports-permissions.ts'
import { SECURITY_PERMISSIONS } from './security-permissions.ts'
import { SETUP_PERMISSIONS } from './setup-permissions.ts'
import { STUDIES_PERMISSIONS } from './studies-permissions.ts'
import { UPKEEP_PERMISSIONS } from './upkeep-permissions.ts'

/** An operation of the window, and who may call it. */
export interface WindowOperation {
  /** Such as `people.createApiKey`. */
  readonly name: string
  readonly operation: Operation
  readonly access: Access
}

const area = <T extends Readonly<Record<string, unknown>>>(
  name: string,
  operations: T,
  permissions: { readonly [K in keyof T]: Access },
): WindowOperation[] =>
  Object.entries(operations).map(([key, operation]) => ({
    name: `${name}.${key}`,
    operation: operation as Operation,
    access: permissions[key as keyof T],
  }))

/**
 * Every operation of the window with its access, for the authority matrix: its test and the table of
 * docs/AUTHORITY.md. What a page of images calls goes by the cookie of its view, and is not among them.
 */
export const WINDOW_OPERATIONS: readonly WindowOperation[] = [
  ...area('window', dashboard, PERMISSIONS),
  ...area('security', dashboardSecurity, SECURITY_PERMISSIONS),
  ...area('people', dashboardPeople, PEOPLE_PERMISSIONS),
  ...area('setup', dashboardSetup, SETUP_PERMISSIONS),
  ...area('upkeep', dashboardUpkeep, UPKEEP_PERMISSIONS),
  ...area('events', dashboardEvents, EVENTS_PERMISSIONS),
  ...area('destinations', dashboardDestinations, DESTINATIONS_PERMISSIONS),
  ...area('activity', dashboardActivity, ACTIVITY_PERMISSIONS),
  ...area('today', dashboardToday, TODAY_PERMISSIONS),
  ...area('exams', dashboardExams, EXAMS_PERMISSIONS),
  ...area('reconciliation', dashboardReconciliation, RECONCILIATION_PERMISSIONS),
  ...area('studies', dashboardStudies, STUDIES_PERMISSIONS),
  ...area('images', dashboardImages, IMAGES_PERMISSIONS),
  ...area('corrections', dashboardCorrections, CORRECTIONS_PERMISSIONS),
  ...area('notices', dashboardCorrectionNotices, CORRECTION_NOTICES_PERMISSIONS),
  ...area('reports', dashboardReports, REPORTS_PERMISSIONS),
]
