import type { Context } from '#server/context.ts'
import { fillSearch } from '#server/modules/studies/search-fill-queries.ts'
import type { ViewSessions } from '#server/modules/viewer/sessions.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { purgeExpired } from './retention.ts'

const PURGE_INTERVAL_MS = 10 * 60_000

/**
 * Starts the background jobs: indexing older studies for search, and deleting data after its
 * retention period.
 */
export function openMaintenance(context: Context, views: ViewSessions): AsyncDisposable {
  const { isSafe, log } = context
  const opened = new AsyncDisposableStack()
  // In safe mode, older studies are not indexed.
  if (!isSafe) {
    const fillAbort = new AbortController()
    const searchFilled = fillSearch(context, fillAbort.signal).catch((error: unknown) =>
      log.error(
        { err: error },
        'older studies could not be indexed for search; the next start continues',
      ),
    )
    opened.defer(() => {
      fillAbort.abort()
      return searchFilled
    })
  }
  const purge = () =>
    void purgeExpired(context, views).catch((error: unknown) =>
      // A disk fault is already logged elsewhere, so it is logged only at debug level here.
      log[diskFaultKind(error) === undefined ? 'error' : 'debug'](
        { err: error },
        'expired data could not be deleted',
      ),
    )
  const purgeTimer = setInterval(purge, PURGE_INTERVAL_MS)
  opened.defer(() => clearInterval(purgeTimer))
  return opened
}
