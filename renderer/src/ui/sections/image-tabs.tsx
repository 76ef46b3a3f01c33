import { Link } from '@tanstack/react-router'
import { useWaitingCount } from '../../api/use-today.ts'
import { t } from '../../i18n/t.ts'
import { SectionTabs, TabCount } from '../section-tabs.tsx'

/**
 * The lists of images: studies, what was set aside, and files without a record, and who has to be
 * informed of corrections.
 */
export function ImageTabs() {
  const quarantined = useWaitingCount(['quarantined'])
  const recovered = useWaitingCount(['recovered'])
  const openNoticeCount = useWaitingCount(['correction-notices'])
  return (
    <SectionTabs label={t('ui.images.tabs.label')}>
      <Link to="/images" activeOptions={{ exact: true, includeSearch: false }}>
        {t('ui.images.tabs.studies')}
      </Link>
      <Link to="/images/quarantine" activeOptions={{ includeSearch: false }}>
        {t('ui.images.tabs.quarantine')}
        <TabCount of={quarantined} tone="warning" />
      </Link>
      <Link to="/images/recovered">
        {t('ui.images.tabs.recovered')}
        <TabCount of={recovered} tone="warning" />
      </Link>
      <Link to="/images/inform">
        {t('ui.images.tabs.inform')}
        <TabCount of={openNoticeCount} tone="warning" />
      </Link>
    </SectionTabs>
  )
}
