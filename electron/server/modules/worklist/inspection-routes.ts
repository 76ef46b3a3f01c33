import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardDeps, DashboardHandlers } from '#server/modules/dashboard/deps.ts'
import { ApiError } from '#shared/errors.ts'

/**
 * The query inspector: what was asked and answered, asking as a device, and steps closed by hand.
 */
export function inspectionHandlers({
  store,
  devices,
  closedSteps,
  ports,
}: Pick<DashboardDeps, 'store' | 'devices' | 'closedSteps' | 'ports'>): Pick<
  DashboardHandlers,
  'inspections' | 'inspection' | 'askWorklist' | 'closeStep' | 'reopenStep'
> {
  return {
    inspections({ query }) {
      const { items, ...rest } = store.inspections.list(query)
      return { inspections: items, ...rest }
    },
    async inspection({ params, query }) {
      const found = await ports.inspection(params.inspectionId, query.verdict)
      if (!found)
        throw new ApiError(
          'not-found',
          'This query is not kept any more; Settings say for how long queries are.',
        )
      return found
    },
    async askWorklist({ body, user }) {
      const device = devices.find(body.deviceId)
      if (!device) throw cannotAsk('There is no such device.')
      // A device that is switched off is rejected before it can ask.
      if (!device.isEnabled)
        throw cannotAsk(
          'This device is switched off and gets no worklist; switch it on under Devices.',
        )
      return ports.askWorklist(body, device, user)
    },
    closeStep({ body, user }) {
      const closed = closedSteps.close(body, userActor(user.userId))
      ports.feed.noteChange('exams')
      return closed
    },
    reopenStep({ body, user }) {
      const wasClosed = closedSteps.reopen(body, userActor(user.userId))
      ports.feed.noteChange('exams')
      return wasClosed
        ? { success: true }
        : { success: false, message: 'This step was not closed.' }
    },
  }
}

const cannotAsk = (message: string) =>
  new ApiError('refused', message, { errors: [{ path: 'body.deviceId', message }] })
