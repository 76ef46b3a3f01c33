import { Link } from '@tanstack/react-router'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { t } from '../i18n/t.ts'
import { useWaiting } from '../today/use-today.ts'

/** The lists of reading: studies, critical results nobody was told of, templates. */
export function ReadingTabs() {
  const open = useWaiting(['criticals'])
  return (
    <SectionTabs label={t('ui.reading.tabs.label')}>
      <Link to="/reading" activeOptions={{ exact: true, includeSearch: false }}>
        {t('ui.reading.tabs.studies')}
      </Link>
      <Link to="/reading/criticals" activeOptions={{ includeSearch: false }}>
        {t('ui.reading.tabs.criticals')}
        <TabCount of={open} tone="danger" />
      </Link>
      <Link to="/reading/templates" activeOptions={{ includeSearch: false }}>
        {t('ui.reading.tabs.templates')}
      </Link>
    </SectionTabs>
  )
}
