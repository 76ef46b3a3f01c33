import { Link } from '@tanstack/react-router'
import { useWaitingCount } from '../../api/use-today.ts'
import { t } from '../../i18n/t.ts'
import { SectionTabs, TabCount } from '../section-tabs.tsx'

/** The lists of reading: studies, critical results nobody was told of, templates. */
export function ReadingTabs() {
  const open = useWaitingCount(['criticals-escalated', 'criticals'])
  return (
    <SectionTabs label={t('ui.reports.tabs.label')}>
      <Link to="/reading" activeOptions={{ exact: true, includeSearch: false }}>
        {t('ui.reports.tabs.studies')}
      </Link>
      <Link to="/reading/criticals" activeOptions={{ includeSearch: false }}>
        {t('ui.reports.tabs.criticals')}
        <TabCount of={open} tone="danger" />
      </Link>
      <Link to="/reading/templates" activeOptions={{ includeSearch: false }}>
        {t('ui.reports.tabs.templates')}
      </Link>
    </SectionTabs>
  )
}
