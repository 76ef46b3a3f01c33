import type { AuditTrail } from '#gateway/domain/audit-trail.ts'
import type { ClosedSteps } from '#gateway/domain/closed-steps.ts'
import type { Devices } from '#gateway/domain/devices.ts'
import type { Downtime } from '#gateway/domain/downtime.ts'
import type { PartnerEndpoint } from '#gateway/domain/partner-endpoint.ts'
import type { People } from '#gateway/domain/people.ts'
import type { Settings } from '#gateway/domain/settings.ts'
import type { Workstations } from '#gateway/domain/workstations.ts'
import type { HandlersOf } from '#gateway/http/operations.ts'
import type { Clock } from '#gateway/store/clock.ts'
import type { Store } from '#gateway/store/store.ts'
import type { dashboard } from '#shared/contract/dashboard.ts'
import type { DashboardPorts } from './ports.ts'

/** One handler for each operation of `shared/contract/dashboard.ts`. */
export type DashboardHandlers = HandlersOf<typeof dashboard>

/** What the window's calls stand on; each file takes the two or three it uses. */
export interface DashboardDeps {
  readonly store: Store
  readonly clock: Clock
  /** Of the product, as the window shows it. */
  readonly version: string
  readonly people: People
  readonly devices: Devices
  readonly settings: Settings
  /** Undefined where no other PC may open the window. */
  readonly workstations?: Workstations | undefined
  readonly partnerEndpoint: PartnerEndpoint
  readonly downtime: Downtime
  readonly closedSteps: ClosedSteps
  readonly auditTrail: AuditTrail
  readonly ports: DashboardPorts
}
