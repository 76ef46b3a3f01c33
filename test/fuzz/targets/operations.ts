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
import { interfaceOperations } from '#shared/contract/interface.ts'
import { linked } from '#shared/contract/linked.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { dashboardViews, viewing } from '#shared/contract/viewing.ts'
import type { Operation } from '#shared/operation.ts'

const GROUPS: readonly Readonly<Record<string, Operation>>[] = [
  ...[dashboard, dashboardActivity, dashboardExams, dashboardPeople, dashboardSecurity, dashboardSetup, dashboardStudies, dashboardToday],
  ...[dashboardUpkeep, dashboardDestinations, dashboardEvents, dashboardImages, dashboardReports, dashboardViews, viewing, linked],
] as readonly Readonly<Record<string, Operation>>[]

/** Every call that a running gateway answers. Those of the rescue page are answered only where the data cannot be opened. */
export const OPERATIONS: readonly Operation[] = [
  ...interfaceOperations().map(({ operation }) => operation),
  ...GROUPS.flatMap((group) => Object.values(group)),
]

export const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

/**
 * Calls that reach out of the gateway: to other hosts, to folders of this machine, to listeners on its network, or that end the run itself. What
 * is made of them here is sent without a proof of who calls, and never carried out.
 */
export const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([
  ...['PATCH /dashboard/settings', 'PUT /dashboard/lan', 'PUT /dashboard/mail', 'POST /dashboard/mail/test', 'PUT /dashboard/partner'],
  ...['POST /dashboard/partner/test', 'POST /dashboard/endpoints', 'PATCH /dashboard/endpoints/:endpointId', 'POST /dashboard/events/test'],
  ...['POST /dashboard/events/replay', 'POST /dashboard/devices/:deviceId/echo', 'POST /dashboard/destinations/:destinationId/echo'],
  ...['POST /dashboard/destinations/:destinationId/send', 'POST /dashboard/destinations/:destinationId/priors/find'],
  ...['POST /dashboard/destinations/:destinationId/priors/pull', 'POST /dashboard/destinations/:destinationId/retry'],
  ...['POST /dashboard/destinations', 'PATCH /dashboard/destinations/:destinationId', 'PUT /dashboard/setup/backup/folder'],
  ...[
    'POST /dashboard/setup/backup',
    'POST /dashboard/setup/self-test',
    'POST /dashboard/setup/recovery-key',
    'POST /dashboard/upkeep/backups',
  ],
  ...['POST /dashboard/upkeep/rehearsal', 'POST /dashboard/upkeep/restore', 'POST /dashboard/upkeep/restore/preview'],
  ...['DELETE /dashboard/upkeep/backups/:name', 'POST /dashboard/certificates/:use/renew', 'POST /dashboard/session/lock'],
  ...['DELETE /dashboard/session', 'DELETE /dashboard/sessions/:sessionId', 'POST /dashboard/account/password'],
  ...['POST /dashboard/account/second-factor', 'POST /dashboard/account/second-factor/confirm', 'POST /viewer/:viewId/close'],
])
