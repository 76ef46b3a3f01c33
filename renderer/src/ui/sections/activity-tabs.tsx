import { VisuallyHidden } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { t } from '../../i18n/t.ts'
import { usePermission } from '../allowed.tsx'
import { SectionTabs } from '../section-tabs.tsx'

const plain = { includeSearch: false } as const

/** What happened at the gateway, seen four ways. */
export function ActivityTabs() {
  const { may } = usePermission('manageGateway')
  return (
    <SectionTabs label={t('ui.activity.tabs.label')}>
      <Link to="/activity" activeOptions={{ exact: true, ...plain }}>
        {t('ui.activity.tabs.live')}
      </Link>
      <Link to="/activity/associations" activeOptions={plain}>
        {t('ui.activity.tabs.associations')}
      </Link>
      <Link to="/queries" activeOptions={plain}>
        {t('ui.activity.tabs.queries')}
      </Link>
      <Link to="/audit" activeOptions={plain}>
        {t('ui.activity.tabs.audit')}
        {!may && (
          <>
            <IconLock size={14} aria-hidden />
            <VisuallyHidden>{t('ui.activity.forManagers')}</VisuallyHidden>
          </>
        )}
      </Link>
    </SectionTabs>
  )
}
