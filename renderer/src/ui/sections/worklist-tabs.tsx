import { Link } from '@tanstack/react-router'
import { useWaitingCount } from '../../api/use-today.ts'
import { t } from '../../i18n/t.ts'
import { SectionTabs, TabCount } from '../section-tabs.tsx'

/**
 * The exams of the day, why one is not on a device, exams without an order, and asking as a device.
 */
export const WorklistTabs = () => (
  <SectionTabs label={t('ui.worklist.tabs.label')}>
    <Link to="/worklist" activeOptions={{ exact: true, includeSearch: false }}>
      {t('ui.worklist.tabs.exams')}
    </Link>
    <Link to="/worklist/why" activeOptions={{ includeSearch: false }}>
      {t('ui.worklist.tabs.why')}
    </Link>
    <Link to="/worklist/reconcile" activeOptions={{ includeSearch: false }}>
      {t('ui.worklist.tabs.reconcile')}
      <TabCount of={useWaitingCount(['images-unplanned'])} tone="warning" />
    </Link>
    <Link to="/worklist/ask" activeOptions={{ includeSearch: false }}>
      {t('ui.worklist.tabs.ask')}
    </Link>
  </SectionTabs>
)
