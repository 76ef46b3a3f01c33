import { Link } from '@tanstack/react-router'
import { SectionTabs } from '../components/section-tabs.tsx'
import { words } from './words.ts'

const TABS = [
  ['/events', words.tabs.list],
  ['/events/meter', words.tabs.meter],
  ['/events/dry-run', words.tabs.dryRun],
] as const

/** The events themselves, how well they are answered, and a bench for answers. */
export function EventTabs() {
  return (
    <SectionTabs label={words.tabs.label}>
      {TABS.map(([to, name]) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
        </Link>
      ))}
    </SectionTabs>
  )
}
