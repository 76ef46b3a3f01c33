import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { FolderFinding } from './dashboard-setup.ts'

export const DashboardUpdateState = z.object({
  /** Of the running gateway. */
  version: z.string(),
  /** The checks before an update; one that is bad prevents it. */
  findings: z.array(FolderFinding),
  /** What an update takes at the most: time, and space on the disk of the data folder. */
  estimate: z.object({ seconds: z.int(), bytes: z.number(), freeBytes: z.number() }),
  /** The way back to the version before; null if none is known. */
  wayBack: z
    .object({
      version: z.string(),
      /** The version before opens the data as they are, so nothing has to be prepared. */
      isSameSchema: z.boolean(),
      /** Why the data cannot be prepared for it; null if they can. */
      fault: Message.nullable(),
    })
    .nullable(),
})
export type DashboardUpdateState = z.infer<typeof DashboardUpdateState>

/** Updates of the program: checks before one, and the way back. */
export const dashboardUpdate = {
  state: operation('GET /dashboard/update', {
    access: 'manage',
    background: true,
    summary: 'Whether the gateway can be updated or returned to the previous version',
    reply: DashboardUpdateState,
  }),
  goBack: operation('POST /dashboard/update/way-back', {
    access: 'manage-confirmed',
    summary: 'Prepare the data for the previous version; the gateway stops',
    reply: z.object({ version: z.string() }),
  }),
}
