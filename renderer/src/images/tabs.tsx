import { Link } from '@tanstack/react-router'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { useWaiting } from '../today/use-today.ts'
import { words } from './words.ts'

/** The lists of images: studies, what was set aside, and files without a record. */
export function ImageTabs() {
  const quarantined = useWaiting(['quarantined'])
  const recovered = useWaiting(['recovered'])
  return (
    <SectionTabs label={words.tabs.label}>
      <Link to="/images" activeOptions={{ exact: true, includeSearch: false }}>
        {words.tabs.studies}
      </Link>
      <Link to="/images/quarantine" activeOptions={{ includeSearch: false }}>
        {words.tabs.quarantine}
        <TabCount of={quarantined} tone="warning" />
      </Link>
      <Link to="/images/recovered">
        {words.tabs.recovered}
        <TabCount of={recovered} tone="warning" />
      </Link>
    </SectionTabs>
  )
}
