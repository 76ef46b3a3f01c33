import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { auditHandlers, serveAuditExport } from '#server/modules/audit/routes.ts'
import { deviceHandlers } from '#server/modules/devices/routes.ts'
import { partnerHandlers } from '#server/modules/partners/routes.ts'
import { certificateHandlers } from '#server/modules/settings/certificate-routes.ts'
import { settingsHandlers } from '#server/modules/settings/routes.ts'
import { sessionHandlers, sessionReply } from '#server/modules/users/session-routes.ts'
import { downtimeHandlers } from '#server/modules/worklist/downtime-routes.ts'
import { inspectionHandlers } from '#server/modules/worklist/inspection-routes.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { DashboardDeps } from './deps.ts'
import { feedHandlers, serveFeedEvents } from './feed.ts'
import { statusHandlers } from './status.ts'

/** Declares every call of the window (`shared/contract/dashboard.ts`) and its stream of events. */
export function serveDashboard(app: HttpApp, deps: DashboardDeps): void {
  const { feed } = deps.ports
  const handlers = {
    ...sessionHandlers(
      deps.store,
      deps.people,
      sessionReply(deps.store, deps.settings, deps.version),
    ),
    ...statusHandlers(deps),
    ...feedHandlers(feed),
    ...inspectionHandlers(deps),
    ...downtimeHandlers(deps),
    ...deviceHandlers(deps),
    ...partnerHandlers(deps.store, deps.settings, deps.ports.testPartner),
    ...certificateHandlers(deps),
    ...settingsHandlers(deps),
    ...auditHandlers(deps),
  }
  serveAll(app, dashboard, handlers, { afterChange: () => feed.noteStatus() })
  serveFeedEvents(app, feed)
  serveAuditExport(app, deps)
}
