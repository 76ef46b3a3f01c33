import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardDeps, DashboardHandlers } from '#server/modules/dashboard/deps.ts'

export const partnerHandlers = ({
  partnerEndpoint,
  ports,
}: Pick<DashboardDeps, 'partnerEndpoint' | 'ports'>): Pick<
  DashboardHandlers,
  'partner' | 'setPartner' | 'testPartner'
> => ({
  partner: () => partnerEndpoint.read(),
  setPartner: ({ body, user }) => partnerEndpoint.set(body, userActor(user.userId)),
  testPartner: ({ user }) => ports.testPartner(user),
})
