import { type HttpApp, serveAll } from '#gateway/http/operations.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { auditHandlers, serveAuditExport } from './audit.ts'
import { certificateHandlers } from './certificates.ts'
import type { DashboardDeps } from './deps.ts'
import { deviceHandlers } from './devices.ts'
import { downtimeHandlers } from './downtime.ts'
import { feedHandlers, serveFeedEvents } from './feed.ts'
import { inspectionHandlers } from './inspections.ts'
import { partnerHandlers } from './partner.ts'
import { sessionHandlers } from './session.ts'
import { settingsHandlers } from './settings.ts'
import { statusHandlers } from './status.ts'

/** Declares every call of the window (`shared/contract/dashboard.ts`) and its stream of events. */
export function serveDashboard(app: HttpApp, deps: DashboardDeps): void {
  const { feed } = deps.ports
  const handlers = {
    ...sessionHandlers(deps),
    ...statusHandlers(deps),
    ...feedHandlers(feed),
    ...inspectionHandlers(deps),
    ...downtimeHandlers(deps),
    ...deviceHandlers(deps),
    ...partnerHandlers(deps),
    ...certificateHandlers(deps),
    ...settingsHandlers(deps),
    ...auditHandlers(deps),
  }
  serveAll(app, dashboard, handlers, { afterChange: () => feed.noteStatus() })
  serveFeedEvents(app, feed)
  serveAuditExport(app, deps)
}
