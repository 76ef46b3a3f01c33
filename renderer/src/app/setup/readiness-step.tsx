import { Button, Group, Stack, Text } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { ReadinessList } from './readiness-list.tsx'

/** What is there, and the way into the window. */
export function ReadinessStep() {
  const navigate = useNavigate()
  const finish = useSend(dashboardSetup.finish, [dashboard.session, dashboardSetup.state])
  return (
    <Stack>
      <Group>
        <Button
          size="md"
          rightSection={<IconArrowRight size={17} />}
          loading={finish.isPending}
          onClick={() => finish.mutate({}, { onSuccess: () => void navigate({ to: '/' }) })}
        >
          {t('ui.setup.readiness.finish')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('ui.setup.readiness.finishAbout')}
        </Text>
      </Group>
      {finish.error && <ErrorNotice error={finish.error} />}
      <ReadinessList />
    </Stack>
  )
}
