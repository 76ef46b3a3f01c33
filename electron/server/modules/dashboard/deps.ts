import type { Context } from '#server/context.ts'
import type { HandlersOf } from '#server/http/operations.ts'
import type { AuditTrail } from '#server/modules/audit/audit-trail.ts'
import type { Devices } from '#server/modules/devices/devices.ts'
import type { ClosedSteps } from '#server/modules/procedure-steps/closed-steps.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { People } from '#server/modules/users/people.ts'
import type { Downtime } from '#server/modules/worklist/downtime.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { dashboard } from '#shared/contract/dashboard.ts'
import type { DashboardPorts } from './ports.ts'

/** One handler for each operation of `shared/contract/dashboard.ts`. */
export type DashboardHandlers = HandlersOf<typeof dashboard>

/** What the window's calls stand on; each file takes the two or three it uses. */
export interface DashboardDeps {
  readonly store: Context
  readonly clock: Clock
  /** Of the product, as the window shows it. */
  readonly version: string
  readonly people: People
  readonly devices: Devices
  readonly settings: Settings
  readonly downtime: Downtime
  readonly closedSteps: ClosedSteps
  readonly auditTrail: AuditTrail
  readonly ports: DashboardPorts
}
