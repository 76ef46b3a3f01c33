import { userActor } from '#gateway/domain/audit.ts'
import type { DashboardDeps, DashboardHandlers } from './deps.ts'

export const partnerHandlers = ({
  partnerEndpoint,
  ports,
}: Pick<DashboardDeps, 'partnerEndpoint' | 'ports'>): Pick<DashboardHandlers, 'partner' | 'setPartner' | 'testPartner'> => ({
  partner: () => partnerEndpoint.read(),
  setPartner: ({ body, user }) => partnerEndpoint.set(body, userActor(user.userId)),
  testPartner: ({ user }) => ports.testPartner(user),
})
