import { Link } from '@tanstack/react-router'
import { SectionTabs } from '../components/section-tabs.tsx'
import { words } from './words.ts'

const TABS = [
  ['/settings', words.tabs.all],
  ['/settings/access', words.tabs.access],
  ['/settings/back-ups', words.tabs.backUps],
  ['/settings/readiness', words.tabs.readiness],
] as const

/** The screens of how the gateway is set up. */
export function SettingsTabs() {
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
