import { Button, Group } from '@mantine/core'
import { IconLifebuoy } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../i18n/t.ts'
import { Page } from '../../ui/page.tsx'
import { SettingsTabs } from '../../ui/sections/settings-tabs.tsx'
import { SupportDialog } from '../../ui/support-dialog.tsx'
import { ReadinessList } from './readiness-list.tsx'

/** What the installation has and lacks, at any time after the set-up. */
export function Readiness() {
  const [isForSupport, setIsForSupport] = useState(false)
  return (
    <Page
      title={t('ui.setup.readiness.title')}
      about={t('ui.setup.readiness.about')}
      actions={
        <Group gap={14}>
          <Link to="/setup" search={{ step: 'clinic' }}>
            {t('ui.setup.readiness.wizard')}
          </Link>
          <Button
            variant="default"
            leftSection={<IconLifebuoy size={16} />}
            onClick={() => setIsForSupport(true)}
          >
            {t('ui.backups.support.button')}
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
