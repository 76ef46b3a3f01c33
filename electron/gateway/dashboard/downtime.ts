import { userActor } from '#gateway/domain/audit.ts'
import type { DashboardDeps } from './deps.ts'
import type { DashboardHandlers } from './handlers.ts'

export const downtimeHandlers = ({
  downtime,
}: Pick<DashboardDeps, 'downtime'>): Pick<DashboardHandlers, 'startDowntime' | 'endDowntime'> => ({
  startDowntime: ({ body, user }) => downtime.start({ reason: body.reason, user }),
  endDowntime: ({ user }) => downtime.end(userActor(user.userId)),
})
