import { Link } from '@tanstack/react-router'
import { dashboardReports } from '#shared/contract/reports.ts'
import { numberText } from '../display/amounts.ts'
import { useReply } from '../gateway.ts'
import css from './reading.module.css'
import { words } from './words.ts'

const CRITICALS_MS = 30_000

/** The lists of reading: studies, critical results nobody was told of, templates. */
export function ReadingTabs() {
  const open = useReply(dashboardReports.criticals, {}, { every: CRITICALS_MS }).data?.criticals.length ?? 0
  return (
    <nav className={css.tabs} aria-label={words.tabs.label}>
      <Link to="/reading" activeOptions={{ exact: true, includeSearch: false }}>
        {words.tabs.studies}
      </Link>
      <Link to="/reading/criticals" activeOptions={{ includeSearch: false }}>
        {words.tabs.criticals}
        {open > 0 && <span className={css.count}>{numberText(open)}</span>}
      </Link>
      <Link to="/reading/templates" activeOptions={{ includeSearch: false }}>
        {words.tabs.templates}
      </Link>
    </nav>
  )
}
