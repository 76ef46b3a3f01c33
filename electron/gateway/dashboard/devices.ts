import { userActor } from '#gateway/domain/audit.ts'
import type { DashboardDeps } from './deps.ts'
import type { DashboardHandlers } from './handlers.ts'

export const deviceHandlers = ({
  devices,
}: Pick<DashboardDeps, 'devices'>): Pick<
  DashboardHandlers,
  'devices' | 'addDevice' | 'updateDevice' | 'removeDevice' | 'callers' | 'approveCaller' | 'dismissCaller'
> => ({
  devices: () => ({ devices: devices.list() }),
  addDevice: ({ body, user }) => devices.add(body, userActor(user.userId)),
  updateDevice: ({ params, body, user }) => devices.update(params.deviceId, body, userActor(user.userId)),
  removeDevice({ params, user }) {
    devices.remove(params.deviceId, userActor(user.userId))
    return { success: true }
  },
  callers: () => ({ callers: devices.callers() }),
  approveCaller: ({ body, user }) => devices.approveCaller(body, userActor(user.userId)),
  dismissCaller({ body, user }) {
    devices.dismissCaller(body, userActor(user.userId))
    return { success: true }
  },
})
