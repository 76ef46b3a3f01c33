import { Link } from '@tanstack/react-router'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { useWaiting } from '../today/use-today.ts'
import { words } from './words.ts'

/**
 * The lists of images: studies, what was set aside, and files without a record, and who has to be
 * informed of corrections.
 */
export function ImageTabs() {
  const quarantined = useWaiting(['quarantined'])
  const recovered = useWaiting(['recovered'])
  const toInform = useWaiting(['correction-notices'])
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
      <Link to="/images/inform">
        {words.tabs.inform}
        <TabCount of={toInform} tone="warning" />
      </Link>
    </SectionTabs>
  )
}
