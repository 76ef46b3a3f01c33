import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardDeps, DashboardHandlers } from '#server/modules/dashboard/deps.ts'
import type { Device } from '#shared/contract/devices.ts'
import { ApiError } from '#shared/errors.ts'

type Served =
  | 'devices'
  | 'addDevice'
  | 'updateDevice'
  | 'removeDevice'
  | 'echoDevice'
  | 'lintDevice'
  | 'callers'
  | 'approveCaller'
  | 'dismissCaller'

export function deviceHandlers({
  devices,
  ports,
}: Pick<DashboardDeps, 'devices' | 'ports'>): Pick<DashboardHandlers, Served> {
  function existing(deviceId: string): Device {
    const device = devices.find(deviceId)
    if (!device) throw new ApiError('not-found', 'There is no such device.')
    return device
  }

  return {
    devices: () => ({ devices: devices.list() }),
    addDevice: ({ body, user }) => devices.add(body, userActor(user.userId)),
    updateDevice: ({ params, body, user }) =>
      devices.update(params.deviceId, body, userActor(user.userId)),
    removeDevice({ params, user }) {
      devices.remove(params.deviceId, userActor(user.userId))
      return { success: true }
    },
    echoDevice: async ({ params }) => ports.echoDevice(existing(params.deviceId)),
    lintDevice: async ({ params, user }) => ports.lint(existing(params.deviceId), user),
    callers: () => ({ callers: devices.callers() }),
    approveCaller: ({ body, user }) => devices.approveCaller(body, userActor(user.userId)),
    dismissCaller({ body, user }) {
      devices.dismissCaller(body, userActor(user.userId))
      return { success: true }
    },
  }
}
