import { Link } from '@tanstack/react-router'
import { t } from '../../i18n/t.ts'
import { SectionTabs } from '../section-tabs.tsx'

const TABS = [
  ['/settings', t('ui.settings.tabs.all')],
  ['/settings/access', t('ui.settings.tabs.access')],
  ['/settings/backups', t('ui.settings.tabs.backups')],
  ['/settings/tiers', t('ui.settings.tabs.tiers')],
  ['/settings/lifecycle', t('ui.settings.tabs.lifecycle')],
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
