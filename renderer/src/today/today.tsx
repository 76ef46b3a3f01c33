import { Failed, Page, Waiting } from '../components/page.tsx'
import { t } from '../i18n/t.ts'
import { useSession } from '../session.ts'
import { useSecondFactorPrompt } from '../shell/second-factor-prompt.tsx'
import { useStatus } from '../status.ts'
import { DowntimePanel } from './downtime.tsx'
import { ListenersPanel, PartnerPanel, StoragePanel } from './gateway-panels.tsx'
import { Items } from './items.tsx'
import { Numbers } from './numbers.tsx'
import css from './today.module.css'
import { useToday } from './use-today.ts'

/** What needs attention now; and how the gateway is. */
export function Today() {
  const status = useStatus()
  const today = useToday()
  // What the prompt above says is not said twice.
  const { isShown: isPrompted } = useSecondFactorPrompt(useSession().data)
  return (
    <Page title={t('ui.today.title')} about={t('ui.today.about')}>
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
