import { Link } from '@tanstack/react-router'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { useWaiting } from '../today/use-today.ts'
import { words } from './words.ts'

/** The two lists of images: studies, and what was set aside. */
export function ImageTabs() {
  const setAside = useWaiting(['quarantined'])
  return (
    <SectionTabs label={words.tabs.label}>
      <Link to="/images" activeOptions={{ exact: true, includeSearch: false }}>
        {words.tabs.studies}
      </Link>
      <Link to="/images/quarantine" activeOptions={{ includeSearch: false }}>
        {words.tabs.quarantine}
        <TabCount of={setAside} tone="warning" />
      </Link>
    </SectionTabs>
  )
}
