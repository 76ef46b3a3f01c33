import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import { dashboardActivity } from '#shared/contract/dashboard-activity.ts'
import type { AssociationLog } from './association-log.ts'
import { supportTextOf } from './association-support.ts'

export interface DashboardActivityDeps {
  readonly associationLog: Pick<AssociationLog, 'list' | 'read'>
  readonly settings: Settings
  readonly clock: Clock
  /** Of the product. */
  readonly version: string
}

/**
 * Declares the window's calls about connections of devices
 * (`shared/contract/dashboard-activity.ts`).
 */
export function serveDashboardActivity(
  app: HttpApp,
  { associationLog, settings, clock, version }: DashboardActivityDeps,
): void {
  const handlers: HandlersOf<typeof dashboardActivity> = {
    async associations({ query: { cursor, limit, ...filter } }) {
      const { items, ...rest } = await associationLog.list(filter, { cursor, limit })
      return { associations: items, ...rest }
    },
    async association({ params }) {
      const record = await associationLog.read(params.associationId)
      const about = { version, aeTitle: settings.get('dimse.aeTitle'), now: instantOf(clock()) }
      return { ...record, supportText: supportTextOf(record, about) }
    },
  }
  serveAll(app, dashboardActivity, handlers)
}
