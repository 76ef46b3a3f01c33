import { Link } from '@tanstack/react-router'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { useWaiting } from '../today/use-today.ts'
import { words } from './words.ts'

/** The lists of reading: studies, critical results nobody was told of, templates. */
export function ReadingTabs() {
  const open = useWaiting(['criticals'])
  return (
    <SectionTabs label={words.tabs.label}>
      <Link to="/reading" activeOptions={{ exact: true, includeSearch: false }}>
        {words.tabs.studies}
      </Link>
      <Link to="/reading/criticals" activeOptions={{ includeSearch: false }}>
        {words.tabs.criticals}
        <TabCount of={open} tone="danger" />
      </Link>
      <Link to="/reading/templates" activeOptions={{ includeSearch: false }}>
        {words.tabs.templates}
      </Link>
    </SectionTabs>
  )
}
