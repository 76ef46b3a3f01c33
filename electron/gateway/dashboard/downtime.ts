import { userActor } from '#gateway/domain/audit.ts'
import type { DashboardDeps, DashboardHandlers } from './deps.ts'

export const downtimeHandlers = ({
  downtime,
}: Pick<DashboardDeps, 'downtime'>): Pick<DashboardHandlers, 'startDowntime' | 'endDowntime'> => ({
  startDowntime: ({ body, user }) => downtime.start({ reason: body.reason, user }),
  endDowntime: ({ user }) => downtime.end(userActor(user.userId)),
})
