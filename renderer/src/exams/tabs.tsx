import { Link } from '@tanstack/react-router'
import { SectionTabs } from '../components/section-tabs.tsx'
import { words } from './words.ts'

/** The exams of the day, why one is not on a device, and asking as a device. */
export const WorklistTabs = () => (
  <SectionTabs label={words.tabs.label}>
    <Link to="/worklist" activeOptions={{ exact: true, includeSearch: false }}>
      {words.tabs.exams}
    </Link>
    <Link to="/worklist/why" activeOptions={{ includeSearch: false }}>
      {words.tabs.why}
    </Link>
    <Link to="/worklist/ask" activeOptions={{ includeSearch: false }}>
      {words.tabs.ask}
    </Link>
  </SectionTabs>
)
