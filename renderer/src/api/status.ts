import { dashboard } from '#shared/contract/dashboard.ts'
import { zoneOf } from '../format/dates.ts'
import { useEventStream } from './event-stream.ts'
import { useReply } from './queries.ts'
import { useSession } from './session.ts'
import { linkedViewId } from './shared-study.ts'

/** Listeners, partner, downtime: pushed by the live line, polled oftener where that is broken. */
export function useStatus() {
  const { isOpen } = useEventStream()
  const { data } = useSession()
  return useReply(
    dashboard.status,
    {},
    { enabled: Boolean(data?.user) && linkedViewId === null, every: isOpen ? 60_000 : 10_000 },
  )
}

/**
 * The clinic's time zone, for `Intl`; undefined is that of this PC, as for who came by a link from
 * wherever they are.
 */
export const useZone = (): string | undefined => zoneOf(useStatus().data?.clinicTimeZone)

/**
 * Since when this window is cut off from the gateway: the instant (RFC 3339) of what it shows,
 * empty where it has read nothing; null while the gateway answers.
 */
export function useCutOffSince(): string | null {
  const { isError, error, dataUpdatedAt } = useStatus()
  if (!isError || error.code !== 'unreachable') return null
  return dataUpdatedAt > 0 ? new Date(dataUpdatedAt).toISOString() : ''
}
