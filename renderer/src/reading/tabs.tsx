import { Link } from '@tanstack/react-router'
import { dashboardReports } from '#shared/contract/reports.ts'
import { SectionTabs, TabCount } from '../components/section-tabs.tsx'
import { useReply } from '../gateway.ts'
import { useLive } from '../live.ts'
import { words } from './words.ts'

const CRITICALS_MS = 30_000

/** The lists of reading: studies, critical results nobody was told of, templates. */
export function ReadingTabs() {
  const { isOpen } = useLive()
  const open = useReply(dashboardReports.criticals, {}, isOpen ? {} : { every: CRITICALS_MS }).data?.criticals.length ?? 0
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
