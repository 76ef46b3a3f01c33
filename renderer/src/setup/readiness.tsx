import { Button, Group } from '@mantine/core'
import { IconLifebuoy } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../components/page.tsx'
import { SettingsTabs } from '../settings/tabs.tsx'
import { SupportDialog } from '../upkeep/support-dialog.tsx'
import { words as upkeep } from '../upkeep/words.ts'
import { ReadinessList } from './readiness-list.tsx'
import { words } from './words.ts'

/** What the installation has and lacks, at any time after the set-up. */
export function Readiness() {
  const { title, about, wizard } = words.readiness
  const [isForSupport, setIsForSupport] = useState(false)
  return (
    <Page
      title={title}
      about={about}
      actions={
        <Group gap={14}>
          <Link to="/setup" search={{ step: 'clinic' }}>
            {wizard}
          </Link>
          <Button
            variant="default"
            leftSection={<IconLifebuoy size={16} />}
            onClick={() => setIsForSupport(true)}
          >
            {upkeep.support.button}
          </Button>
        </Group>
      }
    >
      <SettingsTabs />
      <ReadinessList />
      {isForSupport && <SupportDialog onClose={() => setIsForSupport(false)} />}
    </Page>
  )
}
