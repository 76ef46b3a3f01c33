import type { Today } from '#shared/contract/dashboard-today.ts'
import { useStatus } from '../../api/status.ts'
import css from './dashboard.module.css'
import { DowntimePanel } from './downtime.tsx'
import { ListenersPanel, PartnerPanel, StoragePanel } from './gateway-panels.tsx'
import { Items } from './items.tsx'
import { Numbers } from './numbers.tsx'

/** What needs attention now, and the state of the gateway. */
export function GatewayHome({ today }: { today: Today }) {
  const status = useStatus()
  return (
    <>
      <Numbers numbers={today.numbers} />
      <div className={css.columns}>
        <div className={css.main} aria-live="polite">
          <Items items={today.items} />
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
  )
}
