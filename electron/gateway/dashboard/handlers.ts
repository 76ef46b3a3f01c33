import type { HandlersOf } from '#gateway/http/operations.ts'
import type { dashboard } from '#shared/contract/dashboard.ts'
import type { Permissions } from './permissions.ts'

/** One handler for each call of the window, its user admitted by the table of permissions. */
export type DashboardHandlers = HandlersOf<typeof dashboard, Permissions>
