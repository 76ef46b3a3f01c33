import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { HangingProtocols } from '#shared/contract/hanging-protocols.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { findHangingProtocols, putHangingProtocols, type ViewRecord } from './queries.ts'

type ViewUser = Pick<ViewRecord, 'userId'>

/** The hanging protocols of the view's user; none if the view has no user. */
export const readHangingProtocols = (
  { database }: Context,
  { userId }: ViewUser,
): HangingProtocols =>
  (userId === null ? undefined : findHangingProtocols(database, userId)) ?? {
    revision: 0,
    protocols: [],
  }

/**
 * Saves all hanging protocols of the view's user. `revision` is the one that was read; the new one
 * is returned.
 * @throws ApiError refused: the view has no user, or another window has saved in the meantime
 */
export const saveHangingProtocols = (
  context: Context,
  { userId }: ViewUser,
  { revision: read, protocols }: HangingProtocols,
) =>
  context.database.transaction(() => {
    if (userId === null) throw new ApiError('refused', message('viewer.layouts-need-user'))
    const now = readHangingProtocols(context, { userId }).revision
    if (read !== now)
      throw new ApiError('refused', message('viewer.layouts-saved-since'), {
        errors: [
          { path: 'body.revision', message: message('viewer.revision-not-current', { read, now }) },
        ],
      })
    const revision = now + 1
    putHangingProtocols(
      context.database,
      userId,
      { revision, protocols },
      instantOf(context.clock()),
    )
    return { revision }
  })
