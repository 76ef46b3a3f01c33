import { forgetExpired, type RetentionDeps } from '#server/modules/diagnostics/retention.ts'
import { fillSearch } from '#server/modules/studies/search-fill.ts'
import type { Parts } from '#server/parts.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import type { Log } from '#server/platform/log.ts'

const FORGET_EVERY_MS = 10 * 60_000

export interface ChoresOptions {
  readonly views: NonNullable<RetentionDeps['views']>
  readonly log: Log
  /** Older studies wait for a start that is not in safe mode. */
  readonly isSafe: boolean
}

/**
 * What the gateway does by itself from now on: it makes older studies searchable, and forgets what
 * is past its time.
 */
export function openChores(
  { deps }: Parts,
  { views, log, isSafe }: ChoresOptions,
): AsyncDisposable {
  const opened = new AsyncDisposableStack()
  if (!isSafe) {
    const filling = new AbortController()
    const filled = fillSearch(deps.store, filling.signal).catch((error: unknown) =>
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
    void forgetExpired({ ...deps, views }).catch((error: unknown) =>
      // Of a disk that takes no writes the log has one line already, see `records`.
      log[diskFaultKind(error) === undefined ? 'error' : 'debug'](
        { err: error },
        'what is past its time could not be forgotten',
      ),
    )
  const forgetting = setInterval(forget, FORGET_EVERY_MS)
  opened.defer(() => clearInterval(forgetting))
  return opened
}
