import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardEvents } from '#shared/contract/events.ts'

/** What a change of an endpoint changes on the screens. */
export const ENDPOINT_CHANGES = [dashboardEvents.endpoints, dashboard.partner, dashboard.status]
