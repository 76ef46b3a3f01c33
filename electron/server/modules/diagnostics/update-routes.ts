import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import {
  requestRollback,
  rollbackOf,
  unsupportedRowsMessage,
  versionOrSchema,
} from '#server/modules/backups/way-back.ts'
import { type DashboardUpdateState, dashboardUpdate } from '#shared/contract/dashboard-update.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { updatePreflight } from './update-preflight.ts'

/** After the reply was sent. */
const RESTART_DELAY_MS = 300

/** @param restart opens the data folder again in this process; `undefined` in tests */
export function serveUpdates(
  app: HttpApp,
  context: Context,
  version: string,
  restart: (() => void) | undefined,
): void {
  const currentRollback = () => rollbackOf(context.folder, context.database)
  serveAll(app, dashboardUpdate, {
    async state() {
      const { findings, estimate } = await updatePreflight(context)
      return {
        version,
        findings: [...findings],
        estimate,
        wayBack: rollbackReply(currentRollback()),
      }
    },
    goBack({ user }) {
      const found = currentRollback()
      if (!found) throw new ApiError('not-found', message('backups.no-way-back'))
      if (found.unheld.length > 0) throw new ApiError('refused', unsupportedRowsMessage(found))
      if (found.isSameSchema)
        throw new ApiError(
          'refused',
          message('backups.way-back-same-schema', { version: versionOrSchema(found) }),
        )
      requestRollback(context.folder, found)
      note(context, userActor(user.userId), 'update.way-back', versionOrSchema(found), {
        from: version,
      })
      setTimeout(() => restart?.(), RESTART_DELAY_MS)
      return { version: versionOrSchema(found) }
    },
  })
}

function rollbackReply(found: ReturnType<typeof rollbackOf>): DashboardUpdateState['wayBack'] {
  if (!found) return null
  return {
    version: versionOrSchema(found),
    isSameSchema: found.isSameSchema,
    fault: found.unheld.length > 0 ? unsupportedRowsMessage(found) : null,
  }
}
