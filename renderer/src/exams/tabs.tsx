import { Link } from '@tanstack/react-router'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { t } from '../i18n/t.ts'
import { useWaiting } from '../today/use-today.ts'

/**
 * The exams of the day, why one is not on a device, exams without an order, and asking as a device.
 */
export const WorklistTabs = () => (
  <SectionTabs label={t('ui.exams.tabs.label')}>
    <Link to="/worklist" activeOptions={{ exact: true, includeSearch: false }}>
      {t('ui.exams.tabs.exams')}
    </Link>
    <Link to="/worklist/why" activeOptions={{ includeSearch: false }}>
      {t('ui.exams.tabs.why')}
    </Link>
    <Link to="/worklist/reconcile" activeOptions={{ includeSearch: false }}>
      {t('ui.exams.tabs.reconcile')}
      <TabCount of={useWaiting(['images-unplanned'])} tone="warning" />
    </Link>
    <Link to="/worklist/ask" activeOptions={{ includeSearch: false }}>
      {t('ui.exams.tabs.ask')}
    </Link>
  </SectionTabs>
)
