import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { Failed, Page, Waiting } from '../components/page.tsx'
import { keyOf, useReply } from '../gateway.ts'
import { useLive } from '../live.ts'
import { useStatus } from '../status.ts'
import { DowntimePanel } from './downtime.tsx'
import { ListenersPanel, PartnerPanel, StoragePanel } from './gateway-panels.tsx'
import { Items } from './items.tsx'
import { Numbers } from './numbers.tsx'
import css from './today.module.css'
import { words } from './words.ts'

/** What depends on the clock alone has changed by then; where events do not come, everything. */
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 15_000

/** What needs attention now; and how the gateway is. */
export function Today() {
  const status = useStatus()
  const today = useToday(status.dataUpdatedAt)
  return (
    <Page title={words.title} about={words.about}>
      {today.isError && !today.data && <Failed error={today.error} onRetry={() => void today.refetch()} />}
      {today.isPending && !today.isError && <Waiting rows={5} height={64} />}
      {today.data && (
        <>
          <Numbers numbers={today.data.numbers} />
          <div className={css.columns}>
            <div className={css.main} aria-live="polite">
              <Items items={today.data.items} />
            </div>
            {status.data && (
              <div className={css.side}>
                <PartnerPanel partner={status.data.partner} />
                <StoragePanel storage={status.data.storage} waiting={status.data.forwards.waiting} />
                <DowntimePanel downtime={status.data.downtime} />
                <ListenersPanel listeners={status.data.listeners} />
              </div>
            )}
          </div>
        </>
      )}
    </Page>
  )
}

/** Asked again whenever the status was: the gateway's news lead to that. */
function useToday(statusAt: number) {
  const client = useQueryClient()
  const { reportsSeen, imagesSeen, isOpen } = useLive()
  const news = statusAt + reportsSeen + imagesSeen
  useEffect(() => {
    if (news > 0) void client.invalidateQueries({ queryKey: keyOf(dashboardToday.today) }, { cancelRefetch: false })
  }, [news, client])
  return useReply(dashboardToday.today, {}, { every: isOpen ? POLL_MS : POLL_CUT_OFF_MS })
}
