import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardDeps, DashboardHandlers } from '#server/modules/dashboard/deps.ts'

export const downtimeHandlers = ({
  downtime,
}: Pick<DashboardDeps, 'downtime'>): Pick<DashboardHandlers, 'startDowntime' | 'endDowntime'> => ({
  startDowntime: ({ body, user }) => downtime.start({ reason: body.reason, user }),
  endDowntime: ({ user }) => downtime.end(userActor(user.userId)),
})
