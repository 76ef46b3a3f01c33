import { Link } from '@tanstack/react-router'
import { t } from '../../i18n/t.ts'
import { SectionTabs } from '../../ui/section-tabs.tsx'

const TABS = [
  ['/events', t('ui.events.tabs.list')],
  ['/events/meter', t('ui.events.tabs.meter')],
  ['/events/dry-run', t('ui.events.tabs.dryRun')],
] as const

/** The events themselves, how well they are answered, and a bench for answers. */
export function EventTabs() {
  return (
    <SectionTabs label={t('ui.events.tabs.label')}>
      {TABS.map(([to, name]) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
        </Link>
      ))}
    </SectionTabs>
  )
}
