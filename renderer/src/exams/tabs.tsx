import { Link } from '@tanstack/react-router'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { useWaiting } from '../today/use-today.ts'
import { words } from './words.ts'

/**
 * The exams of the day, why one is not on a device, exams without an order, and asking as a device.
 */
export const WorklistTabs = () => (
  <SectionTabs label={words.tabs.label}>
    <Link to="/worklist" activeOptions={{ exact: true, includeSearch: false }}>
      {words.tabs.exams}
    </Link>
    <Link to="/worklist/why" activeOptions={{ includeSearch: false }}>
      {words.tabs.why}
    </Link>
    <Link to="/worklist/reconcile" activeOptions={{ includeSearch: false }}>
      {words.tabs.reconcile}
      <TabCount of={useWaiting(['images-unplanned'])} tone="warning" />
    </Link>
    <Link to="/worklist/ask" activeOptions={{ includeSearch: false }}>
      {words.tabs.ask}
    </Link>
  </SectionTabs>
)
