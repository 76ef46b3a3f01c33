import { Link } from '@tanstack/react-router'
import { SectionTabs } from '../components/section-tabs.tsx'
import { words } from './words.ts'

const exact = { exact: true, includeSearch: false } as const

/** The screens of how the gateway is set up. */
export function SettingsTabs() {
  return (
    <SectionTabs label={words.tabs.label}>
      <Link to="/settings" activeOptions={exact}>
        {words.tabs.all}
      </Link>
      <Link to="/settings/access" activeOptions={exact}>
        {words.tabs.access}
      </Link>
      <Link to="/settings/back-ups" activeOptions={exact}>
        {words.tabs.backUps}
      </Link>
      <Link to="/settings/readiness" activeOptions={exact}>
        {words.tabs.readiness}
      </Link>
    </SectionTabs>
  )
}
