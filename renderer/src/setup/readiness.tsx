import { Link } from '@tanstack/react-router'
import { Page } from '../components/page.tsx'
import { SettingsTabs } from '../settings/tabs.tsx'
import { ReadinessList } from './readiness-list.tsx'
import { words } from './words.ts'

/** What the installation has and lacks, at any time after the set-up. */
export function Readiness() {
  const { title, about, wizard } = words.readiness
  return (
    <Page
      title={title}
      about={about}
      actions={
        <Link to="/setup" search={{ step: 'clinic' }}>
          {wizard}
        </Link>
      }
    >
      <SettingsTabs />
      <ReadinessList />
    </Page>
  )
}
