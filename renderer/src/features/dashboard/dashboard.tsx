import { useSession } from '../../api/session.ts'
import { useStatus } from '../../api/status.ts'
import { useToday } from '../../api/use-today.ts'
import { t } from '../../i18n/t.ts'
import { Failed, Page, Waiting } from '../../ui/page.tsx'
import css from './dashboard.module.css'
import { DowntimePanel } from './downtime.tsx'
import { ListenersPanel, PartnerPanel, StoragePanel } from './gateway-panels.tsx'
import { Items } from './items.tsx'
import { Numbers } from './numbers.tsx'
import { useSecondFactorPrompt } from './second-factor-prompt.tsx'

/** What needs attention now; and how the gateway is. */
export function Today() {
  const status = useStatus()
  const today = useToday()
  // What the prompt above says is not said twice.
  const { isShown: isPrompted } = useSecondFactorPrompt(useSession().data)
  return (
    <Page title={t('ui.dashboard.title')} about={t('ui.dashboard.about')}>
      {today.isError && !today.data && (
        <Failed error={today.error} onRetry={() => void today.refetch()} />
      )}
      {today.isPending && !today.isError && <Waiting rows={5} height={64} />}
      {today.data && (
        <>
          <Numbers numbers={today.data.numbers} />
          <div className={css.columns}>
            <div className={css.main} aria-live="polite">
              <Items
                items={today.data.items.filter(
                  ({ kind }) => kind !== 'second-factor' || !isPrompted,
                )}
              />
            </div>
            {status.data && (
              <div className={css.side}>
                <PartnerPanel partner={status.data.partner} />
                <StoragePanel
                  storage={status.data.storage}
                  waiting={status.data.forwards.waiting}
                />
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
