import { Link } from '@tanstack/react-router'
import { numberText } from '../display/amounts.ts'
import { useStatus } from '../status.ts'
import css from './images.module.css'
import { words } from './words.ts'

/** The two lists of images: studies, and what was set aside. */
export function ImageTabs() {
  const setAside = useStatus().data?.images.quarantined ?? 0
  return (
    <nav className={css.tabs} aria-label={words.tabs.label}>
      <Link to="/images" activeOptions={{ exact: true, includeSearch: false }}>
        {words.tabs.studies}
      </Link>
      <Link to="/images/quarantine" activeOptions={{ includeSearch: false }}>
        {words.tabs.quarantine}
        {setAside > 0 && <span className={css.count}>{numberText(setAside)}</span>}
      </Link>
    </nav>
  )
}
