import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardDevices } from '#shared/contract/dashboard.ts'
import { dashboardActivity } from '#shared/contract/dashboard-activity.ts'
import type { EchoResult } from '#shared/contract/destinations.ts'
import type { Device } from '#shared/contract/devices.ts'
import { dashboardServiceVisit } from '#shared/contract/service-visit.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { AssociationLog } from './association-log.ts'
import { supportTextOf } from './association-support.ts'
import type { AssociationTraces } from './association-traces.ts'
import { findDevice, listDevices } from './device-queries.ts'
import { addDevice, approveCaller, changeDevice, dismissCaller, removeDevice } from './devices.ts'
import type { ServiceVisits } from './service-visit.ts'
import { listUnknownCallers } from './unknown-caller-queries.ts'

/** @throws ApiError not-found */
function requireDevice(context: Context, deviceId: string): Device {
  const device = findDevice(context.database, deviceId)
  if (!device) throw new ApiError('not-found', message('devices.no-such-device'))
  return device
}

/** Registers the operations for devices. `echo` sends a C-ECHO to a device. */
export function serveDevices(
  app: HttpApp,
  context: Context,
  echo: (device: Device) => Promise<EchoResult>,
): void {
  const handlers: HandlersOf<typeof dashboardDevices> = {
    devices: () => ({ devices: listDevices(context.database) }),
    addDevice: ({ body, user }) => addDevice(context, body, userActor(user.userId)),
    updateDevice: ({ params, body, user }) =>
      changeDevice(context, params.deviceId, body, userActor(user.userId)),
    removeDevice({ params, user }) {
      removeDevice(context, params.deviceId, userActor(user.userId))
      return { success: true }
    },
    echoDevice: async ({ params }) => echo(requireDevice(context, params.deviceId)),
    callers: () => ({ callers: listUnknownCallers(context.database) }),
    approveCaller: ({ body, user }) => approveCaller(context, body, userActor(user.userId)),
    dismissCaller({ body, user }) {
      dismissCaller(context, body, userActor(user.userId))
      return { success: true }
    },
  }
  serveAll(app, dashboardDevices, handlers, { afterChange: () => context.feed.noteStatus() })
}

/** Registers the operations of the page for a device's engineer. */
export function serveServiceVisits(
  app: HttpApp,
  context: Context,
  visits: ServiceVisits,
  version: string,
): void {
  const handlers: HandlersOf<typeof dashboardServiceVisit> = {
    read: async ({ params }) => ({
      now: instantOf(context.clock()),
      aeTitle: context.settings.get('dimse.aeTitle'),
      associations: await visits.associationsOf(requireDevice(context, params.deviceId)),
    }),
    async log({ params, query: { format } }) {
      const device = requireDevice(context, params.deviceId)
      const fileName = `isthmus-${device.aeTitle.replace(/[^\w-]+/g, '_')}.${format === 'json' ? 'json' : 'txt'}`
      const text = await (format === 'json'
        ? visits.jsonOf(device, version)
        : visits.textOf(device, version))
      return { fileName, text }
    },
    values: async ({ params: { deviceId, associationId }, user }) => ({
      messages: await visits.valuesOf(
        requireDevice(context, deviceId),
        associationId,
        userActor(user.userId),
      ),
    }),
  }
  serveAll(app, dashboardServiceVisit, handlers)
}

/** Registers the window's operations for associations (`shared/contract/dashboard-activity.ts`). */
export function serveDashboardActivity(
  app: HttpApp,
  context: Context,
  associationLog: AssociationLog,
  traces: AssociationTraces,
  version: string,
): void {
  const handlers: HandlersOf<typeof dashboardActivity> = {
    async associations({ query: { cursor, limit, ...filter } }) {
      const { items, ...rest } = await associationLog.list(filter, { cursor, limit })
      return { associations: items, ...rest }
    },
    async association({ params }) {
      const record = await associationLog.read(params.associationId)
      const about = {
        version,
        aeTitle: context.settings.get('dimse.aeTitle'),
        now: instantOf(context.clock()),
      }
      const trace = traces.of(params.associationId)
      return { ...record, supportText: supportTextOf(record, about, trace) }
    },
  }
  serveAll(app, dashboardActivity, handlers)
}
