import { note, userActor } from '#server/modules/audit/audit.ts'
import type { DashboardDeps, DashboardHandlers } from '#server/modules/dashboard/deps.ts'

export const certificateHandlers = ({
  store,
  ports,
}: Pick<DashboardDeps, 'store' | 'ports'>): Pick<
  DashboardHandlers,
  'certificates' | 'renewCertificate'
> => ({
  certificates: () => ({ certificates: ports.certificates() }),
  renewCertificate({ params, user }) {
    const certificate = ports.renewCertificate(params.use)
    note(store, userActor(user.userId), 'certificate.renew', params.use, {
      fingerprint256: certificate.fingerprint256,
    })
    return certificate
  },
})
