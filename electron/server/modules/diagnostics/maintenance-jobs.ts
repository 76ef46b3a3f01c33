import type { Context } from '#server/context.ts'
import { fillSearch } from '#server/modules/studies/search-fill-queries.ts'
import type { ViewSessions } from '#server/modules/viewer/sessions.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { forgetExpired } from './retention.ts'

const FORGET_EVERY_MS = 10 * 60_000

/**
 * Starts the background jobs: indexing older studies for search, and deleting data after its
 * retention period.
 */
export function openMaintenance(context: Context, views: ViewSessions): AsyncDisposable {
  const { isSafe, log } = context
  const opened = new AsyncDisposableStack()
  // In safe mode, older studies are not indexed.
  if (!isSafe) {
    const filling = new AbortController()
    const filled = fillSearch(context, filling.signal).catch((error: unknown) =>
      log.error(
        { err: error },
        'older studies could not be made searchable; the next start goes on with them',
      ),
    )
    opened.defer(() => {
      filling.abort()
      return filled
    })
  }
  const forget = () =>
    void forgetExpired(context, views).catch((error: unknown) =>
      // A disk fault is already logged elsewhere, so it is logged only at debug level here.
      log[diskFaultKind(error) === undefined ? 'error' : 'debug'](
        { err: error },
        'what is past its time could not be forgotten',
      ),
    )
  const forgetting = setInterval(forget, FORGET_EVERY_MS)
  opened.defer(() => clearInterval(forgetting))
  return opened
}
