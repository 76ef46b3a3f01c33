import { lazy, Suspense } from 'react'
import type { Today } from '#shared/contract/dashboard-today.ts'
import { useStatus } from '../../api/status.ts'
import { loadLater } from '../../ui/load-later.ts'
import { LoadingPlaceholder } from '../../ui/page.tsx'
import css from './dashboard.module.css'
import { DowntimePanel } from './downtime.tsx'
import { ListenersPanel, PartnerPanel, StoragePanel } from './gateway-panels.tsx'
import { TodayItems } from './items.tsx'
import { Numbers } from './numbers.tsx'

// Charts come after the first screen.
const loadTrends = () => loadLater(() => import('./trends.tsx'))
const GatewayTrends = lazy(async () => ({ default: (await loadTrends()).GatewayTrends }))
const StorageForecast = lazy(async () => ({ default: (await loadTrends()).StorageForecast }))

/** What needs attention now, and the state of the gateway. */
export function GatewayHome({ today }: { today: Today }) {
  const status = useStatus()
  return (
    <>
      <Numbers numbers={today.numbers} />
      <div className={css.columns}>
        <div className={css.main}>
          <div className={css.needs} aria-live="polite">
            <TodayItems items={today.items} />
          </div>
          <Suspense fallback={<LoadingPlaceholder rows={1} height={200} isOfLaterPart />}>
            <GatewayTrends />
          </Suspense>
        </div>
        {status.data && (
          <div className={css.side}>
            <PartnerPanel partner={status.data.partner} />
            <StoragePanel storage={status.data.storage} waiting={status.data.forwards.waiting}>
              <Suspense fallback={null}>
                <StorageForecast />
              </Suspense>
            </StoragePanel>
            <DowntimePanel downtime={status.data.downtime} />
            <ListenersPanel listeners={status.data.listeners} />
          </div>
        )}
      </div>
    </>
  )
}
