import { VisuallyHidden } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useMay } from '../components/allowed.tsx'
import { SectionTabs } from '../components/section-tabs.tsx'
import { words } from './words.ts'

const plain = { includeSearch: false } as const

/** What happened at the gateway, seen four ways. */
export function ActivityTabs() {
  const { may } = useMay('manageGateway')
  return (
    <SectionTabs label={words.tabs.label}>
      <Link to="/activity" activeOptions={{ exact: true, ...plain }}>
        {words.tabs.live}
      </Link>
      <Link to="/activity/associations" activeOptions={plain}>
        {words.tabs.associations}
      </Link>
      <Link to="/queries" activeOptions={plain}>
        {words.tabs.queries}
      </Link>
      <Link to="/audit" activeOptions={plain}>
        {words.tabs.audit}
        {!may && (
          <>
            <IconLock size={14} aria-hidden />
            <VisuallyHidden>{words.forManagers}</VisuallyHidden>
          </>
        )}
      </Link>
    </SectionTabs>
  )
}
