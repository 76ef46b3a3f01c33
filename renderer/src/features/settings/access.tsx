import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Page } from '../../ui/page.tsx'
import { SettingsTabs } from '../../ui/sections/settings-tabs.tsx'
import css from './access.module.css'
import { LanPanel } from './lan-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'
import { AccessRequestsPanel, ApprovedWorkstationsPanel } from './workstations-panel.tsx'

const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 4000

/**
 * The window on other PCs of the clinic: whether it opens, where, which PCs may, and who is signed
 * in.
 */
export function Access() {
  const { isOpen } = useEventStream()
  const reply = useReply(
    dashboardSecurity.lanAccess,
    {},
    { every: isOpen ? POLL_MS : POLL_CUT_OFF_MS },
  )
  const lan = reply.data
  const asking = lan?.workstations.filter(({ state }) => state === 'asking') ?? []
  return (
    <Page title={t('ui.settings.access.title')} about={t('ui.settings.access.about')}>
      <SettingsTabs />
      {reply.isPending && <LoadingPlaceholder rows={8} height={44} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {lan && (
        <div className={css.columns}>
          {/* Somebody stands at another PC and waits. */}
          {asking.length > 0 && <AccessRequestsPanel isOn={lan.isOn} asking={asking} />}
          <LanPanel lan={lan} />
          {asking.length === 0 && <AccessRequestsPanel isOn={lan.isOn} asking={asking} />}
          <ApprovedWorkstationsPanel
            approved={lan.workstations.filter(({ state }) => state === 'approved')}
          />
        </div>
      )}
      {lan && <SessionsPanel />}
    </Page>
  )
}
