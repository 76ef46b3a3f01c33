import type { HandlersOf } from '#server/http/operations.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardSecurityDeps } from '#server/modules/settings/security-routes.ts'
import type {
  dashboardSecurity,
  LanAccess,
  ThisWorkstation,
} from '#shared/contract/dashboard-security.ts'
import { ApiError } from '#shared/errors.ts'

type Served =
  | 'thisWorkstation'
  | 'askForWorkstation'
  | 'lanAccess'
  | 'setLanAccess'
  | 'approveWorkstation'
  | 'removeWorkstation'

/** Whether the window opens on a PC, and the screen where that is decided. */
export function workstationHandlers({
  workstations,
  settings,
  lan,
  feed,
}: Pick<DashboardSecurityDeps, 'workstations' | 'settings' | 'lan' | 'feed'>): Pick<
  HandlersOf<typeof dashboardSecurity>,
  Served
> {
  const shown = (): LanAccess => ({ ...lan.state(), workstations: workstations.list() })

  function here(found: ReturnType<typeof workstations.find> | undefined): ThisWorkstation {
    const clinicName = settings.get('clinic.name')
    if (!found) return { state: 'here', name: '', code: '', clinicName }
    const { state, record } = found
    return {
      state,
      name: record?.name ?? '',
      code: state === 'asking' ? (record?.code ?? '') : '',
      clinicName,
    }
  }

  return {
    thisWorkstation: ({ workstation }) =>
      here(workstation.isHere ? undefined : workstations.find(workstation.token)),
    askForWorkstation({ body, workstation, session }) {
      if (workstation.isHere)
        throw new ApiError('refused', 'The window opens on this PC without being approved.')
      const before = workstations.find(workstation.token)
      const { token, record } = workstations.ask({
        ...body,
        ...session.place,
        token: workstation.token,
      })
      workstation.set(token)
      if (before.state === 'unknown')
        feed.append({
          ...{
            kind: 'audit',
            tone: 'warning',
            associationId: '',
            aeTitle: '',
            address: record.address,
          },
          text: `A workstation asks to open the window, code ${record.code}: approve or refuse it under Settings, Access from other PCs.`,
        })
      return here({ state: record.approvedAt === null ? 'asking' : 'approved', record })
    },

    lanAccess: () => shown(),
    async setLanAccess({ body, user }) {
      await lan.set(body, userActor(user.userId))
      return shown()
    },
    approveWorkstation: ({ params, body, user }) =>
      workstations.approve(params.workstationId, body.name, userActor(user.userId)),
    removeWorkstation({ params, user }) {
      workstations.remove(params.workstationId, userActor(user.userId))
      return { success: true }
    },
  }
}
