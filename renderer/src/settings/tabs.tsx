import { Link } from '@tanstack/react-router'
import { SectionTabs } from '../components/section-tabs.tsx'
import { t } from '../i18n/t.ts'

const TABS = [
  ['/settings', t('ui.settings.tabs.all')],
  ['/settings/access', t('ui.settings.tabs.access')],
  ['/settings/back-ups', t('ui.settings.tabs.backUps')],
  ['/settings/readiness', t('ui.settings.tabs.readiness')],
] as const

/** The screens of how the gateway is set up. */
export function SettingsTabs() {
  return (
    <SectionTabs label={t('ui.settings.tabs.label')}>
      {TABS.map(([to, name]) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
        </Link>
      ))}
    </SectionTabs>
  )
}
