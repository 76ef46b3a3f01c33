import { dashboard } from '#shared/contract/dashboard.ts'
import { zoneOf } from './display/dates.ts'
import { useReply } from './gateway.ts'
import { linkedViewId } from './linked.ts'
import { useLive } from './live.ts'
import { useSession } from './session.ts'

/** Listeners, partner, downtime: pushed by the live line, polled oftener where that is broken. */
export function useStatus() {
  const { isOpen } = useLive()
  const { data } = useSession()
  return useReply(dashboard.status, {}, { enabled: Boolean(data?.user) && linkedViewId === null, every: isOpen ? 60_000 : 10_000 })
}

/** The clinic's time zone, for `Intl`; undefined is that of this PC, as for who came by a link from wherever they are. */
export const useZone = (): string | undefined => zoneOf(useStatus().data?.clinicTimeZone)
